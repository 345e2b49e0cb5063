"""Facts, judgements and explanations put together into the report: names, locations, severities."""

from __future__ import annotations

import platform
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

import torch

from .backward import ParameterFacts
from .causes.copies import kept_copies
from .causes.evidence import Evidence, Explanation
from .causes.registration import Unregistered
from .protocol import RunRequest
from .report import Cause, Environment, Finding, ParameterReport, ProbeReport, Related, Severity, Verdict
from .sources import loaded_sources

_SEVERITIES: dict[Verdict, Severity | None] = {
    "healthy": None,
    "missing": "warning",
    "zero": "warning",
    "vanishing": "warning",
    "exploding": "warning",
    "nonfinite": "error",
    "unregistered": "warning",
    "frozen": "information",
    "reached": None,
}


def assemble(
    request: RunRequest,
    evidence: Evidence,
    causes: Sequence[Explanation],
    hidden: Sequence[Unregistered],
    findings: list[Finding],
) -> ProbeReport:
    """Write the report of a run that went through."""
    without_graph = any(f.code == "loss-without-graph" for f in findings)
    explained_by: defaultdict[str, list[int]] = defaultdict(list)
    for index, cause in enumerate(causes):
        for name in cause.parameters:
            explained_by[name].append(index)
    parameters = []
    for fact in evidence.facts:
        mine = [causes[index] for index in explained_by.get(fact.name, ())]
        parameters.append(_parameter(evidence, fact, mine, without_graph))
    _excuse_copies(evidence, parameters)
    parameters += [_unregistered(item) for item in hidden]
    for parameter in parameters:
        parameter.causes = explained_by.get(parameter.name, [])
    return ProbeReport(
        path=request.path,
        function=request.function,
        line=request.line,
        status="ok",
        mode=request.mode,
        losses=dict(evidence.loss_values),
        findings=findings,
        environment=Environment(platform.python_version(), torch.__version__, request.device, sys.executable),
        sources=loaded_sources(request, _files_of(parameters, causes)),
        parameters=parameters,
        causes=[Cause(c.kind, c.message, c.parameters, c.location, c.related) for c in causes],
    )


def _files_of(parameters: Iterable[ParameterReport], causes: Iterable[Explanation]) -> list[str]:
    """The files in which something was defined, or is a cause."""
    locations = [*(parameter.location for parameter in parameters), *(cause.location for cause in causes)]
    return [location.path for location in locations if location]


def _parameter(
    evidence: Evidence, fact: ParameterFacts, causes: Sequence[Explanation], without_graph: bool
) -> ParameterReport:
    judgement, tensor, gradient = evidence.judgements[fact.name], fact.tensor, fact.gradient
    defined = evidence.definition(fact)
    outer = None if defined.site is None or defined.site.outer is None else defined.site.outer.location()
    return ParameterReport(
        name=fact.name,
        module=fact.parameter.module,
        type=type(fact.parameter.owner).__name__,
        shape=[] if fact.is_lazy else list(tensor.shape),
        dtype=_name_of(tensor.dtype),
        verdict=judgement.verdict,
        severity=_severity(evidence, fact, causes, without_graph),
        grad_norm=None if gradient is None else gradient.norm,
        grad_norms={name: None if g is None else g.norm for name, g in fact.by_loss.items()},
        weight_norm=fact.weight_norm,
        zero_fraction=None if gradient is None else gradient.zero_fraction,
        location=defined.location,
        related=[] if outer is None else [Related("Built by this call.", outer)],
    )


@cache
def _name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _severity(
    evidence: Evidence, fact: ParameterFacts, causes: Sequence[Explanation], without_graph: bool
) -> Severity | None:
    """The severity that the verdict is shown with: lowered where the flow is as designed or out of the user's reach."""
    verdict = evidence.judgements[fact.name].verdict
    severity = _SEVERITIES[verdict]
    if verdict == "missing" and without_graph:
        return None
    if verdict in ("zero", "vanishing") and _is_planned(evidence, fact, causes):
        return "information"
    if (
        severity == "warning"
        and evidence.definition(fact).in_package
        and all(cause.place.in_package for cause in causes)
    ):
        return "information"
    return severity


def _excuse_copies(evidence: Evidence, parameters: Sequence[ParameterReport]) -> None:
    """Say with no more than information that no gradient reaches the copies that a package keeps of what learns."""
    reports = zip(evidence.facts, parameters, strict=True)
    blamed = [fact for fact, report in reports if (report.verdict, report.severity) == ("missing", "warning")]
    copies = kept_copies(evidence, [fact for fact in blamed if evidence.definition(fact).in_package])
    for report in parameters:
        if report.name in copies:
            report.severity = "information"


def _is_planned(evidence: Evidence, fact: ParameterFacts, causes: Sequence[Explanation]) -> bool:
    """Whether the gradient appears by itself: as a replay showed, else as its causes suggest."""
    if evidence.awake is not None:
        return fact.name in evidence.awake
    return bool(causes) and all(cause.planned for cause in causes)


def _unregistered(item: Unregistered) -> ParameterReport:
    tensor = item.tensor
    module, _, _ = item.name.rpartition(".")
    return ParameterReport(
        name=item.name,
        module=module,
        type=type(tensor).__name__,
        shape=list(tensor.shape),
        dtype=_name_of(tensor.dtype),
        verdict="unregistered",
        severity="warning",
        grad_norm=None if item.gradient is None else item.gradient.norm,
        weight_norm=float(tensor.detach().norm()),
        zero_fraction=None if item.gradient is None else item.gradient.zero_fraction,
        location=item.place.location,
    )
