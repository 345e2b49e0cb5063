"""One run: load the file, trace its probe, run one clean backward, judge, and explain what is wrong.

The healthy path is the probe itself and one backward. Only where something is suspicious does a second backward look
closer, and only where a gradient is zero or vanishing may the probe be called again. What the user's code raises ends
in a report that says so; nothing is raised to the caller.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable

from .assembling import assemble
from .backward import ParameterFacts, clean_backward, is_finite, read_as_left
from .births import find_births
from .calling import Probe
from .causes import find_causes
from .causes.evidence import Evidence
from .causes.registration import explain_unregistered, unregistered
from .clock import Clock
from .definitions import Definitions
from .explaining import explain
from .failures import describe, failed_report
from .findings import about_losses, not_confirmed
from .first_party import is_first_party
from .flow import Flow
from .graph import Graph
from .loading import load
from .outcome import NonScalarLoss, Outcome, WrongReturn
from .protocol import RunRequest, Stage
from .replaying import NotReplayed, wake
from .report import Finding, ProbeReport
from .sites import SiteRecorder
from .syntax import return_of, whole_line
from .tracing import Tracer
from .verdicts import judge, suspicious


def run(request: RunRequest, on_stage: Callable[[Stage], None]) -> ProbeReport:
    """Run one probe and report on it. `on_stage` is told of each stage as it begins."""
    clock = Clock(on_stage)
    recorder = SiteRecorder(lambda path: is_first_party(path, request.roots))
    definitions, tracer = Definitions(recorder), Tracer(recorder)
    definitions.on_rewrap = tracer.rewrapped
    with definitions, tracer:
        clock.enter("import")
        try:
            probe = Probe(load(request), request)
        except BaseException as error:
            return failed_report(request, describe(error, "import-error", None, request))
        clock.enter("probe")
        try:
            outcome = probe.call(definitions)
        except (WrongReturn, NonScalarLoss) as error:
            return _unusable(request, error)
        except BaseException as error:
            return failed_report(request, describe(error, "probe-raised", None, request))
    clock.enter("backward")
    try:
        facts, as_left = _backward(outcome, tracer)
    except BaseException as error:
        return failed_report(request, describe(error, "backward-failed", None, request))
    evidence = _gather(request, outcome, facts, definitions, tracer)
    evidence.read_as_left = as_left
    findings = _look_closer(evidence, probe, request.replay, clock)
    hidden = unregistered(evidence)
    causes = [*find_causes(evidence), *explain_unregistered(hidden)]
    findings += about_losses(evidence, causes, return_of(request.path, request.function) or evidence.probe_location)
    report = assemble(request, evidence, causes, hidden, findings)
    report.seconds = clock.seconds()
    return report


def _unusable(request: RunRequest, error: WrongReturn | NonScalarLoss) -> ProbeReport:
    kind = "wrong-return" if isinstance(error, WrongReturn) else "non-scalar-loss"
    failure = describe(error, kind, str(error), request)
    failure.location = return_of(request.path, request.function) or whole_line(request.path, request.line)
    failure.traceback = None
    return failed_report(request, failure)


def _backward(outcome: Outcome, tracer: Tracer) -> tuple[list[ParameterFacts], bool]:
    """Read the gradients of a clean backward; those of the probe's own where it ran one on a loss that it returns."""
    parameters = outcome.parameters()
    losses = {tracer.tokens.find(loss) for loss in outcome.losses.values()}
    if any(losses & set(backward.roots) for backward in tracer.backwards):
        return read_as_left(parameters, outcome.losses), True
    left = [p.tensor.grad for p in parameters]
    try:
        return clean_backward(parameters, outcome.losses), False
    except RuntimeError:
        if not tracer.backwards:
            raise
        for parameter, gradient in zip(parameters, left, strict=True):  # the probe's own backward freed the graph
            parameter.tensor.grad = gradient
        return read_as_left(parameters, outcome.losses), True


def _gather(
    request: RunRequest, outcome: Outcome, facts: list[ParameterFacts], definitions: Definitions, tracer: Tracer
) -> Evidence:
    find = tracer.tokens.find
    losses = [token for loss in outcome.losses.values() if (token := find(loss)) is not None]
    sources = [token for parameter in definitions.all_parameters() if (token := find(parameter)) is not None]
    return Evidence(
        outcome=outcome,
        facts=facts,
        judgements=judge(facts),
        definitions=definitions,
        tracer=tracer,
        flow=Flow(tracer.ops, losses, sources),
        graph=Graph(outcome.losses.values(), tracer.ops),
        probe_location=whole_line(request.path, request.line),
    )


def _look_closer(evidence: Evidence, probe: Probe, replay: bool, clock: Clock) -> list[Finding]:
    """Spend a second backward on what is suspicious, and a replay on zeros; what fails here costs no verdict."""
    watched = suspicious(evidence.facts, evidence.judgements)
    finite = all(map(is_finite, evidence.outcome.losses.values()))
    if evidence.read_as_left or (finite and not watched):
        return []
    clock.enter("explain")
    try:
        evidence.explained = explain(evidence.graph, evidence.outcome.losses, evidence.facts, watched)
        evidence.judgements = judge(evidence.facts, evidence.explained)
    except Exception:
        traceback.print_exc()
    return _replay(evidence, probe) if replay else []


def _replay(evidence: Evidence, probe: Probe) -> list[Finding]:
    """Call the probe again where that can tell a planned zero from a stuck one, or where NaN or Inf was born."""

    def call(definitions: Definitions) -> Outcome:
        with definitions:
            return probe.call(definitions)

    if evidence.with_verdict("nonfinite") or not all(map(is_finite, evidence.outcome.losses.values())):
        evidence.births = find_births(call)
    asleep = [fact.name for verdict in ("zero", "vanishing") for fact in evidence.with_verdict(verdict)]
    try:
        evidence.awake = wake(evidence.facts, asleep, evidence.definitions, call) if asleep else None
    except NotReplayed as error:
        return [not_confirmed(len(asleep), str(error), evidence.probe_location)]
    return []
