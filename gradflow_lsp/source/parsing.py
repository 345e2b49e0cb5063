"""Top-level statements of Python text, also while it is being typed.

One unclosed bracket can swallow the rest of a file. So a text with errors is cut before every line that begins a
function or class in column 0, and each piece is parsed by itself: the fault stays in the piece that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from .spans import Lines, Span, split_lines

if TYPE_CHECKING:
    from tree_sitter import Language, Node

_LONE_RETURN = re.compile(rb"\r(?!\n)")
_BEGINS = re.compile(r"(?:def|class|async\s+def|@\w)[\s\w]")


@dataclass(frozen=True)
class Statement:
    """One top-level statement: its syntax node, and the lines that place the node in the text."""

    node: Node
    lines: Lines

    @property
    def definition(self) -> Node:
        """The function or class itself where the statement is a decorated one, else the statement."""
        return self.node.child_by_field_name("definition") or self.node

    def span(self, node: Node | None = None) -> Span:
        """Return the range of `node`, or of the whole statement."""
        node = node or self.node
        return self.lines.span(node.start_byte, node.end_byte)


def statements(text: str) -> list[Statement]:
    """Return the top-level statements of `text` in order. Never raises: what cannot be read is left out."""
    whole = Lines(text)
    root = _parse(whole)
    if not root.has_error:
        return [Statement(node, whole) for node in root.named_children if node.type != "comment"]
    return [
        Statement(node, piece)
        for piece in _pieces(text, root, whole)
        for node in _parse(piece).named_children
        if node.type not in ("comment", "ERROR")
    ]


def comments(text: str) -> list[tuple[int, str, bool]]:
    """Return each comment as (line, what it says, whether it stands alone on its line)."""
    lines = Lines(text)
    found = []
    for node in descendants(_parse(lines)):
        if node.type == "comment":
            line, _ = lines.position(node.start_byte)
            before = lines.data[lines.offset(line, 0) : node.start_byte]
            found.append((line, text_of(node).lstrip("#: "), not before.strip()))
    return found


def text_of(node: Node | None) -> str:
    """Return the source of a node; of none at all, the empty string."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "surrogatepass")


def descendants(node: Node) -> Iterator[Node]:
    """Yield every node below `node` in source order."""
    pending = node.named_children[::-1]
    while pending:
        child = pending.pop()
        yield child
        pending.extend(child.named_children[::-1])


@cache
def _language() -> Language:
    import tree_sitter_python
    from tree_sitter import Language

    return Language(tree_sitter_python.language())


def _parse(lines: Lines) -> Node:
    from tree_sitter import Parser  # a server answers its client before it has to parse anything

    # The grammar ends lines at \n only; the replacement keeps every byte where it was.
    return Parser(_language()).parse(_LONE_RETURN.sub(b"\n", lines.data)).root_node


def _pieces(text: str, root: Node, whole: Lines) -> Iterator[Lines]:
    lines = split_lines(text)
    cuts = [0]
    decorated = False
    for number, line in enumerate(lines):
        begins = _BEGINS.match(line) is not None
        if begins and not decorated and not _inside_string(root, whole.offset(number + 1, 0)):
            cuts.append(number)
        decorated = begins and line.startswith("@")
    for start, end in zip(cuts, [*cuts[1:], len(lines)], strict=True):
        yield Lines("".join(lines[start:end]), first_line=start + 1)


def _inside_string(root: Node, offset: int) -> bool:
    node: Node | None = root.descendant_for_byte_range(offset, offset)
    while node is not None:
        if node.type == "string" and node.start_byte < offset:
            return True
        node = node.parent
    return False
