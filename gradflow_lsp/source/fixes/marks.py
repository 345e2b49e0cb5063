"""Comments that tell the server what its user knows better: that a finding is intended, or is to be left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..spans import Span, split_lines
from . import titles
from .code import Code
from .edits import Fix, Replacement

INTENDABLE = {
    "detach", "data-access", "no-grad", "non-differentiable", "left-autograd", "not-called", "unused-output",
    "replaced", "frozen", "zero-init", "zero-multiply", "unregistered",
}  # fmt: skip
"""The kinds of cause that can be a decision: a cut, a freeze, a zero start."""

_MARK = re.compile(r"#\s*gradflow:\s*(intended\b|ignore\[([^\]]*)\])")


def marks(text: str, span: Span, code: str, kind: str) -> Iterator[Fix]:
    """Yield the comments that can be put at the end of the line on which a finding begins.

    `code` is the finding's, `kind` that of the cause on this line, if one begins here.
    """
    line = _line(text, span.line)
    found = {match[1].partition("[")[0]: match for match in _MARK.finditer(line)}
    if not _may_end_in_a_comment(text, span.line, line):
        return
    end = Span(span.line, len(line.rstrip()), span.line, len(line))
    if kind in INTENDABLE and "intended" not in found:
        yield Fix(titles.INTENDED, (Replacement(end, "  # gradflow: intended"),))
    if "ignore" not in found:
        yield Fix(titles.ignore(code), (Replacement(end, f"  # gradflow: ignore[{code}]"),))
    elif code not in re.findall(r"[\w-]+", found["ignore"][2]):
        at = found["ignore"].end(2)
        yield Fix(titles.ignore(code), (Replacement(Span(span.line, at, span.line, at), f", {code}"),))


def _line(text: str, number: int) -> str:
    lines = split_lines(text)
    return lines[number - 1].rstrip("\r\n") if number <= len(lines) else ""


def _may_end_in_a_comment(text: str, number: int, line: str) -> bool:
    """Tell whether a comment can stand at the end of a line: not in a string, nor behind a continued line."""
    if line.rstrip().endswith("\\"):
        return False
    code = Code.at(text, Span(number, 0, number, 0))
    if code is None:
        return True
    end = code.statement.lines.offset(number, len(line))
    node = code.statement.node.descendant_for_byte_range(end, end)
    while node is not None:
        if node.type == "string" and node.start_byte < end < node.end_byte:
            return False
        node = node.parent
    return True
