"""One run: load the file, trace its probe, run one clean backward, judge, and explain what is wrong.

The healthy path is the probe itself and one backward, nothing more. Only where something is suspicious is the probe
called again to be looked at closely; where a gradient is zero or vanishing, once more with its parameters moved. What
the user's code raises ends in a report that says so; nothing is raised to the caller.
"""

from __future__ import annotations

from collections.abc import Callable

from .assembling import assemble
from .backward import ParameterFacts, clean_backward, read_as_left
from .calling import Probe
from .causes import find_causes
from .causes.evidence import Evidence
from .causes.registration import explain_unregistered, unregistered
from .clock import Clock
from .closer import look_closer, needs_a_closer_look
from .definitions import Definitions
from .failures import describe, failed_report
from .findings import about_losses
from .first_party import is_first_party
from .flow import Flow
from .graph import Graph
from .loading import load
from .outcome import NonScalarLoss, Outcome, WrongReturn
from .protocol import RunRequest, Stage
from .report import Finding, ProbeReport
from .sites import SiteRecorder
from .syntax import return_of, whole_line
from .tracing import OnOp, Tracer
from .verdicts import judge

_TRACED_AT_ONCE = 2000
"""Operations up to which the first call of a probe is traced (about 0.05 s); with more, only a second call is."""


def run(request: RunRequest, on_stage: Callable[[Stage], None]) -> ProbeReport:
    """Run one probe and report on it. `on_stage` is told of each stage as it begins."""
    clock = Clock(on_stage)
    recorder = SiteRecorder(lambda path: is_first_party(path, request.roots))
    definitions, tracer = Definitions(recorder), Tracer(recorder)
    definitions.on_rewrap, tracer.parameters = tracer.rewrapped, definitions.all_parameters
    with definitions, tracer:
        clock.enter("import")
        try:
            probe = Probe(load(request), request)
        except BaseException as error:
            return failed_report(request, describe(error, "import-error", None, request))
        clock.enter("probe")
        tracer.begin_probe(limit=_TRACED_AT_ONCE if request.replay else None)
        try:
            outcome = probe.call(definitions)
        except (WrongReturn, NonScalarLoss) as error:
            return _unusable(request, error)
        except BaseException as error:
            return failed_report(request, describe(error, "probe-raised", None, request))
    clock.enter("backward")
    try:
        evidence = _observed(request, outcome, definitions, tracer, keep_graph=not request.replay)
    except BaseException as error:
        return failed_report(request, describe(error, "backward-failed", None, request))
    del outcome
    findings: list[Finding] = []
    if not evidence.read_as_left and needs_a_closer_look(evidence):
        clock.enter("explain")
        evidence, findings = look_closer(evidence, _Again(request, probe, definitions, tracer))
    hidden = unregistered(evidence)
    causes = [*find_causes(evidence), *explain_unregistered(hidden)]
    findings += about_losses(evidence, causes, return_of(request.path, request.function) or evidence.probe_location)
    report = assemble(request, evidence, causes, hidden, findings)
    report.seconds = clock.seconds()
    return report


class _Again:
    """Calls the probe once more: `traced`, for a closer look, or under other definitions."""

    def __init__(self, request: RunRequest, probe: Probe, definitions: Definitions, tracer: Tracer) -> None:
        self.allowed = request.replay
        self._request = request
        self._probe = probe
        self._definitions = definitions
        self._tracer = tracer

    def traced(self, on_op: OnOp) -> Evidence:
        """Call the probe under the same tracer and keep the graph. Raises what the user's code raises."""
        self._tracer.on_op = on_op
        with self._definitions, self._tracer:
            self._tracer.begin_probe()
            outcome = self._probe.call(self._definitions)
        return _observed(self._request, outcome, self._definitions, self._tracer, keep_graph=True)

    def under(self, definitions: Definitions) -> Outcome:
        """Call the probe with nothing but its definitions watched. Raises what the user's code raises."""
        with definitions:
            return self._probe.call(definitions)


def _unusable(request: RunRequest, error: WrongReturn | NonScalarLoss) -> ProbeReport:
    kind = "wrong-return" if isinstance(error, WrongReturn) else "non-scalar-loss"
    failure = describe(error, kind, str(error), request)
    failure.location = return_of(request.path, request.function) or whole_line(request.path, request.line)
    failure.traceback = None
    return failed_report(request, failure)


def _observed(
    request: RunRequest, outcome: Outcome, definitions: Definitions, tracer: Tracer, keep_graph: bool
) -> Evidence:
    """Run the clean backward of one call's outcome and gather all that is known of it."""
    facts, as_left = _backward(outcome, tracer, keep_graph)
    ops, find = tracer.ops_of_call(), tracer.tokens.find
    losses = [token for loss in outcome.losses.values() if (token := find(loss)) is not None]
    sources = [token for parameter in definitions.all_parameters() if (token := find(parameter)) is not None]
    return Evidence(
        outcome=outcome,
        facts=facts,
        judgements=judge(facts),
        definitions=definitions,
        tracer=tracer,
        flow=Flow(ops, losses, sources),
        graph=Graph(outcome.losses.values(), ops),
        probe_location=whole_line(request.path, request.line),
        read_as_left=as_left,
    )


def _backward(outcome: Outcome, tracer: Tracer, keep_graph: bool) -> tuple[list[ParameterFacts], bool]:
    """Read the gradients of a clean backward; those of the probe's own where it ran one on a loss that it returns."""
    parameters = outcome.parameters()
    losses = {tracer.tokens.find(loss) for loss in outcome.losses.values()}
    if any(losses & set(backward.roots) for backward in tracer.backwards):
        return read_as_left(parameters, outcome.losses), True
    left = [p.tensor.grad for p in parameters]
    try:
        return clean_backward(parameters, outcome.losses, keep_graph=keep_graph), False
    except RuntimeError:
        if not tracer.backwards:
            raise
        for parameter, gradient in zip(parameters, left, strict=True):  # the probe's own backward freed the graph
            parameter.tensor.grad = gradient
        return read_as_left(parameters, outcome.losses), True
