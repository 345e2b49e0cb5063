"""What the comments in the source hide of reports, and which comments do nothing.

`ignore[...]` takes away what stands on its own line: the verdict of the layers defined there by its code, a cause by
its kind. `intended` says that what happens on its line is meant: it takes away the verdicts of the layers defined
there, and all that the causes there explain, unless another cause that is not meant explains it too. A gradient that is
NaN is never meant. Verdicts stay as they are; what changes is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from gradflow_lsp.annotate.places import SAID_ONCE, Place, locations, probe_location
from gradflow_lsp.annotate.unused import why_in_vain
from gradflow_lsp.probe.report import DIAGNOSTIC_CODES, Cause, Finding, Location, ParameterReport, ProbeReport
from gradflow_lsp.source.folders import file_key
from gradflow_lsp.source.outline import outline
from gradflow_lsp.source.suppressions import Suppression, suppressions

UNUSED = "unused-suppression"
NEVER_MEANT = {"nonfinite-gradient", "nonfinite-op"}
_EVERYTHING = "*"

TextOf = Callable[[str], str | None]
"""Gives the text of a file that the places of the reports refer to, if it can be had."""


@dataclass(frozen=True)
class By:
    """The comment that hides something."""

    location: Location
    intended: bool

    @property
    def word(self) -> str:
        """What the comment makes of it."""
        return "intended" if self.intended else "ignored"


@dataclass(frozen=True)
class Hidden:
    """What comments hide of one report: parameters by name, causes and findings by index; and comments in vain."""

    parameters: Mapping[str, By] = field(default_factory=dict)
    causes: Mapping[int, By] = field(default_factory=dict)
    findings: Mapping[int, By] = field(default_factory=dict)
    unused: tuple[Finding, ...] = ()

    def applied_to(self, report: ProbeReport) -> ProbeReport:
        """Return the report without what is hidden, and with a finding for each comment that does nothing."""
        report = self.taken_from(report)
        return replace(report, findings=[*report.findings, *self.unused]) if self.unused else report

    def taken_from(self, report: ProbeReport) -> ProbeReport:
        """Return the report without what is hidden: verdicts stay, but not how loud they are."""
        if not (self.parameters or self.findings):
            return report
        return replace(
            report,
            parameters=[replace(p, severity=None) if p.name in self.parameters else p for p in report.parameters],
            findings=[finding for index, finding in enumerate(report.findings) if index not in self.findings],
        )

    def label(self, parameter: ParameterReport) -> str:
        """Return the verdict of a parameter, marked where a comment hides it."""
        by = self.parameters.get(parameter.name)
        return f"{parameter.verdict} ({by.word})" if by else parameter.verdict

    def looks_like(self, other: Hidden) -> bool:
        """Tell whether the same is hidden and the same comments are in vain, wherever those stand."""
        return _gist(self) == _gist(other)


NOTHING = Hidden()


def _gist(hidden: Hidden) -> tuple[object, ...]:
    return (
        {name: by.intended for name, by in hidden.parameters.items()},
        {*hidden.causes},
        {*hidden.findings},
        [finding.message for finding in hidden.unused],
    )


def hidden_by_comments(reports: Sequence[tuple[ProbeReport, Place]], text_of: TextOf) -> list[Hidden]:
    """Return what comments hide of each report, read from the texts in which the reports' places lie.

    A comment is in vain if it hides nothing of any of the reports; the first that loaded its file says so. Nobody does
    while a report of the file has no verdicts, or an expression that it speaks of was changed since.
    """
    text_of = cache(text_of)
    readings = [_Reading(report, place, text_of) for report, place in reports]
    used = {use for reading in readings for use in reading.used}
    said = {key for reading in readings for key in reading.files_not_judged()}
    result = []
    for reading in readings:
        files = {key: path for key, path in reading.files().items() if key not in said}
        said |= files.keys()
        unused = [finding for path in files.values() for finding in _in_vain(path, readings, used, text_of)]
        result.append(Hidden(reading.parameters, reading.causes, reading.findings, tuple(unused)))
    return result


_Use = tuple[str, Suppression, str]
"""A file, a comment in it, and the name in it that did something."""


class _Reading:
    """One report read together with the comments of its files."""

    def __init__(self, report: ProbeReport, place: Place, text_of: TextOf) -> None:
        self.report, self.place, self._text_of = report, place, text_of
        self.used: set[_Use] = set()
        self.causes: dict[int, By] = {}
        self.findings: dict[int, By] = {}
        self.parameters: dict[str, By] = {}
        self.locations = {*locations(report)}
        self._paths = {*report.sources, *(at.path for at in self.locations)}
        self._meant: dict[int, By] = {}
        if any(suppressions(text_of(path) or "").all for path in self._paths):
            self._hide_causes()
            self._hide_parameters()
            self._hide_findings()

    def files(self) -> dict[str, str]:
        """Return the files that the run loaded, by key."""
        return {file_key(path): path for path in sorted(self._paths)}

    def files_not_judged(self) -> set[str]:
        """Return the keys of the files in whose comments something may be meant that the report does not tell."""
        if self.report.status != "ok" or self.report.mode != "real":
            return {*self.files()}
        return {file_key(at.path) for at in self.locations if self.place(at) is None}

    def names_at(self, path: str, line: int) -> list[str]:
        """Return the codes and kinds that a comment at the end of a line could name."""
        report = self.report
        found = [(self._definition(p), DIAGNOSTIC_CODES[p.verdict]) for p in report.parameters if p.severity]
        found += [(self.place(c.location), c.kind) for c in report.causes if self._explains_something(c)]
        found += [(self._site(f), f.code) for f in report.findings]
        key = file_key(path)
        return [name for at, name in found if at and line in (at.line, at.end_line) and file_key(at.path) == key]

    def _explains_something(self, cause: Cause) -> bool:
        names = {*cause.parameters}
        return any(p.severity for p in self.report.parameters if p.name in names)

    def _definition(self, parameter: ParameterReport) -> Location | None:
        return self.place(parameter.location or probe_location(self.report))

    def _site(self, finding: Finding) -> Location | None:
        return self.place(finding.location or probe_location(self.report))

    def _hide_causes(self) -> None:
        for index in {index for p in self.report.parameters if p.severity for index in p.causes}:
            cause = self.report.causes[index]
            at = self.place(cause.location)
            intended, ignored = self._intended(at, cause.kind), self._ignored(at, cause.kind)
            if intended:
                self._meant[index] = intended[0]
            if intended or ignored:
                self.causes[index] = [*intended, *ignored][0]

    def _hide_parameters(self) -> None:
        alike: dict[object, By | None] = {}  # of a model's many layers, most share their line and their causes
        for parameter in self.report.parameters:
            key = parameter.location, parameter.verdict, *parameter.causes
            if parameter.severity is not None and key not in alike:
                alike[key] = next(iter(self._hiding(parameter)), None)
            if parameter.severity is not None and (by := alike[key]):
                self.parameters[parameter.name] = by

    def _hiding(self, parameter: ParameterReport) -> list[By]:
        at, code = self._definition(parameter), DIAGNOSTIC_CODES[parameter.verdict]
        hiding = [*self._intended(at, code), *self._ignored(at, code)]
        causes = parameter.causes
        if causes and all(index in self._meant for index in causes):
            hiding += [self._meant[index] for index in causes]
        for index in causes:  # where the cause stands for the layer, or the layer for the cause, either name does
            cause = self.report.causes[index]
            if index in self.causes and (cause.kind in SAID_ONCE or self.place(cause.location) == at):
                hiding.append(self.causes[index])
        return [by for by in hiding if not (by.intended and code in NEVER_MEANT)]

    def _hide_findings(self) -> None:
        for index, finding in enumerate(self.report.findings):
            if ignored := self._ignored(self._site(finding), finding.code):
                self.findings[index] = ignored[0]

    def _intended(self, at: Location | None, code: str) -> list[By]:
        return [
            self._use(path, comment, _EVERYTHING)
            for path, comment in self._comments(at)
            if comment.word == "intended" and code not in NEVER_MEANT
        ]

    def _ignored(self, at: Location | None, code: str) -> list[By]:
        return [
            self._use(path, comment, _EVERYTHING if comment.names is None else code)
            for path, comment in self._comments(at)
            if comment.word == "ignore" and (comment.names is None or code in comment.names)
        ]

    def _comments(self, at: Location | None) -> Iterator[tuple[str, Suppression]]:
        text = self._text_of(at.path) if at else None
        if at is not None and text is not None:
            found = suppressions(text).at(at.line, at.column, at.end_line, at.end_column)
            yield from ((at.path, comment) for comment in found)

    def _use(self, path: str, comment: Suppression, name: str) -> By:
        self.used.add((file_key(path), comment, name))
        return By(_located(path, comment), comment.word == "intended")


def _in_vain(path: str, readings: Sequence[_Reading], used: set[_Use], text_of: TextOf) -> Iterator[Finding]:
    """Yield a finding for each comment, or name in one, of a file that hides nothing."""
    text = text_of(path)
    if text is None:
        return
    for comment in suppressions(text).all:
        names = comment.names or [_EVERYTHING]
        in_vain = [name for name in names if (file_key(path), comment, name) not in used]
        if in_vain and _was_looked_at(path, text, comment, readings):
            on_line = [name for reading in readings for name in reading.names_at(path, comment.span.line)]
            message = why_in_vain(comment, in_vain if comment.names else [], [*dict.fromkeys(on_line)])
            yield Finding(UNUSED, "information", message, _located(path, comment))


def _was_looked_at(path: str, text: str, comment: Suppression, readings: Iterable[_Reading]) -> bool:
    """Tell whether a run could judge a comment: one inside a class of which no probe built anything may be right."""
    line, key = comment.span.line, file_key(path)
    span = next((c.span for c in outline(text).classes if c.span.line <= line <= c.span.end_line), None)
    if span is None or comment.word == "wrong":
        return True
    places = (at for reading in readings for place in reading.locations if (at := reading.place(place)))
    return any(span.line <= at.line <= span.end_line and file_key(at.path) == key for at in places)


def _located(path: str, comment: Suppression) -> Location:
    span = comment.span
    return Location(path, span.line, span.column, span.end_line, span.end_column)
