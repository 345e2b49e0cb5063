"""The explaining backward: with the losses scaled, watching what passes every node.

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
from .passages import Passage, Watcher

SCALE = 0.73
"""Not a power of two, so that rounding noise is drawn anew; below 1, so that what underflowed does so again."""

SCALE_UP = 1.37
"""The same where something overflowed."""

_SAMPLE = 1 << 16
_PRECISE = 1e-12
"""The least norm of a float32 gradient whose entries can be compared in float32."""
_COARSE = 100.0


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
    *,
    earlier: Sequence[ParameterFacts] = (),
    hooked: Container[int] = (),
) -> list[ParameterFacts]:
    """Run the scaled backward and return what it left; fill in what it showed on the ways to the names `watched`.

    `earlier` facts tell the sizes of weights, and of the gradients that are not watched; `hooked` are the ids of nodes
    that have hooks of the user's. The graph is kept, each `.grad` is that of the scaled losses. Raises what autograd
    raises.
    """
    asked = [parameter for parameter in parameters if parameter.name in watched]
    cancelling = Cancelling(graph, asked)
    nodes = graph.towards_loss(parameter.tensor for parameter in asked)
    watcher = Watcher(explained.passages, graph, nodes, hooked)
    try:
        facts = clean_backward(parameters, losses, keep_graph=True, scale=scale, earlier=earlier, reread=watched)
    finally:
        watcher.end()
        for handle in cancelling.handles:
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
