"""Cards as blocks, and the two ways to write them down: Markdown, and text for clients that show nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """Text that leads to a place."""

    text: str
    target: str


Words = Sequence[str | Link]
"""A run of text; in its strings only backticks have a meaning, as code."""


@dataclass(frozen=True)
class Title:
    """What the card is about."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """One paragraph."""

    words: Words


@dataclass(frozen=True)
class Table:
    """Rows of text under a header: the first column has names, the last words, those between numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Code:
    """Text as it is."""

    text: str


Block = Title | Paragraph | Table | Code

_CODE = re.compile(r"(`[^`\n]+`)")
_SPECIAL = re.compile(r"([\\`*\[\]<>|~&]|(?<!\w)_|_(?!\w))")


def markdown(blocks: Sequence[Block]) -> str:
    """Return the blocks as Markdown; nothing in their text can be taken for markup, but for code in backticks."""
    return "\n\n".join(map(_block_in_markdown, blocks))


def plain(blocks: Sequence[Block]) -> str:
    """Return the blocks as text in a fixed-width font."""
    return "\n\n".join(map(_block_in_plain, blocks))


def _block_in_markdown(block: Block) -> str:
    if isinstance(block, Title):
        return f"**{_escaped(block.text)}**"
    if isinstance(block, Paragraph):
        return "".join(_link(word) if isinstance(word, Link) else _escaped(word) for word in block.words)
    if isinstance(block, Code):
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", block.text)), default=0))
        return f"{fence}text\n{block.text}\n{fence}"
    rule = ["---", *["---:"] * (len(block.header) - 2), "---"]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (block.header, rule, *map(_cells, block.rows)))


def _cells(row: Sequence[str]) -> list[str]:
    return [f"`{row[0]}`", *map(_escaped, row[1:])]


def _link(link: Link) -> str:
    target = link.target.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{_escaped(link.text)}]({target})"


def _escaped(text: str) -> str:
    pieces = _CODE.split(text)
    return "".join(piece if index % 2 else _SPECIAL.sub(r"\\\1", piece) for index, piece in enumerate(pieces))


def _block_in_plain(block: Block) -> str:
    if isinstance(block, (Title, Code)):
        return block.text
    if isinstance(block, Paragraph):
        return "".join(word.text if isinstance(word, Link) else word for word in block.words)
    widths = [max(map(len, column)) for column in zip(block.header, *block.rows, strict=True)]
    return "\n".join(_row_in_plain(row, widths) for row in (block.header, *block.rows))


def _row_in_plain(row: Sequence[str], widths: Sequence[int]) -> str:
    last = len(row) - 1
    cells = [
        cell.ljust(width) if index in (0, last) else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()
