"""The board: the latest report of each probe, laid over the texts as they are now.

A report never changes. What changes is where its locations lie: each `Shown` keeps the present place of every location
in its report, moved by edits and dropped when an edit changed what the location covers. Annotations are derived anew
from the report and those places. Reports are kept by probe, files by their real path.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from gradflow_lsp.annotate.annotations import Annotation, annotate, merged, probe_location
from gradflow_lsp.annotate.edits import Edit, edits_between, moved
from gradflow_lsp.probe.report import Cause, Location, ParameterReport, ProbeReport


@lru_cache(maxsize=8192)
def file_key(path: str) -> str:
    """Return what two spellings of a file's path have in common: links resolved, case folded where it is no matter."""
    return os.path.normcase(os.path.realpath(path))


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
    """A report and where its locations lie by now; `stale` once anything that the run loaded was edited."""

    report: ProbeReport
    ran_at: datetime
    stale: bool = False
    places: dict[Location, Location | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = {location: location for location in _locations(self.report)}
        self._files = {file_key(path) for path in (self.report.path, *self.report.sources, *self.paths())}

    def place(self, location: Location) -> Location | None:
        """Return where a location of the report lies by now."""
        return self.places.get(location, location)

    def paths(self) -> set[str]:
        """Return the files that something of the report lies in."""
        return {location.path for location in self.places}

    def depends_on(self, path: str) -> bool:
        """Tell whether the run loaded the file at `path`, or found something in it."""
        return file_key(path) in self._files

    def move(self, path: str, edits: Sequence[Edit]) -> None:
        """Move all that lies in a file."""
        key = file_key(path)
        for location, at in self.places.items():
            if at is not None and file_key(at.path) == key:
                self.places[location] = moved(at, edits)


class Board:
    """Where all reports are pinned; every method that changes something returns the files that look different now."""

    def __init__(self) -> None:
        self._shown: dict[ProbeKey, Shown] = {}
        self._texts: dict[str, str] = {}

    def show(self, report: ProbeReport, texts: Mapping[str, str], ran_at: datetime) -> set[str]:
        """Pin a report in place of the probe's last one.

        `texts` are the files that the run read, by path, as it read them: what the report's locations refer to.
        """
        key = ProbeKey.of(report.path, report.function)
        before = self._shown[key].paths() if key in self._shown else set()
        self._shown[key] = shown = Shown(report, ran_at)
        self._texts.update({file_key(path): text for path, text in texts.items()})
        return before | shown.paths()

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
        affected = self.over(path) if edits else []
        looks_different = {path} if affected else set()
        for shown in affected:
            shown.move(path, edits)
            if not shown.stale:
                shown.stale = True
                looks_different |= shown.paths()
        if affected:
            self._texts[file_key(path)] = text
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
        return looks_different

    def clear(self, path: str | None = None, function: str | None = None) -> set[str]:
        """Unpin the reports of all probes, of a file's probes, or of one probe."""
        file = None if path is None else file_key(path)
        gone = [key for key in self._shown if file in (None, key.file) and function in (None, key.function)]
        return {path for key in gone for path in self._shown.pop(key).paths()}

    def annotations(self, path: str, severities: Mapping[str, str] = {}) -> list[Annotation]:
        """Return what stands in a file: one annotation for each range and code, over all reports."""
        key = file_key(path)
        return merged(
            annotation
            for shown in self.over(path)
            for annotation in annotate(shown.report, severities, place=shown.place, stale=shown.stale)
            if file_key(annotation.path) == key
        )


def _locations(report: ProbeReport) -> Iterator[Location]:
    yield probe_location(report)
    yield from (finding.location for finding in report.findings if finding.location)
    if report.error and report.error.location:
        yield report.error.location
    items: tuple[ParameterReport | Cause, ...] = (*report.parameters, *report.causes)
    for item in items:
        if item.location:
            yield item.location
        yield from (related.location for related in item.related)
