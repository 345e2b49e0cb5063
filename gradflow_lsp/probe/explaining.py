"""The second, explaining backward: over the same graph, with the loss scaled, watching every node.

Run only when the first backward left something suspicious. It costs one more backward and gives, for each node, how
large the gradients were that came in and went out; and, for each parameter, whether its gradient scales with the loss
as a true one does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .backward import ParameterFacts
from .graph import Graph, Node, kind
from .measuring import entries

SCALE = 1.37
"""Not a power of two, so that rounding noise is drawn anew."""

ADDED: dict[str, tuple[int, ...]] = {
    "AddBackward": (0, 1),
    "SubBackward": (0, 1),
    "AddmmBackward": (0,),
    "AddmvBackward": (0,),
    "AddbmmBackward": (0,),
    "BaddbmmBackward": (0,),
    "ConvolutionBackward": (2,),
    "NativeBatchNormBackward": (2,),
    "NativeLayerNormBackward": (2,),
    "NativeGroupNormBackward": (2,),
}
"""The edges of autograd's nodes whose gradient is a mere sum of what arrives: the derivative is 1 or -1."""


@dataclass
class Passage:
    """The largest absolute gradient on each edge of one node.

    `arrived` is what came in from the loss's side, `left` what went out towards the leaves. `None` stands for an edge
    without a gradient. NaN and infinities show as such. Values are of the scaled loss.
    """

    arrived: list[float | None]
    left: list[float | None]

    @property
    def alive(self) -> bool:
        """Whether anything other than zeros arrived."""
        return any(a != 0.0 for a in self.arrived if a is not None)

    def hands_on(self, edge: int) -> bool:
        """Whether anything other than zeros left along an edge."""
        return edge < len(self.left) and self.left[edge] not in (0.0, None)


@dataclass
class Explained:
    """What the second backward saw.

    `changes` has by how much a parameter's gradient differs from the scaled first one, relative to itself: rounding
    noise is drawn anew. `cancellation` has, for a vector or scalar that is only ever added to something, how much of
    what arrived there is left after it was summed up, as a share of the sum of absolute values: rounding leaves about
    1e-7, any true sum far more.
    """

    passages: dict[Node, Passage] = field(default_factory=dict)
    changes: dict[str, float] = field(default_factory=dict)
    cancellation: dict[str, float] = field(default_factory=dict)


def explain(
    graph: Graph,
    losses: Mapping[str, torch.Tensor],
    facts: Sequence[ParameterFacts],
    watched: Sequence[ParameterFacts],
) -> Explained:
    """Run the scaled backward, and measure how the gradients of the `watched` parameters change.

    Leaves each `.grad` that of the scaled losses. Raises what autograd raises.
    """
    explained = Explained()
    arriving = _Arriving(graph, [f for f in watched if f.tensor.dim() <= 1])
    handles = [node.register_hook(_watch(explained, node)) for node in graph.nodes] + arriving.handles
    try:
        explained.changes = changes_when_scaled(losses, facts, watched)
    finally:
        for handle in handles:
            handle.remove()
    for fact in watched:
        if fact.tensor.grad is not None:
            explained.cancellation |= arriving.left_of(fact, entries(fact.tensor.grad))
    return explained


def changes_when_scaled(
    losses: Mapping[str, torch.Tensor], facts: Sequence[ParameterFacts], watched: Sequence[ParameterFacts]
) -> dict[str, float]:
    """Run a backward of the scaled losses and return by how much the `watched` gradients changed beyond the scaling."""
    first = {f.name: entries(f.tensor.grad).clone() for f in watched if f.tensor.grad is not None}
    for fact in facts:
        fact.tensor.grad = None
    with torch.enable_grad():
        for loss in losses.values():  # scaled by a product: passing grad_tensors makes torch import sympy (1 s)
            if loss.requires_grad:
                (loss * SCALE).backward(retain_graph=True)  # type: ignore[no-untyped-call]
    pairs = ((fact.name, first.get(fact.name), fact.tensor.grad) for fact in facts)
    return {n: _change(b, entries(a)) for n, b, a in pairs if b is not None and a is not None}


class _Arriving:
    """Adds up the absolute values of all that arrives where some parameters are added to something, and only there."""

    def __init__(self, graph: Graph, facts: Iterable[ParameterFacts]) -> None:
        self.handles: list[Any] = []
        self._sums: dict[str, float] = {}
        for fact in facts:
            uses = graph.consumers.get(graph.leaf_node(fact.tensor), [])
            if all(edge in ADDED.get(kind(node), ()) for node, edge in uses):
                for node in {node for node, _ in uses}:
                    self.handles.append(node.register_hook(self._adder(fact.name)))

    def left_of(self, fact: ParameterFacts, gradient: torch.Tensor) -> dict[str, float]:
        total = self._sums.get(fact.name, 0.0)
        return {fact.name: float(gradient.abs().sum()) / total} if total else {}

    def _adder(self, name: str) -> object:
        def hook(left: tuple[torch.Tensor | None, ...], arrived: tuple[torch.Tensor | None, ...]) -> None:
            size = sum(float(entries(g).abs().sum()) for g in arrived if g is not None)
            self._sums[name] = self._sums.get(name, 0.0) + size

        return hook


def _watch(explained: Explained, node: Node) -> object:
    def hook(left: tuple[torch.Tensor | None, ...], arrived: tuple[torch.Tensor | None, ...]) -> None:
        explained.passages[node] = Passage([_largest(g) for g in arrived], [_largest(g) for g in left])

    return hook


def _largest(gradient: torch.Tensor | None) -> float | None:
    if gradient is None:
        return None
    values = entries(gradient)
    return float(torch.linalg.vector_norm(values, math.inf)) if values.numel() else 0.0


def _change(before: torch.Tensor, after: torch.Tensor) -> float:
    """How far `after / SCALE` is from `before`, relative to `before`; 0 where that is all zeros."""
    if before.shape != after.shape:
        return 0.0
    exact = torch.complex128 if before.is_complex() else torch.float64
    before, after = before.to(exact), after.to(exact)
    size = float(before.norm())
    return float((after / SCALE - before).norm()) / size if size and math.isfinite(size) else 0.0
