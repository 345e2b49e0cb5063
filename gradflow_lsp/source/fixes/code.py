"""A text as the fixes read it: the expression in a range, what holds it, and ways to change text around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tree_sitter import Node

from ..parsing import Statement, descendants, statements, text_of
from ..spans import Span
from .edits import Replacement
from .names import Names
from .syntax import is_broken, last_name, last_part, method_name


@dataclass(frozen=True)
class Code:
    """The top-level statement that holds what is to be mended, in its file."""

    text: str
    statement: Statement
    span: Span
    names: Names

    @classmethod
    def at(cls, text: str, span: Span) -> Code | None:
        """Return the code at a range; `None` where the text there cannot be read."""
        found, names = _read(text)
        for statement in found:
            whole = statement.span()
            if whole.line <= span.line and span.end_line <= whole.end_line:
                return cls(text, statement, span, names)
        return None

    @cached_property
    def start(self) -> int:
        """The byte at which the range begins."""
        return self.statement.lines.offset(self.span.line, self.span.column)

    @cached_property
    def end(self) -> int:
        """The byte behind the range."""
        return self.statement.lines.offset(self.span.end_line, self.span.end_column)

    @property
    def data(self) -> bytes:
        """The bytes that nodes are counted in."""
        return self.statement.lines.data

    @property
    def node(self) -> Node | None:
        """The innermost expression or statement that covers the range, unless the code around it is broken."""
        node = self.statement.node.named_descendant_for_byte_range(self.start, max(self.start, self.end - 1))
        return node if node is not None and not is_broken(node) else None

    @property
    def call(self) -> Node | None:
        """The call that the range is."""
        return self.node if self.node is not None and self.node.type == "call" else None

    def within(self, *types: str) -> list[Node]:
        """Return the nodes of these types whose last part lies in the range: the call for a range on `.detach()`."""
        return [
            node
            for node in self._overlapping(self.statement.node)
            if node.type in types
            and self.start <= last_name(node)
            and node.end_byte <= self.end
            and not is_broken(node)
        ]

    def _overlapping(self, node: Node) -> Iterator[Node]:
        yield node
        for child in node.named_children:
            if child.end_byte > self.start and child.start_byte < self.end:
                yield from self._overlapping(child)

    def method_calls(self, *names: str) -> list[Node]:
        """Return the calls of methods with these names in the range."""
        return [node for node in self.within("call") if method_name(node) in names]

    def top_level(self) -> list[Node]:
        """Return the statements of the file that can be read together with this one."""
        return [one.node for one in _read(self.text)[0] if one.lines is self.statement.lines]

    def class_named(self, name: str) -> Node | None:
        """Return the class of a name, if the file defines one at its top level."""
        found = [node.child_by_field_name("definition") or node for node in self.top_level()]
        classes = [node for node in found if node.type == "class_definition"]
        return next((node for node in classes if text_of(node.child_by_field_name("name")) == name), None)

    # Changes

    def replace(self, start: int, end: int, text: str = "") -> Replacement:
        """Return the replacement of the bytes from `start` to `end`."""
        return Replacement(self.statement.lines.span(start, end), text)

    def swap(self, node: Node, text: str) -> Replacement:
        """Return the replacement of a whole node."""
        return self.replace(node.start_byte, node.end_byte, text)

    def wrap(self, node: Node, before: str, after: str = ")") -> tuple[Replacement, Replacement]:
        """Return what puts text before and after a node, without a change to the node itself."""
        return (
            self.replace(node.start_byte, node.start_byte, before),
            self.replace(node.end_byte, node.end_byte, after),
        )

    def drop_last_part(self, node: Node) -> Replacement:
        """Return what takes the last link off a chain, with the line break before it; a comment there stays."""
        attribute = node.child_by_field_name("function") if node.type == "call" else node
        value = attribute.child_by_field_name("object") if attribute is not None else None
        assert attribute is not None and value is not None
        comments = any(child.type == "comment" for child in attribute.children)
        return self.replace(last_part(node) if comments else value.end_byte, node.end_byte)

    def delete(self, statement: Node) -> Replacement:
        """Return what takes a statement out with its lines; `pass` stands in where nothing else would be left."""
        block = statement.parent
        others = [node for node in block.named_children if node.type != "comment"] if block is not None else []
        begin, stop = self.line_start(statement.start_byte), self._line_end(statement.end_byte)
        before, behind = self.data[begin : statement.start_byte], self.data[statement.end_byte : stop].strip()
        if before.strip() or (behind and not behind.startswith(b"#")) or len(others) < 2:
            return self.swap(statement, "pass")
        return self.replace(begin, stop)

    def drop_item(self, item: Node) -> Replacement:
        """Return what takes an item out of a list of such, with its comma, and with its lines if they hold no more."""
        begin, stop = self.line_start(item.start_byte), self._line_end(item.end_byte)
        before, behind = item.prev_sibling, item.next_sibling
        is_alone = not self.data[begin : item.start_byte].strip()
        if is_alone and re.fullmatch(rb",\s*(?:#.*)?\s*", self.data[item.end_byte : stop]):
            return self.replace(begin, stop)
        if before is not None and before.type == ",":
            return self.replace(before.start_byte, item.end_byte)
        end = behind.next_sibling if behind is not None and behind.type == "," else None
        return self.replace(item.start_byte, end.start_byte if end is not None else item.end_byte)

    def dedented(self, statement: Node, outer: Node) -> tuple[Replacement, ...]:
        """Return what indents a statement's lines as `outer` is; nothing where strings are in the way."""
        lines = self.statement.lines
        first, _ = lines.position(statement.start_byte)
        last, _ = lines.position(statement.end_byte)
        starts = [lines.offset(line, 0) for line in range(first, last + 1)]
        less, more = self.indent(outer.start_byte), self.indent(statement.start_byte)
        in_strings = any(b"\n" in node.text for node in descendants(statement) if node.type == "string" and node.text)
        if in_strings or not more.startswith(less) or any(not self.indent(start).startswith(more) for start in starts):
            return ()
        return tuple(self.replace(start + len(less), start + len(more)) for start in starts)

    # Text

    def line_start(self, offset: int) -> int:
        """Return the byte at which the line of a byte begins."""
        line, _ = self.statement.lines.position(offset)
        return self.statement.lines.offset(line, 0)

    def rest_of_line(self, offset: int) -> bytes:
        """Return what follows a byte in its line."""
        return self.data[offset : self._line_end(offset)]

    def indent(self, offset: int) -> str:
        """Return the blanks that the line of a byte begins with."""
        line = self.data[self.line_start(offset) :]
        return line[: len(line) - len(line.lstrip(b" \t"))].decode()

    def newline(self, offset: int) -> str:
        r"""Return the end of the line that a byte lies in, `\n` where it has none."""
        stop = self._line_end(offset)
        return next((end.decode() for end in (b"\r\n", b"\n", b"\r") if self.data[:stop].endswith(end)), "\n")

    def _line_end(self, offset: int) -> int:
        line, _ = self.statement.lines.position(offset)
        following = self.statement.lines.offset(line + 1, 0)
        return following if following > offset else len(self.data)


@lru_cache(maxsize=8)
def _read(text: str) -> tuple[tuple[Statement, ...], Names]:
    found = tuple(statements(text))
    return found, Names(text, found)
