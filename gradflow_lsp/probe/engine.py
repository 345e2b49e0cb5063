"""One run: load the file, trace its probe, run one clean backward, judge, and explain what is wrong.

The healthy path is the probe itself and one backward. Only where something is suspicious does a second backward look
closer. What the user's code raises ends in a report that says so; nothing is raised to the caller.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from types import ModuleType

import torch

from .assembling import assemble
from .backward import ParameterFacts, clean_backward, read_as_left
from .causes import find_causes
from .causes.evidence import Evidence, Explanation
from .causes.registration import explain_unregistered, unregistered
from .definitions import Definitions
from .explaining import explain
from .failures import describe, failed_report
from .findings import about_losses
from .first_party import is_first_party
from .flow import Flow
from .graph import Graph
from .isolation import seed_everything
from .loading import load
from .outcome import NamedParameter, NonScalarLoss, Outcome, WrongReturn, read_outcome
from .protocol import RunRequest, Stage
from .report import Location, ProbeReport, Seconds
from .sites import SiteRecorder
from .syntax import function_named, node_location, whole_line
from .tracing import Tracer
from .verdicts import judge, suspicious


def run(request: RunRequest, on_stage: Callable[[Stage], None]) -> ProbeReport:
    """Run one probe and report on it. `on_stage` is told of each stage as it begins."""
    clock = _Clock(on_stage)
    recorder = SiteRecorder(lambda path: is_first_party(path, request.roots))
    definitions, tracer = Definitions(recorder), Tracer(recorder)
    definitions.on_rewrap = tracer.rewrapped
    with definitions:
        clock.enter("import")
        try:
            module = load(request)
        except BaseException as error:
            return failed_report(request, describe(error, "import-error", None, request))
        clock.enter("probe")
        watched = _BackwardWatch(tracer, definitions)
        try:
            result = _call(module, request, tracer)
            outcome = read_outcome(result, definitions)
        except (WrongReturn, NonScalarLoss) as error:
            kind = "wrong-return" if isinstance(error, WrongReturn) else "non-scalar-loss"
            failure = describe(error, kind, str(error), request)
            failure.location, failure.traceback = return_location(request), None
            return failed_report(request, failure)
        except BaseException as error:
            return failed_report(request, describe(error, "probe-raised", None, request))
    clock.enter("backward")
    _reset_torch()
    parameters = outcome.parameters()
    try:
        facts = _backward(parameters, outcome, tracer)
        evidence = _gather(request, outcome, facts, definitions, tracer)
        watch = suspicious(facts, evidence.judgements)
        if watch and not tracer.backwards:
            clock.enter("explain")
            evidence.explained = explain(evidence.graph, outcome.losses, facts, watch)
            evidence.judgements = judge(facts, evidence.explained.changes)
    except BaseException as error:
        return failed_report(request, describe(error, "backward-failed", None, request))
    hidden = unregistered(evidence)
    causes: list[Explanation] = [*find_causes(evidence), *explain_unregistered(hidden)]
    findings = about_losses(evidence, causes, watched.accumulated, return_location(request))
    report = assemble(request, evidence, causes, hidden, findings)
    report.seconds = clock.stop()
    return report


def return_location(request: RunRequest) -> Location:
    """The probe's last `return`; its `def` line where there is none."""
    function = function_named(request.path, request.function)
    returns = [n for n in (function.body if function else []) for n in _returns(n)]
    return node_location(request.path, returns[-1]) if returns else whole_line(request.path, request.line)


def _returns(statement: object) -> list[object]:
    import ast

    assert isinstance(statement, ast.AST)
    return [node for node in ast.walk(statement) if isinstance(node, ast.Return)]


def _call(module: ModuleType, request: RunRequest, tracer: Tracer) -> object:
    probe = getattr(module, request.function, None)
    if not callable(probe):
        raise WrongReturn(f"{request.function} is not a function in this file any more.")
    available = {"seed": request.seed, "device": request.device}
    arguments = {name: available[name] for name in inspect.signature(probe).parameters if name in available}
    seed_everything(request.seed)
    with tracer:
        return probe(**arguments)


def _backward(parameters: list[NamedParameter], outcome: Outcome, tracer: Tracer) -> list[ParameterFacts]:
    if tracer.backwards:
        return read_as_left(parameters, outcome.losses)
    return clean_backward(parameters, outcome.losses)


def _gather(
    request: RunRequest, outcome: Outcome, facts: list[ParameterFacts], definitions: Definitions, tracer: Tracer
) -> Evidence:
    losses = [token for loss in outcome.losses.values() if (token := tracer.token(loss)) is not None]
    return Evidence(
        outcome=outcome,
        facts=facts,
        judgements=judge(facts),
        definitions=definitions,
        tracer=tracer,
        flow=Flow(tracer.ops, losses),
        graph=Graph(outcome.losses.values(), tracer.ops),
        probe_location=whole_line(request.path, request.line),
    )


def _reset_torch() -> None:
    """Undo what a probe may have left switched on or off and what would change the backward."""
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)


class _BackwardWatch:
    """Notices backward passes that the probe runs itself, and whether their gradients pile up."""

    def __init__(self, tracer: Tracer, definitions: Definitions) -> None:
        self.accumulated = False
        self._tracer = tracer
        self._definitions = definitions
        tracer.before_backward = self._look

    def _look(self) -> None:
        if self._tracer.backwards:
            gradients = (p.grad for module in self._definitions.modules() for p in module.parameters(recurse=False))
            self.accumulated = self.accumulated or any(g is not None and bool(g.count_nonzero()) for g in gradients)


class _Clock:
    """Times the stages of a run and tells of them."""

    def __init__(self, on_stage: Callable[[Stage], None]) -> None:
        self._on_stage = on_stage
        self._began = self._entered = time.perf_counter()
        self._stage: Stage | None = None
        self._spent: dict[str, float] = {}

    def enter(self, stage: Stage) -> None:
        self._leave()
        self._stage = stage
        self._on_stage(stage)

    def stop(self) -> Seconds:
        self._leave()
        self._stage = None
        spent = self._spent
        return Seconds(
            total=time.perf_counter() - self._began,
            import_=spent.get("import", 0.0),
            probe=spent.get("probe", 0.0),
            backward=spent.get("backward", 0.0),
            explain=spent.get("explain", 0.0),
        )

    def _leave(self) -> None:
        now = time.perf_counter()
        if self._stage is not None:
            self._spent[self._stage] = self._spent.get(self._stage, 0.0) + now - self._entered
        self._entered = now
