"""What a report puts on which source range: one annotation for each range and code.

On a layer's definition stands what is wrong with its parameters; on a cause's expression what it starves; on the
probe's name whatever is true of the probe as a whole. `frozen` and `not-called` stand once only, on the cause's line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.hidden import NOTHING, UNUSED, Hidden
from gradflow_lsp.annotate.places import SAID_ONCE, Place, probe_location, unmoved
from gradflow_lsp.annotate.view import View
from gradflow_lsp.probe.report import (
    DIAGNOSTIC_CODES,
    Cause,
    Location,
    ParameterReport,
    ProbeReport,
    Related,
    Severity,
)
from gradflow_lsp.severities import LOUDNESS, loudest

_MOST_RELATED = 10


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


def annotate(
    report: ProbeReport,
    severities: Mapping[str, str] = {},
    *,
    hidden: Hidden = NOTHING,
    place: Place = unmoved,
    stale: bool = False,
) -> list[Annotation]:
    """Return the annotations of one report, by file and line.

    `severities` maps a code to a severity or `off`, `hidden` is what comments take away; `place` says where the
    report's locations lie by now, and `stale` that the code was edited since.
    """
    view = View.of(report, hidden, severities)
    annotations = [*_on_definitions(view, place), *_on_causes(view, place), *_on_probe(view.report, place)]
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
    return -LOUDNESS[annotation.severity], len(annotation.parameters)


def _on_definitions(view: View, place: Place) -> Iterator[Annotation]:
    report = view.report
    total = Counter(place(p.location) for p in report.parameters if p.location)
    for (at, code), parameters in _definitions(report, place).items():
        causes = list(placed_causes(report, parameters, place))
        related = [Related(cause.message, where) for cause, where in causes if where != at]
        related += [r for p in parameters for r in placed(p.related, place)]
        yield Annotation(
            location=at,
            code=code,
            severity=loudest(parameters) or "hint",
            message=" ".join(filter(None, [words.what_is_wrong(parameters, total[at]), words.because(causes, at)])),
            related=tuple(dict.fromkeys(related))[:_MOST_RELATED],
            parameters=tuple(p.name for p in parameters),
        )


def _definitions(report: ProbeReport, place: Place) -> dict[tuple[Location, str], list[ParameterReport]]:
    """Return the parameters that are shown there, by the range that defines them and the code of their verdict."""
    groups: dict[tuple[Location, str], list[ParameterReport]] = {}
    for parameter in report.parameters:
        at = place(parameter.location or probe_location(report))
        said_elsewhere = any(report.causes[index].kind in SAID_ONCE for index in parameter.causes)
        if parameter.severity is not None and at is not None and not said_elsewhere:
            groups.setdefault((at, DIAGNOSTIC_CODES[parameter.verdict]), []).append(parameter)
    return groups


def _on_causes(view: View, place: Place) -> Iterator[Annotation]:
    for cause, severity in zip(view.report.causes, view.causes, strict=True):
        at, parameters = place(cause.location), view.explained(cause)
        if at is None or severity is None or _is_its_layer(cause, at, parameters, place):
            continue
        related = [*placed(cause.related, place), *_starved(view, parameters, at, place)]
        yield Annotation(
            location=at,
            code=cause.kind,
            severity=severity,
            message=f"{words.sentence(cause.message)} {words.starves(parameters, view.report.parameters)}",
            related=tuple(dict.fromkeys(related)),
            parameters=tuple(p.name for p in parameters),
        )


def _is_its_layer(cause: Cause, at: Location, parameters: Iterable[ParameterReport], place: Place) -> bool:
    """Tell whether a cause is the very expression that defines all it explains, where the layer's line says it all."""
    return cause.kind not in SAID_ONCE and all(p.location and place(p.location) == at for p in parameters)


def _starved(view: View, parameters: Iterable[ParameterReport], but: Location, place: Place) -> Iterator[Related]:
    """Yield where the layers that a cause starves are defined, the first few."""
    groups: dict[Location, list[str]] = {}
    everything = [p.name for p in view.report.parameters]
    for parameter in parameters:
        at = place(parameter.location) if parameter.location else None
        if at is not None and at != but:
            groups.setdefault(at, []).append(parameter.name)
    for at, names in list(groups.items())[:_MOST_RELATED]:
        yield Related(words.gathered(names, everything) if len(names) > words.SHOWN_NAMES else ", ".join(names), at)


def _on_probe(report: ProbeReport, place: Place) -> Iterator[Annotation]:
    name = place(probe_location(report))
    for finding in report.findings:
        at = place(finding.location) if finding.location else name
        if finding.code == UNUSED:  # it was read from the text as it is now
            at = finding.location
        if at is not None:
            yield Annotation(at, finding.code, finding.severity, words.sentence(finding.message))
    error = report.error
    if error is None or report.status == "cancelled":
        return
    at = place(error.location) if error.location else None
    if at is not None:
        yield Annotation(at, error.kind, "error", words.sentence(error.message))
    if name is not None:
        where = f" It stopped {words.at(at, name)}." if at else ""
        related = (Related(error.message, at),) if at else ()
        yield Annotation(name, error.kind, "error", words.sentence(error.message) + where, related)


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
