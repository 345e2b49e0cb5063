"""Cards as blocks, and the two ways to write them down: Markdown, and text for clients that show nothing else."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
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
    """What the card is about; a `heading` where it stands over a page."""

    text: str
    heading: bool = False


@dataclass(frozen=True)
class Paragraph:
    """One paragraph."""

    words: Words


@dataclass(frozen=True)
class Table:
    """Rows of text under a header: the first two columns have words, the others numbers.

    A `wide` one is for a page. The others are set as plain text also in Markdown: most editors show the source of a
    hover's table, and VS Code runs its cells together.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wide: bool = False


@dataclass(frozen=True)
class Code:
    """Text as it is."""

    text: str


@dataclass(frozen=True)
class Picture:
    """Something that `draw` returns as SVG, and the paragraph that says the same where no pictures are shown."""

    draw: Callable[[], str]
    instead: Paragraph


Block = Title | Paragraph | Table | Code | Picture

_WORDY = 2
"""How many columns have words."""
_CODE = re.compile(r"(`[^`\n]+`)")
_SPECIAL = re.compile(r"([\\`*\[\]<>|~&]|(?<!\w)_|_(?!\w))")


def markdown(blocks: Sequence[Block], *, images: bool = False) -> str:
    """Return the blocks as Markdown; nothing in their text can be taken for markup, but for code in backticks.

    With `images` pictures are drawn, as `data:` addresses.
    """
    return "\n\n".join(_block_in_markdown(block, images) for block in blocks)


def plain(blocks: Sequence[Block]) -> str:
    """Return the blocks as text in a fixed-width font."""
    return "\n\n".join(map(_block_in_plain, blocks))


def _block_in_markdown(block: Block, images: bool) -> str:
    if isinstance(block, Picture):
        return _image(block) if images else _block_in_markdown(block.instead, images)
    if isinstance(block, Title):
        return f"# {_escaped(block.text)}" if block.heading else f"**{_escaped(block.text)}**"
    if isinstance(block, Paragraph):
        return "".join(_link(word) if isinstance(word, Link) else _escaped(word) for word in block.words)
    if isinstance(block, Table) and block.wide:
        return _wide_table(block)
    text = _block_in_plain(block)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def _wide_table(table: Table) -> str:
    """Return a table whose source has straight columns too."""
    rows = [[_escaped(cell) for cell in table.header]]
    rows += [["`" + row[0].replace("|", r"\|") + "`", *map(_escaped, row[1:])] for row in table.rows]
    widths = _widths(rows)
    rule = ["-" * width if index < _WORDY else "-" * (width - 1) + ":" for index, width in enumerate(widths)]
    return "\n".join(f"| {' | '.join(_padded(row, widths))} |" for row in (rows[0], rule, *rows[1:]))


def _image(picture: Picture) -> str:
    data = b64encode(picture.draw().encode()).decode()
    return f"![{_escaped(_block_in_plain(picture.instead))}](data:image/svg+xml;base64,{data})"


def _link(link: Link) -> str:
    target = link.target.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{_escaped(link.text)}]({target})"


def _escaped(text: str) -> str:
    pieces = _CODE.split(text)
    return "".join(piece if index % 2 else _SPECIAL.sub(r"\\\1", piece) for index, piece in enumerate(pieces))


def _bare(text: str) -> str:
    return _CODE.sub(lambda code: code[0][1:-1], text)


def _block_in_plain(block: Block) -> str:
    if isinstance(block, Picture):
        return _block_in_plain(block.instead)
    if isinstance(block, Code):
        return block.text
    if isinstance(block, Title):
        return _bare(block.text)
    if isinstance(block, Paragraph):
        return "".join(word.text if isinstance(word, Link) else _bare(word) for word in block.words)
    rows = (block.header, *block.rows)
    widths = _widths(rows)
    return "\n".join("  ".join(_padded(row, widths)).rstrip() for row in rows)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Return the cells as wide as their columns: words to the left, numbers to the right."""
    return [
        cell.ljust(width) if index < _WORDY else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
