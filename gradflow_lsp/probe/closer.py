"""The closer look at what is suspicious: the probe once more, traced, and every node of its backward watched.

What fails here costs explanations, and no verdict.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from typing import Protocol

import torch

from .backward import ParameterFacts, as_before, clean_backward, is_finite, read_as_left
from .births import Births
from .causes.evidence import Evidence
from .causes.registration import unseen_leaves
from .definitions import Definitions
from .explaining import SCALE, SCALE_UP, Explained, changes, changes_when_scaled, explain, gradients_of
from .extremes import Extremes
from .findings import not_confirmed
from .outcome import Outcome
from .replaying import NotReplayed, wake
from .report import Finding
from .verdicts import Judgement, judge, mechanical, suspicious, watched


class Again(Protocol):
    """How to call the probe once more, where that is allowed."""

    allowed: bool

    def traced(self, extremes: Extremes | None, births: Births | None) -> Evidence:
        """Call it under the tracer, which these are told of; and run no backward yet."""

    def under(self, definitions: Definitions) -> Outcome:
        """Call it with nothing but its definitions watched."""


def needs_a_closer_look(evidence: Evidence) -> bool:
    """Whether one more call of the probe, or one more backward, could say more than the first."""
    if suspicious(evidence.facts, evidence.judgements) or not _finite(evidence):
        return True
    bad = any(judgement.bad for judgement in evidence.judgements.values())
    return not evidence.traced and (bad or unseen_leaves(evidence))


def look_closer(first: Evidence, again: Again) -> tuple[Evidence, list[Finding]]:
    """Watch a second backward, of a new call of the probe where that is allowed, and test zeros by moving parameters.

    Returns the evidence to go on with (that of the new call, if it showed the same) and what could not be confirmed.
    """
    try:
        seen = _seen_again(first, again) if again.allowed else _differentiated(first, first, _gradients_watched(first))
    except (Exception, SystemExit) as error:
        if not again.allowed:
            traceback.print_exc()
            return first, []
        reason = str(error) if isinstance(error, NotReplayed) else f"it raised {type(error).__name__}"
        return first, [not_confirmed(reason, first.probe_location)]
    asleep = [fact.name for verdict in ("zero", "vanishing") for fact in seen.with_verdict(verdict)]
    if asleep and again.allowed:
        try:
            seen.awake = wake(seen.facts, asleep, seen.definitions, again.under)
        except NotReplayed as error:
            return seen, [not_confirmed(str(error), seen.probe_location)]
    return seen, []


def _seen_again(first: Evidence, again: Again) -> Evidence:
    """Call the probe again; where NaN or Inf turned up, look at every result. Raises `NotReplayed`."""
    births = Births() if first.with_verdict("nonfinite") or not _finite(first) else None
    before = _gradients_watched(first)
    for fact in first.facts:
        fact.tensor.grad = None  # to be as it was, and to let go of the memory
    second = again.traced(Extremes() if before else None, births)  # where gradients are only missing, nothing is dead
    if {parameter.name for parameter in second.outcome.parameters()} != set(first.judgements):
        raise NotReplayed("it built a model with other parameters")
    return _differentiated(first, second, before)


def _gradients_watched(evidence: Evidence) -> dict[str, torch.Tensor]:
    return gradients_of(watched(evidence.facts, evidence.judgements))


def _differentiated(first: Evidence, second: Evidence, before: Mapping[str, torch.Tensor]) -> Evidence:
    """Complete the second evidence by its backward, watched where there is something to see. Raises `NotReplayed`."""
    facts, explained = _watched_backward(first, second, before)
    if second is not first and _differs(first, facts):
        raise NotReplayed("it gave other verdicts, although the seed was the same")
    earlier = {fact.name: fact for fact in first.facts}
    for fact in facts:  # what is reported is the first backward, which nothing scaled
        same = earlier[fact.name]
        fact.gradient, fact.by_loss, fact.weight_norm = same.gradient, same.by_loss, same.weight_norm
    second.loss_values, second.other_gradients = first.loss_values, first.other_gradients
    second.facts, second.explained, second.read_as_left = facts, explained, first.read_as_left
    second.judgements = judge(facts, explained)
    return second


def _watched_backward(
    first: Evidence, second: Evidence, before: Mapping[str, torch.Tensor]
) -> tuple[list[ParameterFacts], Explained | None]:
    parameters, losses = second.outcome.parameters(), second.outcome.losses
    if first.read_as_left and second is first:  # its graph is gone
        return read_as_left(parameters, losses), None
    if not before:
        known = as_before(parameters, losses, first.facts)
        return (clean_backward(parameters, losses, keep_graph=False) if known is None else known), None
    explained = Explained()
    scale = SCALE_UP if first.with_verdict("nonfinite") or not _finite(first) else SCALE
    try:
        hooked = {id(node) for node, _ in second.tracer.hooked}
        facts = explain(explained, second.graph, parameters, losses, before, scale, earlier=first.facts, hooked=hooked)
    except Exception:  # a node that cannot be watched, for one
        traceback.print_exc()
        return clean_backward(parameters, losses, keep_graph=True), None
    asked = [fact for fact in facts if fact.name in before]
    if _same_losses(first, second) and not first.read_as_left:
        explained.changes = changes(before, gradients_of(asked), scale)
    else:  # other data, or a sum over several backwards: gradients that cannot be compared
        explained.changes = changes_when_scaled(losses, facts, asked)
    return facts, explained


def _differs(first: Evidence, facts: Sequence[ParameterFacts]) -> bool:
    """Whether gradients are there, zero or not finite other than before.

    A size may change, and noise become zero; and where something overflowed, the loss is scaled up, so more may.
    """
    now = {fact.name: mechanical(fact) for fact in facts}
    changed = {fact.name for fact in first.facts if mechanical(fact) != now[fact.name]}
    if first.with_verdict("nonfinite"):
        changed -= {fact.name for fact in first.facts if (mechanical(fact), now[fact.name]) == ("healthy", "nonfinite")}
    if not changed:
        return False
    tiny = _tiny(first.facts, first.judgements) + _tiny(facts, judge(facts))
    excused = {fact.name for fact in tiny if {mechanical(fact), "zero"} == {"healthy", "zero"}}
    return bool(changed - excused)


def _tiny(facts: Sequence[ParameterFacts], judgements: Mapping[str, Judgement]) -> list[ParameterFacts]:
    """What is small enough to be noise, and what is known to be."""
    return suspicious(facts, judgements) + [fact for fact in facts if judgements[fact.name].invariant]


def _same_losses(first: Evidence, second: Evidence) -> bool:
    pairs = zip(first.outcome.losses.values(), second.outcome.losses.values(), strict=True)
    return all(torch.equal(one.detach(), other.detach()) for one, other in pairs)


def _finite(evidence: Evidence) -> bool:
    return all(map(is_finite, evidence.outcome.losses.values()))
