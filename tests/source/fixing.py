"""Fixes in tests: a cause is named by its kind and by the piece of text that it points at."""

from __future__ import annotations

from gradflow_lsp.source.fixes.edits import Fix, Replacement
from gradflow_lsp.source.fixes.table import fixes
from gradflow_lsp.source.spans import Lines, Span

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"


def model(init: str, forward: str = "return x", head: str = HEAD) -> str:
    """Return a module with these statements in its constructor and its forward."""
    lines = ["super().__init__()", *init.splitlines()]
    body = "".join(f"        {line}\n" for line in lines)
    return f"{head}class Net(nn.Module):\n    def __init__(self, n):\n{body}\n    def forward(self, x):\n" + "".join(
        f"        {line}\n" if line else "\n" for line in forward.splitlines()
    )


def span_of(text: str, needle: str, number: int = 0) -> Span:
    """Return the range of one of the occurrences of a piece of text."""
    start = -1
    for _ in range(number + 1):
        start = text.index(needle, start + 1)
    before = len(text[:start].encode())
    return Lines(text).span(before, before + len(needle.encode()))


def offered(text: str, kind: str, needle: str, *parameters: str) -> list[Fix]:
    """Return the fixes of a cause at the only occurrence of `needle`."""
    assert text.count(needle) == 1, f"{needle} is there {text.count(needle)} times"
    return fixes(text, kind, span_of(text, needle), parameters)


def fixed(text: str, kind: str, needle: str, *parameters: str) -> str | None:
    """Return the text after the one fix of a cause, `None` where there is none."""
    found = offered(text, kind, needle, *parameters)
    assert len(found) < 2
    return found[0].apply(text) if found else None


def inverse(text: str, replacements: tuple[Replacement, ...]) -> list[tuple[int, int, str]]:
    """Return what undoes replacements, as (start, end, text) in the bytes of the new text, from the end."""
    lines, shift, found = Lines(text), 0, []
    for one in sorted(replacements):
        start = lines.offset(one.span.line, one.span.column)
        end = lines.offset(one.span.end_line, one.span.end_column)
        new = len(one.text.encode())
        found.append((start + shift, start + shift + new, lines.data[start:end].decode()))
        shift += new - (end - start)
    return found[::-1]


def undone(new: str, back: list[tuple[int, int, str]]) -> str:
    """Return the text after those."""
    data = new.encode()
    for start, end, old in back:
        data = data[:start] + old.encode() + data[end:]
    return data.decode()
