"""What a report puts on which source range: one annotation for each range and code.

On a layer's definition stands what is wrong with its parameters; on a cause's expression what it starves; on the
probe's name whatever is true of the probe as a whole. `frozen` and `not-called` stand once only, on the cause's line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from gradflow_lsp.annotate import words
from gradflow_lsp.probe.report import (
    DIAGNOSTIC_CODES,
    Cause,
    Location,
    ParameterReport,
    ProbeReport,
    Related,
    Severity,
)

Place = Callable[[Location], Location | None]
"""Says where a location of a report lies in the text as it is now; `None` when what it covered was changed."""

LOUDEST_FIRST: tuple[Severity, ...] = ("error", "warning", "information", "hint")
SAID_ONCE = {"frozen", "not-called"}
"""Kinds whose cause stands for all that it explains: the layers' own lines keep silent."""

_RELATED_LAYERS = 10


@dataclass(frozen=True)
class Annotation:
    """One thing to show on one range of one file."""

    location: Location
    code: str
    severity: Severity
    message: str
    related: tuple[Related, ...] = ()
    parameters: tuple[str, ...] = ()
    """The names of the parameters that it is about; none where it is about the probe."""

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return self.location.path


def unmoved(location: Location) -> Location:
    """Return the location as it is: the place of everything in a text that nobody has edited."""
    return location


def probe_location(report: ProbeReport) -> Location:
    """Return the range of the probe's name in its `def` line."""
    column = len("def ")
    return Location(report.path, report.line, column, report.line, column + len(report.function))


def annotate(
    report: ProbeReport, severities: Mapping[str, str] = {}, *, place: Place = unmoved, stale: bool = False
) -> list[Annotation]:
    """Return the annotations of one report, by file and line.

    `severities` maps a code to a severity or `off`; `place` says where the report's locations lie by now, and `stale`
    that the code was edited since.
    """
    levels = _Levels(report, severities)
    annotations = [*_on_definitions(report, levels, place), *_on_causes(report, levels, place)]
    annotations += _on_probe(report, levels, place)
    if stale:
        annotations = [replace(a, message=words.stale(a.message)) for a in annotations]
    return merged(annotations)


