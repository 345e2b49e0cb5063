"""Where the things of a report lie, in the text as it was or as it is now."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradflow_lsp.probe.report import Cause, Location, ParameterReport, ProbeReport

Place = Callable[[Location], Location | None]
"""Says where a location of a report lies in the text as it is now; `None` when what it covered was changed."""

SAID_ONCE = {"frozen", "not-called"}
"""Kinds whose cause stands for all that it explains: the layers' own lines keep silent."""


def unmoved(location: Location) -> Location:
    """Return the location as it is: the place of everything in a text that nobody has edited."""
    return location


def probe_location(report: ProbeReport) -> Location:
    """Return the range of the probe's name in its `def` line."""
    column = len("def ")
    return Location(report.path, report.line, column, report.line, column + len(report.function))


def locations(report: ProbeReport) -> Iterator[Location]:
    """Yield every location in a report."""
    yield probe_location(report)
    yield from (finding.location for finding in report.findings if finding.location)
    if report.error and report.error.location:
        yield report.error.location
    items: tuple[ParameterReport | Cause, ...] = (*report.parameters, *report.causes)
    for item in items:
        if item.location:
            yield item.location
        yield from (related.location for related in item.related)
