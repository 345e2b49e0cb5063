"""One run: load the file, trace its probe, run one clean backward, judge, and explain what is wrong.

The healthy path is the probe itself and one backward, nothing more. Only where something is suspicious is the probe
called again to be looked at closely; where a gradient is zero or vanishing, once more with its parameters moved. What
the user's code raises ends in a report that says so; nothing is raised to the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import torch

from .assembling import assemble
from .backward import ParameterFacts, clean_backward, read_as_left
from .births import Births
from .calling import Probe
from .causes import find_causes
from .causes.evidence import Evidence
from .causes.registration import explain_unregistered, unregistered
from .clock import Clock
from .closer import look_closer, needs_a_closer_look
from .collecting import collecting
from .definitions import Definitions
from .eager import running_eagerly
from .extremes import Extremes
from .failures import describe, failed_report
from .findings import about_losses, slow_import
from .first_party import is_first_party
from .footing import UsersTurn
from .freezing import Freezes
from .loading import load
from .measuring import read_gradients
from .ops import Op
from .outcome import NonScalarLoss, Outcome, WrongReturn
from .own_backward import OwnBackwards
from .protocol import RunRequest, Stage
from .report import Finding, Location, ProbeReport
from .sites import SiteRecorder
from .syntax import return_of, whole_line
from .tracing import Tracer
from .verdicts import judge


def run(request: RunRequest, on_stage: Callable[[Stage], None]) -> ProbeReport:
    """Run one probe and report on it. `on_stage` is told of each stage as it begins."""
    with running_eagerly(), collecting(False):
        return _run(request, Clock(on_stage))


def _run(request: RunRequest, clock: Clock) -> ProbeReport:
    watch, turn = _Watch(request), UsersTurn()
    with watch.everything():
        clock.enter("import")
        try:
            with collecting(True), turn:
                module = load(request)
            probe = Probe(module, request, turn)
        except BaseException as error:
            return failed_report(request, describe(error, "import-error", None, request))
    clock.enter("probe")
    try:
        if request.replay:
            with watch.definitions_only():
                watch.tracer.begin_probe()
                evidence = watch.evidence(probe.call(watch.definitions), traced=False)
        else:
            evidence = watch.traced_call(probe, Extremes(), Births())
    except (WrongReturn, NonScalarLoss) as error:
        return _unusable(request, error)
    except BaseException as error:
        return failed_report(request, describe(error, "probe-raised", None, request))
    clock.enter("backward")
    try:
        evidence.facts, evidence.read_as_left = _backward(evidence, keep_graph=not request.replay)
    except BaseException as error:
        return failed_report(request, describe(error, "backward-failed", None, request))
    evidence.judgements = judge(evidence.facts)
    evidence.loss_values = {name: float(loss.detach()) for name, loss in evidence.outcome.losses.items()}
    evidence.other_gradients = read_gradients([leaf.grad for leaf in evidence.other_leaves])
    findings: list[Finding] = []
    if request.explain and needs_a_closer_look(evidence):
        clock.enter("explain")
        evidence, findings = look_closer(evidence, _Again(request, probe, watch))
    hidden = unregistered(evidence)
    causes = [*find_causes(evidence), *explain_unregistered(hidden)] if request.explain else []
    findings += about_losses(evidence, causes, lambda: _returned_at(request))
    report = assemble(request, evidence, causes, hidden, findings)
    report.seconds = clock.seconds()
    report.findings += slow_import(Path(request.path).name, report.seconds)
    return report


class _Watch:
    """All that looks on while the user's code runs."""

    def __init__(self, request: RunRequest) -> None:
        recorder = SiteRecorder(lambda path: is_first_party(path, request.roots))
        self.definitions = Definitions(recorder)
        self.tracer = Tracer(recorder)
        self._freezes = Freezes(recorder)
        self.backwards = OwnBackwards(recorder, self.definitions.all_parameters)
        self._location = whole_line(request.path, request.line)
        self.definitions.on_rewrap = self.tracer.rewrapped

    def definitions_only(self) -> ExitStack:
        """Watch what costs next to nothing: what is defined and frozen, and backwards; not every operation."""
        stack = ExitStack()
        for watcher in (self.definitions, self._freezes, self.backwards):
            stack.enter_context(watcher)
        return stack

    def everything(self) -> ExitStack:
        """Record every operation, too."""
        stack = self.definitions_only()
        stack.enter_context(self.tracer)
        return stack

    def traced_call(self, probe: Probe, extremes: Extremes | None, births: Births | None) -> Evidence:
        """Call the probe and record every operation. Raises what the user's code raises."""
        told = [each for each in (extremes, births) if each is not None]

        def look(op: Op, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
            for each in told:
                each(op, inputs, outputs)

        self.tracer.on_op = look if told else None
        with self.everything():
            self.tracer.begin_probe()
            evidence = self.evidence(probe.call(self.definitions), traced=True)
        evidence.extremes, evidence.births = extremes, births
        return evidence

    def evidence(self, outcome: Outcome, *, traced: bool) -> Evidence:
        """What is known of the call of the probe that gave `outcome`, before its backward."""
        return Evidence(
            outcome=outcome,
            definitions=self.definitions,
            tracer=self.tracer,
            traced=traced,
            ops=self.tracer.ops_of_call(),
            frozen_at=self._freezes.at,
            own_backwards=self.backwards.calls,
            probe_location=self._location,
        )


class _Again:
    """Calls the probe once more: `traced`, for a closer look, or under other definitions."""

    def __init__(self, request: RunRequest, probe: Probe, watch: _Watch) -> None:
        self.allowed = request.replay
        self._probe = probe
        self._watch = watch

    def traced(self, extremes: Extremes | None, births: Births | None) -> Evidence:
        """Call the probe and record every operation. Raises what the user's code raises."""
        self._watch.backwards.keeps_graph = True
        return self._watch.traced_call(self._probe, extremes, births)

    def under(self, definitions: Definitions) -> Outcome:
        """Call the probe with nothing but its definitions watched. Raises what the user's code raises."""
        with definitions, self._watch.backwards:
            return self._probe.call(definitions)


def _unusable(request: RunRequest, error: WrongReturn | NonScalarLoss) -> ProbeReport:
    kind = "wrong-return" if isinstance(error, WrongReturn) else "non-scalar-loss"
    failure = describe(error, kind, str(error), request)
    failure.location = _returned_at(request)
    failure.traceback = None
    return failed_report(request, failure)


def _returned_at(request: RunRequest) -> Location:
    return return_of(request.path, request.function) or whole_line(request.path, request.line)


def _backward(evidence: Evidence, keep_graph: bool) -> tuple[list[ParameterFacts], bool]:
    """Read the gradients of a clean backward; those of the probe's own where it ran one on a loss that it returns."""
    parameters, losses = evidence.outcome.parameters(), evidence.outcome.losses
    if any(backward.began_at(loss) for backward in evidence.own_backwards for loss in losses.values()):
        return read_as_left(parameters, losses), True
    left = [p.tensor.grad for p in parameters]
    try:
        return clean_backward(parameters, losses, keep_graph=keep_graph), False
    except RuntimeError:
        if not evidence.own_backwards and all(gradient is None for gradient in left):
            raise
        for parameter, gradient in zip(parameters, left, strict=True):  # the probe's own backward freed the graph
            parameter.tensor.grad = gradient
        return read_as_left(parameters, losses), True
