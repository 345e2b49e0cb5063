"""A report as the user is to see it: its severities as the settings and the comments in the source have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gradflow_lsp.annotate.hidden import NOTHING, Hidden
from gradflow_lsp.probe.report import Cause, ParameterReport, ProbeReport, Severity
from gradflow_lsp.severities import as_set, level, loudest


@dataclass(frozen=True)
class View:
    """A report with its severities as shown, how loud each cause is on its own line, and what comments hide."""

    report: ProbeReport
    causes: tuple[Severity | None, ...]
    hidden: Hidden = NOTHING

    @classmethod
    def of(cls, report: ProbeReport, hidden: Hidden = NOTHING, severities: Mapping[str, str] = {}) -> View:
        """Lay comments and settings over a report; `severities` maps a code or kind to a severity or `off`."""
        report = as_set(hidden.applied_to(report), severities)
        loud = [level(c.kind, loudest(explained(report, c)), severities) for c in report.causes]
        return cls(report, tuple(None if index in hidden.causes else each for index, each in enumerate(loud)), hidden)

    def shown_causes(self) -> list[tuple[Cause, Severity]]:
        """Return the causes that are shown, in the report's order, and how loud each is."""
        return [(c, severity) for c, severity in zip(self.report.causes, self.causes, strict=True) if severity]

    def label(self, parameter: ParameterReport) -> str:
        """Return the verdict, marked where it is less loud than is usual for it."""
        lowered = parameter.severity in ("information", "hint") and parameter.verdict != "frozen"
        return f"{parameter.verdict} (info)" if lowered else self.hidden.label(parameter)

    def explained(self, cause: Cause) -> list[ParameterReport]:
        """Return the parameters that a cause explains and that are shown."""
        return [p for p in explained(self.report, cause) if p.severity is not None]


def explained(report: ProbeReport, cause: Cause) -> list[ParameterReport]:
    """Return the parameters that a cause explains, in the report's order."""
    names = {*cause.parameters}
    return [p for p in report.parameters if p.name in names]
