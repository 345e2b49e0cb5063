"""How a text changed, and where a place in it went.

An `Edit` replaces the text between two points. Several edits of one change are kept from the bottom of the text to the
top, so that each is in the coordinates of the old text and they can be applied one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from gradflow_lsp.annotate.positions import Lines, Point, split_lines
from gradflow_lsp.probe.report import Location

_MOST_PAIRS = 4_000_000
"""Line pairs up to which a changed region is compared line by line; beyond, it counts as one replacement."""


@dataclass(frozen=True)
class Edit:
    """Replaces what stands between two points by `text`."""

    start: Point
    end: Point
    text: str

    @cached_property
    def new_end(self) -> Point:
        """Where the replacement ends, in the new text."""
        lines = split_lines(self.text)
        if len(lines) == 1:
            return Point(self.start.line, self.start.column + len(self.text))
        return Point(self.start.line + len(lines) - 1, len(lines[-1]))


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return the text after the edits, one after the other."""
    for edit in edits:
        lines = Lines(text)
        text = text[: lines.offset(edit.start)] + edit.text + text[lines.offset(edit.end) :]
    return text


def moved(location: Location, edits: Iterable[Edit]) -> Location | None:
    """Return where a location lies after the edits to its file; `None` if one of them changed what it covers."""
    was = start, end = Point(location.line, location.column), Point(location.end_line, location.end_column)
    for edit in edits:
        if end <= edit.start:
            continue
        if start < edit.end:
            return None
        start, end = _shifted(start, edit), _shifted(end, edit)
    return location if (start, end) == was else Location(location.path, *start, *end)


def stretched(location: Location, edits: Iterable[Edit]) -> Location | None:
    """Return where the ends of a location lie after edits outside of it or in between; `None` if one touched an end."""
    start, end = Point(location.line, location.column), Point(location.end_line, location.end_column)
    for edit in edits:
        if start < edit.start and edit.end < end:
            end = _shifted(end, edit)
        elif edit.end <= start:
            start, end = _shifted(start, edit), _shifted(end, edit)
        elif edit.start < end:
            return None
    return replace(location, line=start.line, column=start.column, end_line=end.line, end_column=end.column)


def _shifted(point: Point, edit: Edit) -> Point:
    new_end = edit.new_end
    if point.line == edit.end.line:
        return Point(new_end.line, new_end.column + point.column - edit.end.column)
    if new_end.line == edit.end.line:
        return point
    return Point(point.line + new_end.line - edit.end.line, point.column)


def minimal(lines: Lines, edit: Edit) -> list[Edit]:
    r"""Return edits that do the same to a text, and leave alone the lines that stay as they are; no `\r\n` is torn.

    Formatters and undo replace many lines at once of which they change a few; a `\r` and a `\n` that come to stand
    beside each other end one line, not two.
    """
    start, end, text = edit.start, edit.end, edit.text
    before = lines.text[: lines.offset(start)][-1:]
    after = lines.text[lines.offset(end) :][:1]
    if before == "\r" and (text or after)[:1] == "\n":
        start, text = Point(start.line - 1, len(lines.line(start.line - 1))), before + text
    if after == "\n" and (text or before)[-1:] == "\r":
        end, text = Point(end.line + 1, 0), text + after
    old = lines.text[lines.offset(start) : lines.offset(end)]
    if old == text:
        return []
    if start.line == end.line or len(split_lines(text)) == 1:
        return [trimmed(old, text, start)]
    return [Edit(_from(start, part.start), _from(start, part.end), part.text) for part in edits_between(old, text)]


def _from(start: Point, point: Point) -> Point:
    """Return where a point of a piece of text lies in the whole, in which the piece begins at `start`."""
    return Point(point.line + start.line - 1, point.column + (start.column if point.line == 1 else 0))


def edits_between(old: str, new: str) -> list[Edit]:
    """Return edits that turn one text into the other and leave alone every line they have in common."""
    if old == new:
        return []
    before, after = split_lines(old), split_lines(new)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    return [
        trimmed("".join(before[head + i1 : head + i2]), "".join(after[head + j1 : head + j2]), Point(head + i1 + 1, 0))
        for i1, i2, j1, j2 in reversed(_changed_blocks(*middle))
    ]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines, or characters, two sequences begin with in common."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _changed_blocks(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    if len(old) * len(new) > _MOST_PAIRS:
        return [(0, len(old), 0, len(new))]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [block[1:] for block in matcher.get_opcodes() if block[0] != "equal"]


def trimmed(old: str, new: str, start: Point) -> Edit:
    """Return the edit that replaces `old`, which begins at `start`, as small as common beginnings and ends allow.

    It never begins or ends inside a line's end.
    """
    head = _common(old, new)
    head -= old[:head].endswith("\r")
    tail = _common(old[head:][::-1], new[head:][::-1])
    tail -= tail > 0 and old[-tail] == "\n"
    begin = Edit(start, start, old[:head]).new_end
    end = Edit(start, start, old[: len(old) - tail]).new_end
    return Edit(begin, end, new[head : len(new) - tail])
