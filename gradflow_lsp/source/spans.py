r"""Ranges of source text as people count them, and the way there from the byte offsets that the parser counts in.

Lines end at `\n`, `\r\n` or `\r` and at nothing else: `str.splitlines` also breaks at form feeds and at a few
characters that Python, editors and tracebacks take for ordinary ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True, order=True)
class Span:
    """A range of text: lines from 1, columns from 0 in code points, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def contains(self, line: int, column: int) -> bool:
        """Say whether the position lies in the range; a cursor right behind the last character still does."""
        return (self.line, self.column) <= (line, column) <= (self.end_line, self.end_column)


def split_lines(text: str) -> list[str]:
    """Return the lines of `text` with their line ends; joined they give `text` again."""
    return _LINE.findall(text)


class Lines:
    """Converts between offsets into the UTF-8 bytes of a text and (line, column) in code points.

    `first_line` is the number of the text's first line, for a text that was cut out of a longer one.
    """

    def __init__(self, text: str, *, first_line: int = 1) -> None:
        self.data = text.encode("utf-8", "surrogatepass")
        self._first_line = first_line
        self._starts = [0]
        for line in split_lines(text):
            if line[-1] in "\r\n":
                self._starts.append(self._starts[-1] + len(line.encode("utf-8", "surrogatepass")))

    def position(self, offset: int) -> tuple[int, int]:
        """Return the (line, column) of a byte offset; one inside a character counts as that character's start."""
        index = bisect_right(self._starts, offset) - 1
        head = self.data[self._starts[index] : offset]
        column = len(head) if head.isascii() else sum(byte & 0xC0 != 0x80 for byte in head)
        return self._first_line + index, column - self._splits(offset)

    def offset(self, line: int, column: int) -> int:
        """Return the byte offset of a position; one beyond the text, or beyond its line, counts as the end of it."""
        index = line - self._first_line
        if index < 0:
            return 0
        if index >= len(self._starts):
            return len(self.data)
        end = self._starts[index + 1] if index + 1 < len(self._starts) else len(self.data)
        content = self.data[self._starts[index] : end].decode("utf-8", "surrogatepass").rstrip("\r\n")
        return self._starts[index] + len(content[: max(column, 0)].encode("utf-8", "surrogatepass"))

    def span(self, start: int, end: int) -> Span:
        """Return the range between two byte offsets."""
        return Span(*self.position(start), *self.position(end))

    def _splits(self, offset: int) -> int:
        """Return 1 when `offset` points into the middle of a character, else 0."""
        return int(offset < len(self.data) and self.data[offset] & 0xC0 == 0x80)
