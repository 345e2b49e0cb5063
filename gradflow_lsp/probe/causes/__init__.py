"""From verdicts to causes: one module a family, one function a verdict, and this table of all."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator

from .cuts import missing
from .evidence import Evidence, Explanation, merge
from .invariants import invariant
from .nonfinite import nonfinite
from .registration import frozen
from .sizes import exploding, vanishing
from .zeros import zero

FAMILIES: tuple[Callable[[Evidence], Iterator[Explanation]], ...] = (
    missing,
    zero,
    vanishing,
    exploding,
    nonfinite,
    frozen,
    invariant,
)
"""Every search for causes; each explains the parameters of one verdict."""

UNTRACED: tuple[Callable[[Evidence], Iterator[Explanation]], ...] = (frozen, invariant)
"""Those that need no trace of the operations."""


def find_causes(evidence: Evidence) -> list[Explanation]:
    """Explain every bad verdict that can be explained, most parameters first within a family.

    A search that fails costs its own explanations and nothing else. Without a trace little can be said.
    """
    found: list[Explanation] = []
    for family in FAMILIES if evidence.traced else UNTRACED:
        explanations: list[Explanation] = []
        try:
            explanations.extend(family(evidence))
        except Exception:  # a verdict stands even where its explanation fails; the run's output says so
            traceback.print_exc()
        found += explanations
    explained = {name for explanation in found for name in explanation.parameters}
    return merge([*found, *_unexplained(evidence, explained)])


def _unexplained(evidence: Evidence, explained: set[str]) -> Iterator[Explanation]:
    """Say honestly of what is left that no reason was found."""
    for fact in evidence.facts:
        if evidence.judgements[fact.name].bad and fact.name not in explained:
            message = "The reason for this gradient was not found."
            yield Explanation("unknown", message, evidence.definition(fact), [fact.name])
