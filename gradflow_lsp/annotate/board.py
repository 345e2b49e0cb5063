"""The board: the latest report of each probe, laid over the texts as they are now.

A report never changes. What changes is where its locations lie: each `Shown` keeps the present place of every location
in its report, moved by edits and dropped when an edit changed what the location covers. Once a file is again the text
that ran, everything in it is back where it was; once all are, the report is no longer stale. Annotations are derived
anew from the report and those places. Reports are kept by probe, files by their real path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.annotations import Annotation, annotate, merged
from gradflow_lsp.annotate.edits import Edit, edits_between, moved, stretched
from gradflow_lsp.annotate.hidden import NOTHING, Hidden, hidden_by_comments
from gradflow_lsp.annotate.places import locations
from gradflow_lsp.annotate.positions import Lines, Point
from gradflow_lsp.annotate.sources import ABSENT, OnDisk, Version, version_of, with_plain_ends
from gradflow_lsp.probe.report import Location, ProbeReport
from gradflow_lsp.source.folders import file_key as file_key
from gradflow_lsp.source.parsing import same_code
from gradflow_lsp.source.suppressions import suppressions


@lru_cache(maxsize=8192)
def _with_folders(key: str) -> frozenset[str]:
    return frozenset({key, *map(str, PurePath(key).parents)})


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
    """A report, where its locations lie by now, and which files are not as its run read them.

    `ran` holds, by file key, the versions of the files that the run depends on. It is a file that the run looked for in
    vain that is in `_missed` instead: there, nothing at all is what ran. `hidden` is what comments hide of it by now,
    and `before` the last report of the probe before it that has numbers.
    """

    report: ProbeReport
    ran_at: datetime
    ran: dict[str, Version] = field(default_factory=dict)
    differing: set[str] = field(default_factory=set)
    hidden: Hidden = NOTHING
    before: ProbeReport | None = None
    places: dict[Location, Location | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = {location: location for location in locations(self.report)}
        for path in {self.report.path, *self.paths()}:
            self.ran.setdefault(file_key(path), frozenset())
        for path, digest in self.report.sources.items():
            self.ran[file_key(path)] = self.ran.get(file_key(path), frozenset()) | {digest}
        self._missed = {file_key(path) for path in self.report.looked_for}
        self._laid_in = {file_key(path) for path in self.paths()}

    @property
    def stale(self) -> bool:
        """Whether anything that the run depends on is not as it was."""
        return bool(self.differing)

    def place(self, location: Location) -> Location | None:
        """Return where a location of the report lies by now."""
        return self.places.get(location, location)

    def outcome(self) -> str:
        """Return the outcome of the run in a few words, with what comments hide marked."""
        return words.outcome(self.hidden.taken_from(self.report), self.hidden.label)

    def paths(self) -> set[str]:
        """Return the files that something of the report lies in."""
        return {location.path for location in self.places}

    def read(self) -> dict[str, str | None]:
        """Return the files that the run read, with the report's digest of each that was loaded."""
        digests = {file_key(path): digest for path, digest in self.report.sources.items()}
        files = {self.report.path, *self.report.sources, *self.paths()}
        return {path: digests.get(file_key(path)) for path in files}

    def files(self) -> set[str]:
        """Return all paths that the report depends on, those where nothing was as well."""
        return {*self.read(), *self.report.looked_for}

    def depends_on(self, path: str) -> bool:
        """Tell whether the run loaded the file at `path`, found something in it, or would have, had it been there."""
        key = file_key(path)
        return key in self.ran or not self._missed.isdisjoint(_with_folders(key))

    def lies_in(self, path: str) -> bool:
        """Tell whether something of the report lies in the file at `path`."""
        return file_key(path) in self._laid_in

    def take(self, path: str, version: Version, edits: Sequence[Edit], old: str | None, new: str | None) -> bool:
        """Take note of a file that it depends on; return whether anything of it looks different now.

        What lies in the file moves by the edits, which made its `old` text the `new` one; where it is again what ran,
        all is again where it was.
        """
        key, was = file_key(path), (self.stale, dict(self.places))
        as_it_ran = not version.isdisjoint(self.ran.get(key, ABSENT))
        (self.differing.discard if as_it_ran else self.differing.add)(key)
        before, after = Lines(old or ""), Lines(new or "")
        for location, at in self.places.items():
            if file_key(location.path) == key:
                if as_it_ran:
                    self.places[location] = location
                elif version == ABSENT:
                    self.places[location] = None
                elif at is not None:
                    self.places[location] = moved(at, edits) or _still_there(at, edits, before, after)
        return was != (self.stale, self.places)


