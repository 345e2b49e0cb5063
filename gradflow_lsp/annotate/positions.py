"""Where things are in a text: code points here, the units of the negotiated encoding in the editor.

Inside the product lines count from 1 and columns are code points from 0. An editor counts lines from 0 and columns in
UTF-8, UTF-16 or UTF-32 units. Lines end where `source.spans` says so.
"""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import Literal, NamedTuple

from gradflow_lsp.source import spans

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = "\r\n"


class Point(NamedTuple):
    """A place between two characters: the line from 1, the column in code points from 0."""

    line: int
    column: int


class ClientPoint(NamedTuple):
    """The same place as an editor says it: the line from 0, the character in units of its encoding."""

    line: int
    character: int


def split_lines(text: str) -> list[str]:
    """Return the lines with their ends; the last one has no end, and is empty where the text ends with one."""
    lines = spans.split_lines(text)
    if not lines or lines[-1][-1] in _LINE_END:
        lines.append("")
    return lines


def count_units(text: str, encoding: Encoding) -> int:
    """Return how many units of `encoding` the text takes. Lone surrogates count as one character each."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def column_of(line: str, units: int, encoding: Encoding) -> int:
    """Return the code point column that lies `units` into the line; inside a character, that character's own column.

    Past the end of the line it is the line's length.
    """
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    passed = 0
    for column, character in enumerate(line):
        passed += count_units(character, encoding)
        if passed > units:
            return column
    return len(line)


class Lines:
    """A text split once, so that positions can be looked up and translated. Positions beyond it mean its end.

    It holds where each line starts, not the lines: many documents are open at once, and few are looked at.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = array("L", accumulate(map(len, split_lines(text)), initial=0))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def line(self, number: int) -> str:
        """Return a line by its number from 1, without its end; empty where there is none."""
        if not 1 <= number <= len(self):
            return ""
        return self.text[self._starts[number - 1] : self._starts[number]].rstrip(_LINE_END)

    def offset(self, point: Point) -> int:
        """Return the index into the text."""
        if point.line > len(self):
            return len(self.text)
        return self._starts[point.line - 1] + min(point.column, len(self.line(point.line)))

    @property
    def end(self) -> Point:
        """The place behind the last character."""
        return Point(len(self), self._starts[-1] - self._starts[-2])

    def to_client(self, point: Point, encoding: Encoding) -> ClientPoint:
        """Return the place as the editor counts it."""
        if point.line > len(self):
            point = self.end
        return ClientPoint(point.line - 1, count_units(self.line(point.line)[: point.column], encoding))

    def from_client(self, client: ClientPoint, encoding: Encoding) -> Point:
        """Return the place that an editor means."""
        if client.line >= len(self):
            return self.end
        return Point(client.line + 1, column_of(self.line(client.line + 1), client.character, encoding))
