"""The explaining backward: with the losses scaled, watching every node.

Run only when the first backward left something suspicious. It gives, for each node, how large the gradients were that
came in and went out; and, for each suspicious parameter, whether its gradient scales with the loss as a true one does.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from .backward import ParameterFacts, clean_backward
from .cancelling import Cancellation, Cancelling
from .graph import Graph, Node
from .measuring import entries, is_small, norms_side_by_side, side_by_side
from .outcome import NamedParameter

SCALE = 0.73
"""Not a power of two, so that rounding noise is drawn anew; below 1, so that what underflowed does so again."""

SCALE_UP = 1.37
"""The same where something overflowed."""

_SAMPLE = 1 << 16
_PRECISE = 1e-12
"""The least norm of a float32 gradient whose entries can be compared in float32."""
_COARSE = 100.0


@dataclass
class Passage:
    """The largest absolute gradient on each edge of one node.

    `arrived` is what came in from the loss's side, `left` what went out towards the leaves. `None` stands for an edge
    without a gradient, or one that leads to nothing watched. NaN and infinities show as such. Values are of the scaled
    loss; of several, the largest counts.
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
    """What the explaining backward saw.

    `changes` has by how much a parameter's gradient differs from the scaled first one, relative to itself: rounding
    noise is drawn anew. `cancellation` has, for one that is only ever added to something, how much of what arrived
    there is left after it was summed up: rounding leaves next to nothing, any true sum far more.
    """

    passages: dict[Node, Passage] = field(default_factory=dict)
    changes: dict[str, float] = field(default_factory=dict)
    cancellation: dict[str, Cancellation] = field(default_factory=dict)


def explain(
    explained: Explained,
    graph: Graph,
    parameters: Sequence[NamedParameter],
    losses: Mapping[str, torch.Tensor],
    watched: Container[str],
    scale: float,
) -> list[ParameterFacts]:
    """Run the scaled backward and return what it left; fill in what it showed on the ways to the names `watched`.

    The graph is kept, each `.grad` is that of the scaled losses. Raises what autograd raises.
    """
    asked = [parameter for parameter in parameters if parameter.name in watched]
    cancelling = Cancelling(graph, asked)
    nodes = graph.towards_loss(parameter.tensor for parameter in asked)
    watcher = _Watcher(explained.passages, graph, nodes)
    handles = [node.register_hook(watcher.hook(node)) for node in nodes if not _tells_nothing(node, graph)]
    handles += cancelling.handles
    try:
        facts = clean_backward(parameters, losses, keep_graph=True, scale=scale)
    finally:
        for handle in handles:
            handle.remove()
    for parameter in asked:
        if (cancellation := cancelling.of(parameter)) is not None:
            explained.cancellation[parameter.name] = cancellation
    return facts


def gradients_of(facts: Iterable[ParameterFacts]) -> dict[str, torch.Tensor]:
    """The present gradients' entries by the parameters' names. They stay as they are when others take their place."""
    return {fact.name: entries(fact.tensor.grad).detach() for fact in facts if fact.tensor.grad is not None}


def changes(before: Mapping[str, torch.Tensor], after: Mapping[str, torch.Tensor], scale: float) -> dict[str, float]:
    """By how much gradients differ from `scale` times those `before`, relative to these, where both are there."""
    names = [name for name in after if name in before]
    small = [name for name in names if is_small(before[name]) and is_small(after[name])]
    found = _small_changes([before[name] for name in small], [after[name] for name in small], scale)
    known = {name: change for name, change in zip(small, found, strict=True) if change is not None}
    return known | {name: _change(before[name], after[name], scale) for name in names if name not in known}


def _small_changes(before: Sequence[torch.Tensor], after: Sequence[torch.Tensor], scale: float) -> list[float | None]:
    """The same of small tensors; `None` where they are not of one shape, or perhaps too coarse to say anything."""
    if not before or any(one.shape != other.shape for one, other in zip(before, after, strict=True)):
        return [None] * len(before)
    one, other = side_by_side(before).double(), side_by_side(after).double()
    sizes = norms_side_by_side(one, before)
    shifts = norms_side_by_side(other / scale - one, before)
    coarse = [_COARSE * torch.finfo(tensor.dtype).tiny * math.sqrt(tensor.numel()) for tensor in before]
    return [
        None if 0 < size < least or not math.isfinite(size) else shift / size if size else 0.0
        for size, shift, least in zip(sizes, shifts, coarse, strict=True)
    ]


def changes_when_scaled(
    losses: Mapping[str, torch.Tensor], facts: Sequence[ParameterFacts], watched: Sequence[ParameterFacts]
) -> dict[str, float]:
    """Run one more backward, of the scaled losses, and return by how much the `watched` gradients changed beyond that.

    The graph must have been kept, and is kept; each `.grad` is that of the scaled losses afterwards.
    """
    before = gradients_of(watched)
    clean_backward([fact.parameter for fact in facts], losses, keep_graph=True, scale=SCALE)
    return changes(before, gradients_of(watched), SCALE)


