"""Top-level statements of Python text, also while it is being typed.

One unclosed bracket can swallow the rest of a file. So a text with errors is cut before every line that begins a
function or class in column 0, and each piece is parsed by itself: the fault stays in the piece that holds it.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from io import StringIO
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
    return [(comment.span.line, comment.text.lstrip("#: "), comment.alone) for comment in SyntaxTree(text).comments()]


@dataclass(frozen=True)
class Comment:
    """A comment with its `#`; `alone` on its line or not, `on_top` of all statements but the docstring or not."""

    text: str
    span: Span
    alone: bool
    on_top: bool

    def part(self, start: int, end: int) -> Span:
        """Return the range of some of its characters."""
        line, column = self.span.line, self.span.column
        return Span(line, column + start, line, column + end)


class SyntaxTree:
    """A whole text parsed once, for questions about its comments and about what lies around an expression."""

    def __init__(self, text: str) -> None:
        self._lines = Lines(text)
        self._root = _parse(self._lines)

    def comments(self) -> Iterator[Comment]:
        """Yield the comments in the order of the text; strings hold none."""
        first = next((node.start_byte for node in self._root.named_children if not _is_preface(node)), None)
        for node in descendants(self._root):
            if node.type == "comment":
                span = self._lines.span(node.start_byte, node.end_byte)
                before = self._lines.data[self._lines.offset(span.line, 0) : node.start_byte]
                on_top = first is None or node.start_byte < first
                yield Comment(text_of(node), span, not before.strip(), on_top)

    def with_parentheses(self, span: Span) -> Span:
        """Return the range of an expression together with the parentheses right around it."""
        start = self._lines.offset(span.line, span.column)
        end = self._lines.offset(span.end_line, span.end_column)
        node = self._root.descendant_for_byte_range(start, end)
        if node is None or (node.start_byte, node.end_byte) != (start, end):
            return span
        while node.parent is not None and node.parent.type == "parenthesized_expression":
            node = node.parent
        return self._lines.span(node.start_byte, node.end_byte)


def _is_preface(node: Node) -> bool:
    """Tell whether a statement is a comment, or a text that stands alone as docstrings do."""
    return node.type == "comment" or (node.type == "expression_statement" and text_of(node)[-1:] in ("'", '"'))


def same_code(one: str, other: str) -> bool:
    """Tell whether two pieces of code differ in nothing but comments and the space between tokens."""
    tokens = _tokens(one)
    return tokens is not None and tokens == _tokens(other)


def _tokens(piece: str) -> list[str] | None:
    lines = StringIO(f"({piece}\n)").readline  # in parentheses no line end and no indentation means anything
    try:
        return [t.string for t in tokenize.generate_tokens(lines) if t.type not in (tokenize.COMMENT, tokenize.NL)]
    except (tokenize.TokenError, SyntaxError):
        return None


def text_of(node: Node | None) -> str:
    """Return the source of a node; of none at all, the empty string."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "surrogatepass")


def descendants(node: Node, *, into_functions: bool = True) -> Iterator[Node]:
    """Yield every node below `node` in source order; without `into_functions`, nested functions stay closed."""
    pending = node.named_children[::-1]
    while pending:
        child = pending.pop()
        yield child
        if into_functions or child.type not in ("function_definition", "lambda", "class_definition"):
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
