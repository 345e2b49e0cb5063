"""Lines and blank lines: long statements broken at their brackets, and the room around an inserted function."""

from __future__ import annotations

import re

from .solving import Outcome
from .style import Style

_OPENING, _CLOSING = "([{", ")]}"


def function_text(name: str, body: list[str], style: Style, lines: list[str], insert_at: int) -> str:
    """Return the source of a probe to insert before line `insert_at`, with two blank lines on each side of it."""
    inside = [
        (style.indent + line).rstrip() for statement in body for line in broken(statement, room(style), style.indent)
    ]
    before = _blank_lines(lines[: insert_at - 1][::-1])
    after = _blank_lines(lines[insert_at - 1 :])
    is_last = insert_at > len(lines)
    rows = [
        *[""] * (max(0, 2 - before) if insert_at > 1 else 0),
        f"def {name}():",
        *inside,
        *[""] * (0 if is_last else max(0, 2 - after)),
    ]
    return "".join(row + style.newline for row in rows)


def room(style: Style) -> int:
    """Return how many characters a line of a function's body has behind its indentation."""
    return style.width - len(style.indent.expandtabs(4))


def open_questions(outcome: Outcome) -> list[str]:
    """Return what reading the class could not settle, as sentences for the author."""
    if outcome.misfit is None:
        return []
    where = f" (line {outcome.misfit.line})" if outcome.misfit.line else ""
    return [f"check the arguments and inputs; {outcome.misfit.sentence}{where}"]


def broken(statement: str, width: int, indent: str) -> list[str]:
    """Return a statement as lines of at most `width` characters where its brackets allow that."""
    if len(statement) <= width or statement.startswith("#"):
        return [statement]
    start = _outermost(statement)
    if start is None:
        return [statement]
    end = _partner(statement, start)
    head, inside, tail = statement[: start + 1], statement[start + 1 : end], statement[end:]
    parts = split_top_level(inside, ",")
    clause = _clause(inside)
    if clause is not None and len(indent + inside) > width:
        return [head, indent + inside[:clause], indent + inside[clause + 1 :], tail]
    if len(parts) == 1 or len(indent + inside) <= width:
        return [head, *(indent + line for line in broken(inside, width - len(indent), indent)), tail]
    return [head, *(indent + line for part in parts for line in broken(part + ",", width - len(indent), indent)), tail]


def split_top_level(text: str, separator: str) -> list[str]:
    """Split at a separator that stands outside all brackets and strings."""
    parts, depth, quote, start = [], 0, "", 0
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote and text[position - 1] != "\\" else quote
        elif char in "\"'":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def _clause(text: str) -> int | None:
    """Return where the `for` of a comprehension begins, if `text` is one."""
    for match in re.finditer(r" for ", text):
        if text[: match.start()].count("(") == text[: match.start()].count(")"):
            return match.start()
    return None


def _outermost(statement: str) -> int | None:
    """Return where the bracket opens whose contents are longest."""
    best, length, position = None, 0, 0
    while position < len(statement):
        if statement[position] in _OPENING:
            end = _partner(statement, position)
            if end - position > length:
                best, length = position, end - position
            position = end
        position += 1
    return best


def _partner(text: str, start: int) -> int:
    depth, quote = 0, ""
    for position in range(start, len(text)):
        char = text[position]
        if quote:
            quote = "" if char == quote and text[position - 1] != "\\" else quote
        elif char in "\"'":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
            if depth == 0:
                return position
    return len(text) - 1


def _blank_lines(lines: list[str]) -> int:
    count = 0
    for line in lines:
        if line.strip():
            return count
        count += 1
    return count
