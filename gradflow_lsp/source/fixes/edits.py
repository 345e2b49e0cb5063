"""A change to a text: replacements of ranges, with the title under which it is offered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..spans import Lines, Span


@dataclass(frozen=True, order=True)
class Replacement:
    """Puts `text` in place of what stands in a range."""

    span: Span
    text: str


@dataclass(frozen=True)
class Fix:
    """A change that mends something: `replacements` do not overlap, all in the coordinates of the text before it.

    `preferred` is for what its user would do without a second thought: it changes nothing but what was wrong.
    """

    title: str
    replacements: tuple[Replacement, ...]
    preferred: bool = False

    def apply(self, text: str) -> str:
        """Return the text with the change made."""
        return apply(text, self.replacements)


def apply(text: str, replacements: Iterable[Replacement]) -> str:
    """Return the text with all of the replacements made at once."""
    lines = Lines(text)
    data = lines.data
    for one in sorted(replacements, reverse=True):
        start = lines.offset(one.span.line, one.span.column)
        end = lines.offset(one.span.end_line, one.span.end_column)
        data = data[:start] + one.text.encode("utf-8", "surrogatepass") + data[end:]
    return data.decode("utf-8", "surrogatepass")
