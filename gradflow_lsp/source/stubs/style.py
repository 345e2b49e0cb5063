"""How a file is written, so that a probe can be written the same way, and where in it a probe goes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from ..outline import PROBE_NAME
from ..parsing import Statement, statements, text_of
from ..spans import split_lines
from .program import parse_python
from .words import words_of

_MAIN = re.compile(r"""if\s*\(?\s*(__name__\s*==\s*["']__main__["']|["']__main__["']\s*==\s*__name__)""")


@dataclass(frozen=True)
class Style:
    """One step of indentation, the quote, the line end, and the longest line that is still usual in a file."""

    indent: str = "    "
    quote: str = '"'
    newline: str = "\n"
    width: int = 88

    def quoted(self, text: str) -> str:
        """Return a string literal in the file's quotes."""
        plain = repr(text)[1:-1]
        if "'" in text or '"' in text or "\\" in plain:
            return repr(text)
        return f"{self.quote}{plain}{self.quote}"


def style_of(text: str) -> Style:
    """Return the style that most of the file is in."""
    lines = split_lines(text)
    ends = Counter("\r\n" if line.endswith("\r\n") else line[-1] for line in lines if line[-1] in "\r\n")
    steps = Counter(
        indent
        for before, line in pairwise(lines)
        if before.rstrip().endswith(":") and (indent := _deeper(before, line))
    )
    singles, doubles = len(re.findall(r"(?<!')'(?!')", text)), len(re.findall(r'(?<!")"(?!")', text))
    longest = max((len(line.rstrip()) for line in lines), default=0)
    return Style(
        indent=steps.most_common(1)[0][0] if steps else "    ",
        quote="'" if singles > doubles else '"',
        newline=ends.most_common(1)[0][0] if ends else "\n",
        width=min(max(longest, 88), 120),
    )


def place_for(text: str, class_name: str) -> int:
    """Return the line to insert a probe before: that of the main guard, else the one behind the last line.

    Where the file does not parse, the probe goes right behind its class, away from whatever is being typed.
    """
    found = statements(text)
    of_class = next((one for one in found if _defines(one, class_name)), None)
    if of_class is not None and parse_python(text.removeprefix("\ufeff")) is None:
        return _outside(found, of_class.span().end_line + 1)
    after = of_class.span().end_line if of_class else 0
    for statement in found:
        line = statement.span().line
        if line > after and _MAIN.match(text_of(statement.node)):
            return _above_comments(split_lines(text), line)
    return len(split_lines(text)) + 1


def free_probe_name(text: str, class_name: str, taken: set[str]) -> str:
    """Return `gradflow_probe`, or with a suffix from the class's name where the file has a probe already."""
    taken = taken | set(re.findall(rf"\b{PROBE_NAME.pattern}\b", text))
    name = "gradflow_probe"
    if name in taken:
        name = f"gradflow_probe_{words_of(class_name)}".rstrip("_")  # a class called `_` has no words
    candidates = (name, *(f"{name}_{number}" for number in range(2, len(taken) + 3)))
    return next(candidate for candidate in candidates if candidate not in taken)


def import_line(text: str) -> int:
    """Return the line to insert `import torch` before: that of the first import of torch, else of any, else the top."""
    found = statements(text)
    imports = [one for one in found if one.node.type in ("import_statement", "import_from_statement")]
    torch = [one for one in imports if re.match(r"(import|from)\s+torch\b", text_of(one.node))]
    if torch or imports:
        return _outside(found, torch[0].span().line if torch else imports[-1].span().end_line + 1)
    line = 1
    for statement in found:
        is_docstring = (
            statement.node.type == "expression_statement" and text_of(statement.node).lstrip("rRuU")[:1] in "\"'"
        )
        if not is_docstring and statement.node.type != "future_import_statement":
            break
        line = _outside(found, statement.span().end_line + 1)
    return line


def _outside(found: list[Statement], line: int) -> int:
    """Return the next line, from `line` on, that does not begin inside a statement."""
    for span in (statement.span() for statement in found):
        if span.line < line <= span.end_line:
            line = span.end_line + 1
    return line


def _deeper(before: str, line: str) -> str:
    outer, inner = (re.match(r"[ \t]*", one) for one in (before, line))
    if outer is None or inner is None or not line.strip() or not inner[0].startswith(outer[0]):
        return ""
    return inner[0][len(outer[0]) :]


def _defines(statement: Statement, name: str) -> bool:
    node = statement.definition
    return node.type == "class_definition" and text_of(node.child_by_field_name("name")) == name


def _above_comments(lines: list[str], line: int) -> int:
    """Return the line of the first of the comments that stand right above `line`, else `line` itself."""
    while line > 1 and lines[line - 2].startswith("#"):
        line -= 1
    return line
