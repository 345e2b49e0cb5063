"""How loud things are: the user's `severity` settings laid over a report, and what is at or above a level."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import cast

from gradflow_lsp.probe.report import DIAGNOSTIC_CODES, Finding, ParameterReport, ProbeReport, Severity

LOUDEST_FIRST: tuple[Severity, ...] = ("error", "warning", "information", "hint")
LOUDNESS: dict[Severity | None, int] = {severity: rank for rank, severity in enumerate((*LOUDEST_FIRST, None))}
"""The rank of each severity, 0 the loudest; `None` stands for what is not shown."""


def as_set(report: ProbeReport, levels: Mapping[str, str]) -> ProbeReport:
    """Return the report with its severities as the user set them, by code; `off` hides.

    What the report lowered to information (a planned zero, say) is never made louder again.
    """
    findings = [
        dataclasses.replace(finding, severity=severity)
        for finding in report.findings
        if (severity := level(finding.code, finding.severity, levels))
    ]
    parameters = [dataclasses.replace(p, severity=_of_parameter(p, levels)) for p in report.parameters]
    return dataclasses.replace(report, parameters=parameters, findings=findings)


def level(code: str, default: Severity | None, levels: Mapping[str, str]) -> Severity | None:
    """Return how loud a code is where it is `default` by itself; `None` means not shown, whatever is set."""
    wanted = default and levels.get(code, default)
    return None if wanted == "off" else cast("Severity | None", wanted)


def loudest(items: Iterable[ParameterReport | Finding]) -> Severity | None:
    """Return the highest severity among some parts of a report; `None` where nothing is shown."""
    return min((item.severity for item in items), key=LOUDNESS.__getitem__, default=None)


def reaches(report: ProbeReport, level: Severity) -> bool:
    """Return whether anything in the report is at or above `level`; frozen parameters never count."""
    judged = [parameter for parameter in report.parameters if parameter.verdict != "frozen"]
    return LOUDNESS[loudest([*judged, *report.findings])] <= LOUDNESS[level]


def _of_parameter(parameter: ParameterReport, levels: Mapping[str, str]) -> Severity | None:
    code = DIAGNOSTIC_CODES.get(parameter.verdict)
    if code is None or parameter.severity is None:
        return None
    severity = level(code, parameter.severity, levels)
    lowered = parameter.severity == "information" and parameter.verdict != "frozen"
    return max(severity, "information", key=LOUDNESS.__getitem__) if severity and lowered else severity
