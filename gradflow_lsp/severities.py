"""How loud a report is: the user's `severity` settings laid over it, and what is at or above a level."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import cast

from gradflow_lsp.annotate.annotations import LOUDEST_FIRST, quieter
from gradflow_lsp.probe.report import DIAGNOSTIC_CODES, Finding, ParameterReport, ProbeReport, Severity

LOUDNESS: dict[Severity | None, int] = {severity: rank for rank, severity in enumerate((*LOUDEST_FIRST, None))}
"""The rank of each severity, 0 the loudest; `None` stands for what is not shown."""


def as_set(report: ProbeReport, levels: Mapping[str, str]) -> ProbeReport:
    """Return the report with its severities as the user set them, by code; `off` hides.

    What the report lowered to information (a planned zero, say) is never made louder again.
    """
    parameters = []
    for parameter in report.parameters:
        level = levels.get(DIAGNOSTIC_CODES.get(parameter.verdict, ""))
        parameters.append(_parameter_as_set(parameter, level) if level and parameter.severity else parameter)
    findings = [
        dataclasses.replace(finding, severity=cast("Severity", levels.get(finding.code, finding.severity)))
        for finding in report.findings
        if levels.get(finding.code) != "off"
    ]
    return dataclasses.replace(report, parameters=parameters, findings=findings)


def reaches(report: ProbeReport, level: Severity) -> bool:
    """Return whether anything in the report is at or above `level`; frozen parameters never count."""
    judged = [parameter for parameter in report.parameters if parameter.verdict != "frozen"]
    return any(LOUDNESS[item.severity] <= LOUDNESS[level] for item in _all(judged, report.findings))


def _all(parameters: list[ParameterReport], findings: list[Finding]) -> list[ParameterReport | Finding]:
    return [*parameters, *findings]


def _parameter_as_set(parameter: ParameterReport, level: str) -> ParameterReport:
    severity = None if level == "off" else cast("Severity", level)
    lowered = parameter.severity == "information" and parameter.verdict != "frozen"
    if lowered and severity is not None:
        severity = quieter(severity, "information")
    return dataclasses.replace(parameter, severity=severity)
