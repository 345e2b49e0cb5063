"""The comments that say of a finding that it is known: `# gradflow: ignore[zero-gradient]`, `# gradflow: intended`.

A comment counts for an expression when it stands at the end of the expression's first or last line; parentheses right
around the expression belong to it, and lines that end with a backslash go on. An `ignore` alone on a line above the
first statement counts for the whole file. Words behind the comment are free for a reason, but not behind an `ignore`
without brackets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from .parsing import Comment, SyntaxTree
from .spans import Span, split_lines

_COMMENT = re.compile(r"#\s*gradflow\s*:\s*(?P<word>[\w-]+)\s*(?P<rest>[^#]*)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[(?P<names>[^\]]*)\]?")
_LOOKS_LIKE_ONE = re.compile(r"ig\w*|\w*ignore\w*|\w*inten\w*|supp?ress\w*", re.IGNORECASE)

Word = Literal["ignore", "intended", "wrong"]


@dataclass(frozen=True)
class Suppression:
    """One comment: what it says, and where.

    `names` are the codes and kinds in brackets, `None` for an `ignore` of everything. `word` is `wrong` for what was
    meant as such a comment and cannot be read as one.
    """

    word: Word
    names: tuple[str, ...] | None
    span: Span
    text: str
    whole_file: bool = False
    alone: bool = False
    """Whether nothing else stands on its line."""


class Suppressions:
    """The comments of one text, and which of them count for an expression."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _tree(self) -> SyntaxTree:
        return SyntaxTree(self._text)

    @cached_property
    def _lines(self) -> list[str]:
        return split_lines(self._text)

    @cached_property
    def all(self) -> tuple[Suppression, ...]:
        """Every comment, in the order of the text."""
        if not _COMMENT.search(self._text):  # spares most texts being parsed
            return ()
        return tuple(
            suppression
            for comment in self._tree.comments()
            for match in _COMMENT.finditer(comment.text)
            if (suppression := _read(match, comment))
        )

    def at(self, line: int, column: int, end_line: int, end_column: int) -> tuple[Suppression, ...]:
        """Return the comments that count for the expression in a range, those of the line before those of the file."""
        if not self.all:
            return ()
        inner = Span(line, column, end_line, end_column)
        outer = self._tree.with_parentheses(inner)
        lines = {inner.line, inner.end_line, outer.line, outer.end_line}
        lines |= {self._end_of_continued(line) for line in lines}
        return (
            *(comment for comment in self.all if comment.span.line in lines and not comment.alone),
            *(comment for comment in self.all if comment.whole_file),
        )

    def _end_of_continued(self, line: int) -> int:
        """Return the last of the lines that backslashes tie to a line; none but that can have a comment."""
        while self._lines[line - 1 : line] and self._lines[line - 1].rstrip("\r\n").endswith("\\"):
            line += 1
        return line


@lru_cache(maxsize=64)
def suppressions(text: str) -> Suppressions:
    """Return the comments of a text. Never raises, whatever the text."""
    return Suppressions(text)


def _read(match: re.Match[str], comment: Comment) -> Suppression | None:
    """Return what a part of a comment says; `None` for prose that begins with the product's name."""
    said, word, rest = match[0].rstrip(), match["word"].lower(), match["rest"].strip()
    brackets = _BRACKETS.match(rest)
    names: tuple[str, ...] | None = None
    kind: Word = "wrong"
    if word == "ignore" and brackets:
        names = tuple(dict.fromkeys(name.lower() for name in re.split(r"[\s,]+", brackets["names"]) if name))
        kind = "ignore"
    elif (word == "ignore" and not re.match(r"\w", rest)) or word == "intended":
        kind = "ignore" if word == "ignore" else "intended"
    elif not (brackets or _LOOKS_LIKE_ONE.fullmatch(word)):
        return None
    return Suppression(
        kind,
        names,
        span=comment.part(match.start(), match.start() + len(said)),
        text=said.lstrip("# "),
        whole_file=kind == "ignore" and comment.alone and comment.on_top,
        alone=comment.alone,
    )
