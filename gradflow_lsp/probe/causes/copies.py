"""Copies that a package keeps beside what learns: target and momentum networks, which no gradient is meant to reach."""

from __future__ import annotations

from collections import defaultdict

import torch

from ..backward import ParameterFacts
from .evidence import Evidence


def kept_copies(evidence: Evidence) -> set[str]:
    """The missing parameters that repeat, entry by entry, those of a module that learns and that gets nothing of them.

    A layer in a stack of clones repeats the next one, too, but hands its result on to it.
    """
    lost = {fact.name: fact for fact in evidence.with_verdict("missing") if evidence.definition(fact).in_package}
    if not lost or not evidence.traced:
        return set()
    live = {fact.name: fact for fact in evidence.facts if fact.gradient is not None}
    found: set[str] = set()
    for copy, original in _stems(lost, live):
        pairs = {
            name: live[original + name[len(copy) :]]
            for name in lost
            if name.startswith(copy) and original + name[len(copy) :] in live
        }
        same = {name: other for name, other in pairs.items() if torch.equal(lost[name].tensor, other.tensor)}
        if not _feeds(evidence, [lost[name] for name in same], list(same.values())):
            found.update(same)
    return found


def _stems(lost: dict[str, ParameterFacts], live: dict[str, ParameterFacts]) -> set[tuple[str, str]]:
    """Where the names of a missing and of a learning parameter with the same values part: the beginnings of both."""
    alike: defaultdict[object, list[ParameterFacts]] = defaultdict(list)
    for fact in live.values():
        alike[fact.tensor.shape, fact.tensor.dtype].append(fact)
    stems = set()
    for fact in lost.values():
        tensor = fact.tensor
        if fact.is_lazy or tensor.is_meta or not _is_telling(tensor):
            continue
        for other in alike[tensor.shape, tensor.dtype]:
            if torch.equal(tensor, other.tensor):
                stems.add(_parted(fact.name, other.name))
    return stems


def _is_telling(tensor: torch.Tensor) -> bool:
    """Whether a tensor's values are no mere constant, which others may hold by chance."""
    return bool((tensor != tensor.flatten()[:1]).any())


def _parted(name: str, other: str) -> tuple[str, str]:
    """What is left of two paths without the end that they share."""
    parts, others = name.split("."), other.split(".")
    while parts and others and parts[-1] == others[-1]:
        parts.pop()
        others.pop()
    return ".".join(parts), ".".join(others)


def _feeds(evidence: Evidence, copies: list[ParameterFacts], originals: list[ParameterFacts]) -> bool:
    """Whether what is computed from the copies goes into an operation on the originals."""
    flow, find = evidence.flow, evidence.tracer.tokens.find
    after = flow.downstream(token for fact in copies if (token := find(fact.tensor)) is not None)
    tokens = [token for fact in originals if (token := find(fact.tensor)) is not None]
    reading = (op for token in tokens for op in flow.uses(token) if flow.sources.isdisjoint(op.outputs))
    return any(not after.isdisjoint(op.inputs) for op in reading)
