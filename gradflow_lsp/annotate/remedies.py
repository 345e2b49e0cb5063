"""What can be done about the findings at a place: the fixes of their causes, wherever those lie, and comments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gradflow_lsp.annotate.annotations import Annotation
from gradflow_lsp.annotate.board import Shown, file_key
from gradflow_lsp.annotate.places import probe_location
from gradflow_lsp.codes import CAUSE_KINDS, VERDICT_CODES
from gradflow_lsp.probe.report import DIAGNOSTIC_CODES, Cause, Location
from gradflow_lsp.source.fixes.edits import Fix
from gradflow_lsp.source.fixes.marks import INTENDABLE, marks
from gradflow_lsp.source.fixes.registration import unregistered_by_name
from gradflow_lsp.source.fixes.table import FIXABLE, fixes
from gradflow_lsp.source.spans import Span

Read = Callable[[str], str | None]
"""Returns the text of a file to which the places in it refer; `None` where there is none."""


@dataclass(frozen=True)
class Remedy:
    """A change to one file, and the findings that it is about; a mark is a comment that mends nothing."""

    path: str
    fix: Fix
    about: tuple[Annotation, ...]
    is_mark: bool = False


def remedies(pinned: Iterable[Shown], annotations: Sequence[Annotation], read: Read) -> list[Remedy]:
    """Return what can be done about some annotations of the pinned reports: fixes first, each change once.

    At most one of them is preferred.
    """
    found: dict[tuple[str, tuple[object, ...]], Remedy] = {}
    pinned = list(pinned)
    mends = [remedy for annotation in annotations for remedy in _mends(pinned, annotation, read)]
    for remedy in [*mends, *(remedy for annotation in annotations for remedy in _marks(pinned, annotation, read))]:
        key = file_key(remedy.path), remedy.fix.replacements
        known = found.get(key)
        found[key] = replace(known, about=tuple(dict.fromkeys(known.about + remedy.about))) if known else remedy
    in_order = sorted(found.values(), key=lambda remedy: (remedy.is_mark, not remedy.fix.preferred))
    return [
        remedy if at == 0 else replace(remedy, fix=replace(remedy.fix, preferred=False))
        for at, remedy in enumerate(in_order)
    ]


def _mends(pinned: Iterable[Shown], annotation: Annotation, read: Read) -> Iterator[Remedy]:
    for shown in pinned:
        own = {file_key(path): path for path in (shown.report.path, *shown.report.sources)}
        for cause in _causes(shown, annotation):
            path = cause.location.path
            text = read(path) if cause.kind in FIXABLE and file_key(path) in own else None
            at = shown.place(cause.location)
            found = fixes(text, cause.kind, _span(at), cause.parameters) if text is not None and at is not None else []
            yield from (Remedy(path, fix, (annotation,)) for fix in found)
            if cause.kind == "unregistered" and at is not None and not found:
                yield from _elsewhere(own.values(), cause, annotation, read)


def _elsewhere(files: Iterable[str], cause: Cause, annotation: Annotation, read: Read) -> Iterator[Remedy]:
    """Yield the fix of what is kept in another file than it was made in, if there is one such place."""
    found = [
        Remedy(path, fix, (annotation,))
        for path in files
        if (text := read(path)) is not None
        for fix in unregistered_by_name(text, cause.parameters)
    ]
    yield from found if len(found) == 1 else ()


def _causes(shown: Shown, annotation: Annotation) -> Iterator[Cause]:
    """Yield the causes that an annotation is of, or that are to blame for the layer on which it stands."""
    report, at = shown.report, annotation.location
    indices = {
        index
        for parameter in report.parameters
        if DIAGNOSTIC_CODES.get(parameter.verdict) == annotation.code
        and shown.place(parameter.location or probe_location(report)) == at
        for index in parameter.causes
    }
    for index, cause in enumerate(report.causes):
        if index in indices or (cause.kind == annotation.code and shown.place(cause.location) == at):
            yield cause


def _marks(pinned: Iterable[Shown], annotation: Annotation, read: Read) -> Iterator[Remedy]:
    """Yield the comments that can stand on the line of an annotation, if it is one that comments speak of."""
    at = annotation.location
    text = read(at.path) if annotation.code in (*VERDICT_CODES, *CAUSE_KINDS) else None
    if text is None:
        return
    here = [
        cause.kind
        for shown in pinned
        for cause in _causes(shown, annotation)
        if (place := shown.place(cause.location)) and (place.path, place.line) == (at.path, at.line)
    ]
    kind = next((kind for kind in here if kind in INTENDABLE), "")
    for fix in marks(text, _span(at), annotation.code, kind):
        yield Remedy(at.path, fix, (annotation,), is_mark=True)


def _span(location: Location) -> Span:
    return Span(location.line, location.column, location.end_line, location.end_column)