def merged(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Return at most one annotation for each range and code, the loudest and fullest, by file and line."""
    best: dict[tuple[Location, str], Annotation] = {}
    for annotation in annotations:
        key = annotation.location, annotation.code
        if key not in best or _weight(annotation) > _weight(best[key]):
            best[key] = annotation
    return sorted(best.values(), key=lambda a: (a.path, a.location.line, a.location.column, a.code))


def _weight(annotation: Annotation) -> tuple[int, int]:
    return -LOUDEST_FIRST.index(annotation.severity), len(annotation.parameters)


class _Levels:
    """How loud each thing is shown, after the user's settings. What the report lowers, no setting raises."""

    def __init__(self, report: ProbeReport, severities: Mapping[str, str]) -> None:
        self._severities = severities
        self.parameters: dict[str, Severity] = {}
        for parameter in report.parameters:
            level = self._of_parameter(parameter)
            if level is not None:
                self.parameters[parameter.name] = level

    def _of_parameter(self, parameter: ParameterReport) -> Severity | None:
        code = DIAGNOSTIC_CODES.get(parameter.verdict)
        if code is None or parameter.severity is None:
            return None
        level = self.of_code(code, parameter.severity)
        lowered = parameter.severity == "information" and parameter.verdict != "frozen"
        return quieter(level, "information") if level is not None and lowered else level

    def of_code(self, code: str, default: Severity) -> Severity | None:
        """Return how loud a code is; `None` means not shown."""
        level = self._severities.get(code, default)
        return next((severity for severity in LOUDEST_FIRST if severity == level), None)

    def loudest(self, parameters: Iterable[ParameterReport]) -> Severity:
        """Return the highest severity among parameters that are shown."""
        return min((self.parameters[p.name] for p in parameters), key=LOUDEST_FIRST.index)


def quieter(one: Severity, other: Severity) -> Severity:
    """Return the lower of two severities."""
    return max(one, other, key=LOUDEST_FIRST.index)


def _on_definitions(report: ProbeReport, levels: _Levels, place: Place) -> Iterator[Annotation]:
    groups: dict[tuple[Location, str], list[ParameterReport]] = {}
    for parameter in report.parameters:
        kinds = {report.causes[index].kind for index in parameter.causes}
        at = place(parameter.location or probe_location(report))
        if parameter.name in levels.parameters and at is not None and not kinds & SAID_ONCE:
            groups.setdefault((at, DIAGNOSTIC_CODES[parameter.verdict]), []).append(parameter)
    for (at, code), parameters in groups.items():
        causes = list(placed_causes(report, parameters, place))
        related = [Related(cause.message, where) for cause, where in causes]
        related += [r for p in parameters for r in placed(p.related, place)]
        yield Annotation(
            location=at,
            code=code,
            severity=levels.loudest(parameters),
            message=" ".join(filter(None, [words.what_is_wrong(parameters), words.because(causes, at.path)])),
            related=tuple(dict.fromkeys(related)),
            parameters=tuple(p.name for p in parameters),
        )


def _on_causes(report: ProbeReport, levels: _Levels, place: Place) -> Iterator[Annotation]:
    for cause in report.causes:
        parameters = [p for p in explained(report, cause) if p.name in levels.parameters]
        at = place(cause.location)
        level = levels.of_code(cause.kind, levels.loudest(parameters)) if parameters else None
        if at is None or level is None:
            continue
        related = [*placed(cause.related, place), *_definitions(parameters, at, place)]
        yield Annotation(
            location=at,
            code=cause.kind,
            severity=level,
            message=f"{words.sentence(cause.message)} {words.starves(parameters)}",
            related=tuple(dict.fromkeys(related)),
            parameters=tuple(p.name for p in parameters),
        )


def _definitions(parameters: Iterable[ParameterReport], but: Location, place: Place) -> Iterator[Related]:
    """Yield where the layers that a cause starves are defined, the first few."""
    groups: dict[Location, list[str]] = {}
    for parameter in parameters:
        at = place(parameter.location) if parameter.location else None
        if at is not None and at != but:
            groups.setdefault(at, []).append(parameter.name)
    for at, parameter_names in list(groups.items())[:_RELATED_LAYERS]:
        yield Related(words.names(parameter_names), at)


def _on_probe(report: ProbeReport, levels: _Levels, place: Place) -> Iterator[Annotation]:
    name = place(probe_location(report))
    for finding in report.findings:
        level = levels.of_code(finding.code, finding.severity)
        at = place(finding.location) if finding.location else name
        if level is not None and at is not None:
            yield Annotation(at, finding.code, level, words.sentence(finding.message))
    error = report.error
    if error is None or report.status == "cancelled":
        return
    at = place(error.location) if error.location else None
    if at is not None:
        yield Annotation(at, error.kind, "error", words.sentence(error.message))
    if name is not None:
        where = f" It stopped at {words.place(at, name.path)}." if at else ""
        related = (Related(error.message, at),) if at else ()
        yield Annotation(name, error.kind, "error", words.sentence(error.message) + where, related)


def explained(report: ProbeReport, cause: Cause) -> list[ParameterReport]:
    """Return the parameters that a cause explains, in the report's order."""
    explained_names = set(cause.parameters)
    return [p for p in report.parameters if p.name in explained_names]


def placed_causes(
    report: ProbeReport, parameters: Iterable[ParameterReport], place: Place
) -> Iterator[tuple[Cause, Location]]:
    """Yield the causes of parameters, each once, at its present place; those that explain most come first."""
    causes = [report.causes[index] for index in dict.fromkeys(i for p in parameters for i in p.causes)]
    for cause in sorted(causes, key=lambda c: -len(c.parameters)):
        at = place(cause.location)
        if at is not None:
            yield cause, at


def placed(related: Iterable[Related], place: Place) -> Iterator[Related]:
    """Yield related places where they lie by now, without those that were changed."""
    for item in related:
        at = place(item.location)
        if at is not None:
            yield Related(item.message, at)
