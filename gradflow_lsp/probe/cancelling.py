"""How much of what arrives at a parameter is left once it is summed up: next to nothing where it cancels itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

from .graph import Graph, Node, kind
from .measuring import entries
from .outcome import NamedParameter


def _nodes(names: str) -> list[str]:
    return [f"{name}Backward" for name in names.split()]


_ADDED: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(_nodes("Add Sub"), (0, 1)),
    **dict.fromkeys(_nodes("Addmm Addmv Addbmm Baddbmm"), (0,)),
    **dict.fromkeys(_nodes("Convolution NativeBatchNorm NativeLayerNorm NativeGroupNorm"), (2,)),
}
"""The edges of autograd's nodes whose gradient is a mere sum of what arrives: the derivative is 1 or -1."""

_MOVED = frozenset(
    _nodes(
        "View UnsafeView ReshapeAlias Unsqueeze Squeeze Expand Repeat Permute Transpose T Slice Select Split "
        "SplitWithSizes Unbind ToCopy Alias Clone Neg"
    )
)
"""Nodes that hand on every entry as it is, but for its place, its format and its sign."""


@dataclass(frozen=True)
class Cancellation:
    """What is `left` of a sum, as a share of the sum of absolute values, and the `eps` of the format of its terms."""

    left: float
    eps: float


class Cancelling:
    """Adds up the absolute values of all that arrives where parameters are added to something, and only there.

    It watches the next backward, by `handles` that are to be removed after it.
    """

    def __init__(self, graph: Graph, parameters: Iterable[NamedParameter]) -> None:
        self.handles: list[Any] = []
        self._sums: dict[str, float] = {}
        self._eps: dict[str, float] = {}
        for parameter in parameters:
            nodes = _adding_nodes(graph, graph.leaf_node(parameter.tensor))
            self.handles += [node.register_hook(self._adder(parameter.name)) for node in nodes]

    def of(self, parameter: NamedParameter) -> Cancellation | None:
        """What is left at a parameter, by its present gradient; `None` where it is more than added, or nothing came."""
        total, gradient = self._sums.get(parameter.name, 0.0), parameter.tensor.grad
        if not total or gradient is None:
            return None
        left = float(torch.linalg.vector_norm(entries(gradient).detach(), 1)) / total
        return Cancellation(left, self._eps[parameter.name])

    def _adder(self, name: str) -> object:
        def hook(left: tuple[torch.Tensor | None, ...], arrived: tuple[torch.Tensor | None, ...]) -> None:
            for terms in (entries(gradient).detach() for gradient in arrived if gradient is not None):
                size = float(torch.linalg.vector_norm(terms, 1, dtype=_wide(terms)))
                self._sums[name] = self._sums.get(name, 0.0) + size
                self._eps[name] = max(self._eps.get(name, 0.0), torch.finfo(terms.dtype).eps)

        return hook


def _wide(terms: torch.Tensor) -> torch.dtype | None:
    return torch.float32 if terms.dtype.itemsize == 2 else None


def _adding_nodes(graph: Graph, leaf: Node | None) -> set[Node]:
    """The nodes that add a leaf's entries to something; none where any of its uses is another."""
    found: set[Node] = set()
    stack = [] if leaf is None else [leaf]
    while stack:
        for consumer, edge in graph.consumers.get(stack.pop(), []):
            if kind(consumer) in _MOVED:
                stack.append(consumer)
            elif edge in _ADDED.get(kind(consumer), ()):
                found.add(consumer)
            else:
                return set()
    return found
