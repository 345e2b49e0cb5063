"""The board: the latest report of each probe, laid over the texts as they are now.

A report never changes. What changes is where its locations lie: each `Shown` keeps the present place of every location
in its report, moved by edits and dropped when an edit changed what the location covers. Annotations are derived anew
from the report and those places. Reports are kept by probe, files by their real path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.annotations import Annotation, annotate, merged
from gradflow_lsp.annotate.edits import Edit, edits_between, moved, stretched
from gradflow_lsp.annotate.hidden import NOTHING, Hidden, hidden_by_comments
from gradflow_lsp.annotate.places import locations
from gradflow_lsp.annotate.positions import Lines, Point
from gradflow_lsp.probe.report import Location, ProbeReport
from gradflow_lsp.source.folders import file_key as file_key
from gradflow_lsp.source.parsing import same_code


class ProbeKey(NamedTuple):
    """Names a probe: the key of its file, and the function."""

    file: str
    function: str

    @classmethod
    def of(cls, path: str, function: str) -> ProbeKey:
        """Return the key of a probe in the file at `path`."""
        return cls(file_key(path), function)


@dataclass
class Shown:
    """A report and where its locations lie by now; `stale` once anything that the run loaded was edited.

    `hidden` is what comments hide of it by now, and `before` the last report of the probe before it that has numbers.
    """

    report: ProbeReport
    ran_at: datetime
    stale: bool = False
    hidden: Hidden = NOTHING
    before: ProbeReport | None = None
    places: dict[Location, Location | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = {location: location for location in locations(self.report)}
        self._files = {file_key(path) for path in (self.report.path, *self.report.sources, *self.paths())}

    def place(self, location: Location) -> Location | None:
        """Return where a location of the report lies by now."""
        return self.places.get(location, location)

    def outcome(self) -> str:
        """Return the outcome of the run in a few words, with what comments hide marked."""
        return words.outcome(self.hidden.taken_from(self.report), self.hidden.label)

    def paths(self) -> set[str]:
        """Return the files that something of the report lies in."""
        return {location.path for location in self.places}

    def depends_on(self, path: str) -> bool:
        """Tell whether the run loaded the file at `path`, or found something in it."""
        return file_key(path) in self._files

    def move(self, path: str, edits: Sequence[Edit], old: str, new: str) -> None:
        """Move all that lies in a file by the edits that made its `old` text the `new` one."""
        key, before, after = file_key(path), Lines(old), Lines(new)
        for location, at in self.places.items():
            if at is not None and file_key(at.path) == key:
                self.places[location] = moved(at, edits) or _still_there(at, edits, before, after)


class Board:
    """Where all reports are pinned; every method that changes something returns the files that look different now."""

    def __init__(self) -> None:
        self._shown: dict[ProbeKey, Shown] = {}
        self._texts: dict[str, str] = {}

    def show(self, report: ProbeReport, texts: Mapping[str, str], ran_at: datetime) -> set[str]:
        """Pin a report in place of the probe's last one.

        `texts` are the files that the run read, by path, as it read them: what the report's locations refer to. What
        lies in them of other reports is moved there.
        """
        moved_too = {other for path, text in texts.items() for other in self.read(path, text)}
        key = ProbeKey.of(report.path, report.function)
        last = self._shown.get(key)
        before = None
        if last is not None:
            before = last.report if last.report.status == "ok" else last.before
        self._shown[key] = shown = Shown(report, ran_at, before=before)
        self._texts.update({file_key(path): text for path, text in texts.items()})
        return moved_too | (last.paths() if last else set()) | shown.paths() | self._read_comments()

    def of(self, path: str, function: str) -> Shown | None:
        """Return what is pinned for a probe."""
        return self._shown.get(ProbeKey.of(path, function))

    def all(self) -> list[Shown]:
        """Return everything pinned, in the order of the probes' first runs."""
        return list(self._shown.values())

    def over(self, path: str) -> list[Shown]:
        """Return the reports that have to do with a file."""
        return [shown for shown in self._shown.values() if shown.depends_on(path)]

    def text(self, path: str) -> str | None:
        """Return the text that the places in a file refer to, if one is known."""
        return self._texts.get(file_key(path))

    def edited(self, path: str, edits: Sequence[Edit], text: str) -> set[str]:
        """Move what lies in a file by the edits that made it `text`, and mark the reports that depend on it stale."""
        affected, old = self.over(path) if edits else [], self.text(path) or ""
        looks_different = {path} if affected else set()
        for shown in affected:
            shown.move(path, edits, old, text)
            if not shown.stale:
                shown.stale = True
                looks_different |= shown.paths()
        if affected:
            self._texts[file_key(path)] = text
            looks_different |= self._read_comments()
        return looks_different

    def read(self, path: str, text: str) -> set[str]:
        """Take note of a file's text, which may have changed in any way since it was last known."""
        return self.edited(path, edits_between(self.text(path) or text, text), text)

    def outdated(self, path: str) -> set[str]:
        """Mark the reports that depend on a file stale: it changed, or went, in a way that nobody followed."""
        looks_different: set[str] = set()
        for shown in self.over(path):
            if not shown.stale:
                shown.stale = True
                looks_different |= shown.paths()
        return looks_different

    def forget(self, path: str) -> set[str]:
        """Drop all that lies in a file that is gone, and the reports of its probes."""
        key = file_key(path)
        looks_different = self.clear(path) | self.outdated(path)
        for shown in self.over(path):
            looks_different.add(path)
            shown.places.update({at: None for at in shown.places if file_key(at.path) == key})
        self._texts.pop(key, None)
        return looks_different | self._read_comments()

    def clear(self, path: str | None = None, function: str | None = None) -> set[str]:
        """Unpin the reports of all probes, of a file's probes, or of one probe."""
        file = None if path is None else file_key(path)
        gone = [key for key in self._shown if file in (None, key.file) and function in (None, key.function)]
        looks_different = {path for key in gone for path in self._shown.pop(key).paths()}
        return looks_different | self._read_comments()

    def annotations(self, path: str, severities: Mapping[str, str] = {}) -> list[Annotation]:
        """Return what stands in a file: one annotation for each range and code, over all reports."""
        key = file_key(path)
        return merged(
            annotation
            for shown in self.over(path)
            for annotation in annotate(
                shown.report, severities, hidden=shown.hidden, place=shown.place, stale=shown.stale
            )
            if file_key(annotation.path) == key
        )

    def _read_comments(self) -> set[str]:
        """Find out anew what comments hide; return the files that look different by that."""
        looks_different: set[str] = set()
        found = hidden_by_comments([(shown.report, shown.place) for shown in self.all()], self.text)
        for shown, hidden in zip(self.all(), found, strict=True):
            if not hidden.looks_like(shown.hidden):
                unused = (*shown.hidden.unused, *hidden.unused)
                looks_different |= shown.paths() | {finding.location.path for finding in unused if finding.location}
            shown.hidden = hidden
        return looks_different


def _still_there(at: Location, edits: Sequence[Edit], old: Lines, new: Lines) -> Location | None:
    """Return where a location lies in which edits changed nothing but comments and space; `None` if it was more."""
    around = stretched(at, edits)
    return around if around and same_code(_piece(old, at), _piece(new, around)) else None


def _piece(lines: Lines, at: Location) -> str:
    start, end = Point(at.line, at.column), Point(at.end_line, at.end_column)
    return lines.text[lines.offset(start) : lines.offset(end)]