class Board:
    """Where all reports are pinned; every method that changes something returns the files that look different now."""

    def __init__(self) -> None:
        self._shown: dict[ProbeKey, Shown] = {}
        self._texts: dict[str, str] = {}
        self._commented: set[str] = set()
        """The keys of the files whose texts have comments that hide something, or mean to."""
        self._annotations: dict[tuple[str, frozenset[tuple[str, str]]], list[Annotation]] = {}
        """What stands in each file under some severities; asked for at every move of a cursor, so kept for a while."""

    def show(self, report: ProbeReport, texts: Mapping[str, str], ran_at: datetime) -> set[str]:
        """Pin a report in place of the probe's last one.

        `texts` are files that the run read, by path, as it read them: what the report's locations refer to. What they
        have become since is to be told by `read` and `found`.
        """
        key = ProbeKey.of(report.path, report.function)
        last = self._shown.get(key)
        before = None
        if last is not None:
            before = last.report if last.report.status == "ok" else last.before
        ran = {file_key(path): version_of(text) for path, text in texts.items()}
        self._shown[key] = shown = Shown(report, ran_at, ran, before=before)
        for path, text in texts.items():
            known = self.text(path)
            if known is None or not any(other is not shown and other.lies_in(path) for other in self.over(path)):
                self._keep(path, text)
            elif known != text:  # where the places of other reports have moved to already
                shown.take(path, version_of(known), _line_edits(text, known), text, known)
        self._annotations.clear()
        return (last.paths() if last else set()) | shown.paths() | self._read_comments()

    def of(self, path: str, function: str) -> Shown | None:
        """Return what is pinned for a probe."""
        return self._shown.get(ProbeKey.of(path, function))

    def all(self) -> list[Shown]:
        """Return everything pinned, in the order of the probes' first runs."""
        return list(self._shown.values())

    def over(self, path: str) -> list[Shown]:
        """Return the reports that have to do with a file."""
        return [shown for shown in self._shown.values() if shown.depends_on(path)]

    def files(self) -> set[str]:
        """Return all paths that reports depend on."""
        return {path for shown in self._shown.values() for path in shown.files()}

    def text(self, path: str) -> str | None:
        """Return the text that the places in a file refer to, if one is known."""
        return self._texts.get(file_key(path))

    def edited(self, path: str, edits: Sequence[Edit], before: str, text: str) -> set[str]:
        """Move what lies in a file by the edits that turned `before` into `text`, and compare that with what ran."""
        known = self.text(path)
        if known is not None and (known != before or with_plain_ends(known) == with_plain_ends(text)):
            edits = _line_edits(known, text)
        return self._take(path, version_of(text), text, edits)

    def read(self, path: str, text: str) -> set[str]:
        """Take note of a file's text in an editor, which may have changed in any way since it was last known."""
        return self._take(path, version_of(text), text, _line_edits(self.text(path), text))

    def found(self, path: str, file: OnDisk) -> set[str]:
        """Take note of what is on disk under a path, for a file that no editor holds."""
        return self._take(path, file.version, file.text, _line_edits(self.text(path), file.text))

    def forget(self, path: str) -> set[str]:
        """Drop all that lies in a file that is gone, and the reports of its probes."""
        return self.clear(path) | self.found(path, OnDisk.of(None))

    def clear(self, path: str | None = None, function: str | None = None) -> set[str]:
        """Unpin the reports of all probes, of a file's probes, or of one probe."""
        file = None if path is None else file_key(path)
        gone = [key for key in self._shown if file in (None, key.file) and function in (None, key.function)]
        looks_different = {path for key in gone for path in self._shown.pop(key).paths()}
        self._annotations.clear()
        return looks_different | self._read_comments()

    def annotations(self, path: str, severities: Mapping[str, str] = {}) -> list[Annotation]:
        """Return what stands in a file: one annotation for each range and code, over all reports."""
        file = file_key(path)
        key = file, frozenset(severities.items())
        if key not in self._annotations:
            self._annotations[key] = merged(
                annotation
                for shown in self.over(path)
                for annotation in annotate(
                    shown.report, severities, hidden=shown.hidden, place=shown.place, stale=shown.stale
                )
                if file_key(annotation.path) == file
            )
        return [*self._annotations[key]]

    def _take(self, path: str, version: Version, text: str | None, edits: Sequence[Edit]) -> set[str]:
        over, old = self.over(path), self.text(path)
        self._keep(path, text if over else None)
        different = [shown for shown in over if shown.take(path, version, edits, old, text)]
        looks_different = {path, *(at for shown in different for at in shown.paths())} if different else set()
        if different:
            self._annotations.clear()
        return looks_different | (self._read_comments() if over else set())

    def _keep(self, path: str, text: str | None) -> None:
        """Keep a text that places refer to, or none."""
        key = file_key(path)
        self._texts.pop(key, None)
        self._commented.discard(key)
        if text is not None:
            self._texts[key] = text
            if suppressions(text).all:
                self._commented.add(key)

    def _read_comments(self) -> set[str]:
        """Find out anew what comments hide; return the files that look different by that."""
        looks_different: set[str] = set()
        concerned = [
            shown
            for shown in self.all()
            if shown.hidden != NOTHING or not self._commented.isdisjoint(shown.ran)  # of many reports mostly none
        ]
        found = hidden_by_comments([(shown.report, shown.place) for shown in concerned], self.text)
        for shown, hidden in zip(concerned, found, strict=True):
            if not hidden.looks_like(shown.hidden):
                unused = (*shown.hidden.unused, *hidden.unused)
                looks_different |= shown.paths() | {finding.location.path for finding in unused if finding.location}
            if hidden != shown.hidden:
                shown.hidden = hidden
                self._annotations.clear()
        return looks_different


def _line_edits(old: str | None, new: str | None) -> list[Edit]:
    """Return how the lines of a text changed, whatever ends them; nothing where one of the texts is not known."""
    return [] if old is None or new is None else edits_between(with_plain_ends(old), with_plain_ends(new))


def _still_there(at: Location, edits: Sequence[Edit], old: Lines, new: Lines) -> Location | None:
    """Return where a location lies in which edits changed nothing but comments and space; `None` if it was more."""
    around = stretched(at, edits)
    return around if around and same_code(_piece(old, at), _piece(new, around)) else None


def _piece(lines: Lines, at: Location) -> str:
    start, end = Point(at.line, at.column), Point(at.end_line, at.end_column)
    return lines.text[lines.offset(start) : lines.offset(end)]
