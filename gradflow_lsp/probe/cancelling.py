"""How much of what arrives at a parameter is left once it is summed up: next to nothing where it cancels itself."""

from __future__ import annotations

import math
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


@dataclass(frozen=True)
class _Use:
    """A node that adds a parameter's entries to something, or multiplies them with something, on one of its edges."""

    node: Node
    edge: int
    multiplies: bool

    def terms(self, arrived: torch.Tensor) -> torch.Tensor | None:
        """What is summed up into the parameter's gradient; `None` where a factor was not kept."""
        if not self.multiplies:
            return entries(arrived).detach()
        other = getattr(self.node, "_saved_other" if self.edge == 0 else "_saved_self", None)
        return arrived.detach() * other.detach().conj() if isinstance(other, torch.Tensor) else None


class Cancelling:
    """Adds up the absolute values of all terms of which the gradients of parameters are sums.

    That is known of parameters that are only ever added to something or multiplied with something, whole or broadcast.
    It watches the next backward, by `handles` that are to be removed after it.
    """

    def __init__(self, graph: Graph, parameters: Iterable[NamedParameter]) -> None:
        self.handles: list[Any] = []
        self._sums: dict[str, float] = {}
        self._eps: dict[str, float] = {}
        for parameter in parameters:
            for use in _uses(graph, graph.leaf_node(parameter.tensor)):
                self.handles.append(use.node.register_hook(self._adder(parameter.name, use)))

    def of(self, parameter: NamedParameter) -> Cancellation | None:
        """What is left at a parameter, by its present gradient; `None` where that is not known, or nothing came."""
        total, gradient = self._sums.get(parameter.name, 0.0), parameter.tensor.grad
        if not total or math.isnan(total) or gradient is None:
            return None
        left = float(torch.linalg.vector_norm(entries(gradient).detach(), 1)) / total
        return Cancellation(left, self._eps[parameter.name])

    def _adder(self, name: str, use: _Use) -> object:
        def hook(left: tuple[torch.Tensor | None, ...], arrived: tuple[torch.Tensor | None, ...]) -> None:
            for terms in (use.terms(gradient) for gradient in arrived if gradient is not None):
                if terms is None:
                    self._sums[name] = math.nan
                    continue
                size = float(torch.linalg.vector_norm(terms, 1, dtype=_wide(terms)))
                self._sums[name] = self._sums.get(name, 0.0) + size
                self._eps[name] = max(self._eps.get(name, 0.0), torch.finfo(terms.dtype).eps)

        return hook


def _wide(terms: torch.Tensor) -> torch.dtype | None:
    return torch.float32 if terms.dtype.itemsize == 2 else None


def _uses(graph: Graph, leaf: Node | None) -> set[_Use]:
    """All uses of a leaf; none where it is computed with in any other way."""
    found: set[_Use] = set()
    stack = [] if leaf is None else [leaf]
    while stack:
        for consumer, edge in graph.consumers.get(stack.pop(), []):
            multiplies = kind(consumer) == "MulBackward"
            if kind(consumer) in _MOVED:
                stack.append(consumer)
            elif multiplies or edge in _ADDED.get(kind(consumer), ()):
                found.add(_Use(consumer, edge, multiplies))
            else:
                return set()
    return found