class _Watcher:
    """Measures what passes the `nodes` that are watched, and only on edges between them.

    What one node alone hands to the next is measured once.
    """

    def __init__(self, passages: dict[Node, Passage], graph: Graph, nodes: set[Node]) -> None:
        self._passages = passages
        self._graph = graph
        self._nodes = nodes
        self._handed: dict[tuple[Node, int], tuple[tuple[int, int] | None, float]] = {}

    def hook(self, node: Node) -> object:
        """The hook to register at `node`."""
        consumers = self._graph.consumers.get(node, [])
        source = consumers[0] if len(consumers) == 1 else None
        children = [child for child, _ in node.next_functions]
        measured = [child in self._nodes for child in children]
        places = [  # of what is handed to a node that gets nothing else
            (node, edge) if watched and len(self._graph.consumers[child]) == 1 else None
            for edge, (child, watched) in enumerate(zip(children, measured, strict=True))
        ]
        arriving, leaving, passages = self._arriving, self._leaving, self._passages

        def measure(left: tuple[torch.Tensor | None, ...], arrived: tuple[torch.Tensor | None, ...]) -> None:
            passage = Passage(
                [None if gradient is None else arriving(gradient, source) for gradient in arrived],
                [
                    None if gradient is None or not wanted else leaving(gradient, place)
                    for gradient, wanted, place in zip(left, measured, places, strict=False)
                ],
            )
            earlier = passages.get(node)  # of another loss
            if earlier is not None:
                passage.arrived = list(map(_larger, earlier.arrived, passage.arrived))
                passage.left = list(map(_larger, earlier.left, passage.left))
            passages[node] = passage

        return measure

    def _leaving(self, gradient: torch.Tensor, place: tuple[Node, int] | None) -> float:
        largest = _largest(gradient)
        if place is not None:
            self._handed[place] = (_mark(gradient), largest)
        return largest

    def _arriving(self, gradient: torch.Tensor, source: tuple[Node, int] | None) -> float:
        mark, largest = (None, 0.0) if source is None else self._handed.pop(source, (None, 0.0))
        same = mark is not None and mark == _mark(gradient)  # not touched by any hook
        return largest if same else _largest(gradient)


def _tells_nothing(node: Node, graph: Graph) -> bool:
    """Whether a node is that of a leaf at which just what the one node before it handed on arrives."""
    leaf = getattr(node, "variable", None)
    if not isinstance(leaf, torch.Tensor) or len(graph.consumers[node]) != 1:
        return False
    return not getattr(leaf, "_backward_hooks", True)  # those of the user may change it


def _mark(gradient: torch.Tensor) -> tuple[int, int] | None:
    """What changes when another tensor is put in a gradient's place, or another value into it; `None` if unknown."""
    version = getattr(gradient, "_version", None)
    return None if version is None or gradient.layout is not torch.strided else (gradient.data_ptr(), version)


def _larger(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return other if one is None else one
    return one if math.isnan(one) else max(other, one)  # NaN wins on either side


def _largest(gradient: torch.Tensor) -> float:
    plain = gradient.dtype is torch.float32 and gradient.layout is torch.strided and not gradient.requires_grad
    values = gradient if plain else entries(gradient).detach()
    if not values.numel():
        return 0.0
    low, high = torch.aminmax(torch.view_as_real(values) if values.is_complex() else values)  # NaN comes through
    return max(-float(low), float(high))


def _change(before: torch.Tensor, after: torch.Tensor, scale: float) -> float:
    """How far `after / scale` is from `before`, relative to `before`; 0 where that is all zeros.

    Of large tensors evenly spread entries are compared; all, where those are zeros. Where all entries lie at the lower
    end of their format, with few digits left, nothing can be said: 0 then, too.
    """
    if before.shape != after.shape:
        return 0.0
    exact = torch.complex128 if before.is_complex() else torch.float64
    before, after = before.flatten(), after.flatten()
    for step in (max(before.numel() // _SAMPLE, 1), 1):
        one, other = before[::step], after[::step]
        if one.dtype is torch.float32 and _PRECISE < (size := float(torch.linalg.vector_norm(one))) < math.inf:
            return float(torch.linalg.vector_norm(torch.sub(other, one, alpha=scale))) / scale / size
        one, other = one.to(exact), other.to(exact)
        size = float(one.norm())
        if size and _is_coarse(one, before.dtype):
            return 0.0
        if size:
            return float((other / scale - one).norm()) / size if math.isfinite(size) else 0.0
    return 0.0


def _is_coarse(exact: torch.Tensor, format: torch.dtype) -> bool:
    return float(exact.abs().max()) < _COARSE * torch.finfo(format).tiny
