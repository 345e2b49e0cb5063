"""A probe as a snippet: the same text, with a tab stop at what its author may want to change."""

from __future__ import annotations

import re

_SHAPE = re.compile(
    r"\b(?:randn|rand|zeros|ones)\((?P<sizes>\d+(?:, \d+)*)|\b(?:randint|full)\([^()\r\n]*\((?P<more>\d+(?:, \d+)*)"
)


def snippet_of(text: str) -> str:
    """Return a snippet that inserts exactly `text`, with a placeholder at the shape of each input."""
    parts: list[str] = []
    end = 0
    for number, match in enumerate(_SHAPE.finditer(text), 1):
        name = "sizes" if match["sizes"] else "more"
        parts += [_escaped(text[end : match.start(name)]), f"${{{number}:{match[name]}}}"]
        end = match.end(name)
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return re.sub(r"[\\$}]", r"\\\g<0>", text)
