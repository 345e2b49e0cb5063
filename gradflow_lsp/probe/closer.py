"""The closer look at what is suspicious: the probe once more, with every node of its backward watched.

What fails here costs explanations, and no verdict.
"""

from __future__ import annotations

import traceback
from typing import Protocol

import torch

from .backward import is_finite
from .births import Births
from .causes.evidence import Evidence
from .definitions import Definitions
from .explaining import explain
from .extremes import Extremes
from .findings import not_confirmed
from .ops import Op
from .outcome import Outcome
from .replaying import NotReplayed, wake
from .report import Finding
from .tracing import OnOp
from .verdicts import judge, suspicious


class Again(Protocol):
    """How to call the probe once more, where that is allowed."""

    allowed: bool

    def traced(self, on_op: OnOp) -> Evidence:
        """Call it under the tracer and keep the graph."""

    def under(self, definitions: Definitions) -> Outcome:
        """Call it with nothing but its definitions watched."""


def needs_a_closer_look(evidence: Evidence) -> bool:
    """Whether one more call of the probe, or one more backward, could say more than the first."""
    untraced = evidence.tracer.given_up and any(judgement.bad for judgement in evidence.judgements.values())
    return untraced or bool(suspicious(evidence.facts, evidence.judgements)) or not _finite(evidence)


def look_closer(evidence: Evidence, again: Again) -> tuple[Evidence, list[Finding]]:
    """Watch a second backward, of a new call of the probe where that is allowed, and test zeros by moving parameters.

    Returns the evidence to go on with (that of the new call, if it showed the same) and what could not be confirmed.
    """
    findings: list[Finding] = []
    if again.allowed:
        try:
            evidence = _seen_again(evidence, again)
        except (Exception, SystemExit) as error:
            reason = str(error) if isinstance(error, NotReplayed) else f"calling it again raised {type(error).__name__}"
            return evidence, [not_confirmed(reason, evidence.probe_location)]
    try:
        if watched := suspicious(evidence.facts, evidence.judgements):
            evidence.explained = explain(evidence.graph, evidence.outcome.losses, evidence.facts, watched)
            evidence.judgements = judge(evidence.facts, evidence.explained)
    except Exception:  # a graph that cannot be walked twice, for one
        traceback.print_exc()
    asleep = [fact.name for verdict in ("zero", "vanishing") for fact in evidence.with_verdict(verdict)]
    if asleep and again.allowed:
        try:
            evidence.awake = wake(evidence.facts, asleep, evidence.definitions, again.under)
        except NotReplayed as error:
            findings.append(not_confirmed(str(error), evidence.probe_location))
    return evidence, findings


def _seen_again(first: Evidence, again: Again) -> Evidence:
    """Call the probe again; where NaN or Inf turned up, look at every result. Raises `NotReplayed`."""
    births = Births() if first.with_verdict("nonfinite") or not _finite(first) else None
    extremes = Extremes()

    def look(op: Op, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        extremes(op, inputs, outputs)
        if births is not None:
            births(op, inputs, outputs)

    second = again.traced(look)
    second.births, second.extremes = births, extremes
    if set(second.judgements) != set(first.judgements):
        raise NotReplayed("a second call of the probe built a model with other parameters")
    if any(second.judgements[name].verdict != judgement.verdict for name, judgement in first.judgements.items()):
        raise NotReplayed("a second call of the probe gave other verdicts, although the seed was the same")
    return second


def _finite(evidence: Evidence) -> bool:
    return all(map(is_finite, evidence.outcome.losses.values()))
