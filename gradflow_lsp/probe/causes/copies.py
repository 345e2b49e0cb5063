"""Copies that a package keeps beside what learns: target and momentum networks, which no gradient is meant to reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch

from ..backward import ParameterFacts
from .evidence import Evidence

_NEAR = 0.1
"""A copy that follows is within this share of the original's size; two weights drawn apart differ by 1.4 of it."""

_SAMPLE = 64


def kept_copies(evidence: Evidence, missing: Iterable[ParameterFacts]) -> set[str]:
    """Which of these missing parameters repeat a module that learns, entry by entry, and give nothing to it.

    A layer in a stack of clones repeats the next one, too, but hands its result on to it.
    """
    lost = {fact.name: fact for fact in missing if not fact.is_lazy and not fact.tensor.is_meta}
    if not lost or not evidence.traced:
        return set()
    live = {fact.name: fact for fact in evidence.facts if fact.gradient is not None}
    found: set[str] = set()
    for copy, original in _stems(lost, live):
        pairs = {
            name: other
            for name, fact in lost.items()
            if name.startswith(copy)
            and (other := live.get(original + name[len(copy) :])) is not None
            and other.tensor.shape == fact.tensor.shape
        }
        repeats = all(_is_near(lost[name], other) for name, other in pairs.items() if other.dimensions >= 2)
        if repeats and not _feeds(evidence, [lost[name] for name in pairs], pairs.values()):
            found.update(pairs)
    return found


def _stems(lost: dict[str, ParameterFacts], live: dict[str, ParameterFacts]) -> set[tuple[str, str]]:
    """Where the names of a missing and of a learning weight with the same values part: the beginnings of both."""
    alike: defaultdict[torch.Size, list[ParameterFacts]] = defaultdict(list)
    for fact in live.values():
        alike[fact.tensor.shape].append(fact)
    weights = [fact for fact in lost.values() if fact.dimensions >= 2]
    return {
        _parted(fact.name, other.name)
        for fact in weights
        if not _is_constant(fact.tensor)
        for other in alike[fact.tensor.shape]
        if _is_near(fact, other)
    }


def _is_near(fact: ParameterFacts, other: ParameterFacts) -> bool:
    one, two = fact.tensor.detach().flatten(), other.tensor.detach().flatten()
    return all(
        bool(torch.linalg.vector_norm(one[:size] - two[:size]) <= _NEAR * torch.linalg.vector_norm(two[:size]))
        for size in (_SAMPLE, len(two))
    )


def _is_constant(tensor: torch.Tensor) -> bool:
    """Whether all values are the same, as others may have them by chance."""
    return not bool((tensor != tensor.flatten()[:1]).any())


def _parted(name: str, other: str) -> tuple[str, str]:
    """What is left of two paths without the end that they share."""
    parts, others = name.split("."), other.split(".")
    while parts and others and parts[-1] == others[-1]:
        parts.pop()
        others.pop()
    return ".".join(parts), ".".join(others)


def _feeds(evidence: Evidence, copies: Iterable[ParameterFacts], originals: Iterable[ParameterFacts]) -> bool:
    """Whether what is computed from the copies goes into an operation on the originals."""
    flow, find = evidence.flow, evidence.tracer.tokens.find
    after = flow.downstream(token for fact in copies if (token := find(fact.tensor)) is not None)
    tokens = [token for fact in originals if (token := find(fact.tensor)) is not None]
    reading = (op for token in tokens for op in flow.uses(token) if flow.sources.isdisjoint(op.outputs))
    return any(not after.isdisjoint(op.inputs) for op in reading)
