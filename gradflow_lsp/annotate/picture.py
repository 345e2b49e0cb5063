"""The flow of a model as a small picture: a row for each step from the loss to the input, with its gradient's size.

It brings its own ground, dark as of code, so that it reads on any theme: an image is not told which one that is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.flow import MEANINGS, Flow, Step
from gradflow_lsp.probe.report import Verdict

_COLOURS: dict[Verdict, str] = {
    "healthy": "#30a46c", "reached": "#30a46c", "missing": "#e5484d", "zero": "#e5484d", "nonfinite": "#e5484d",
    "vanishing": "#d97706", "exploding": "#d97706", "unregistered": "#8e4ec6", "frozen": "#8b949e",
}  # fmt: skip

_STYLE = """\
.ground{fill:#22272e;stroke:#444c56}.marked{fill:#32475f}.way{stroke:#768390;stroke-width:2}\
text{font:12px Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}.end{fill:#a2acb6}"""

_ROW, _CHARACTER, _LEFT, _INDENT, _NUMBER = 20, 7.3, 18, 14, 90
_LONGEST_NAME = 28
_SHORTEST_BAR, _LONGEST_BAR = 4, 110


def flow_picture(flow: Flow) -> str:
    """Return the flow as SVG. Bars are as long as the logarithms of the norms, from the least to the largest."""
    first, last = "loss …" if flow.begins_before else "loss", "… input" if flow.goes_on else "input"
    rows: list[Step | str] = [first, *flow.steps, last]
    names = [row if isinstance(row, str) else _cut(row.name) for row in rows]
    bars = round(_LEFT + _INDENT + _CHARACTER * max(map(len, names)) + _INDENT)
    width, height = bars + _LONGEST_BAR + _NUMBER, _ROW * len(rows) + _ROW // 2
    middle = [_ROW * index + 3 * _ROW // 4 for index in range(len(rows))]
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"><style>{_STYLE}</style>',
        f'<rect class="ground" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="5"/>',
        *(_ground(y, width) for row, y in zip(rows, middle, strict=True) if isinstance(row, Step) and row.marked),
        f'<path class="way" d="M{_LEFT} {middle[0]}V{middle[-1]}"/>',
    ]
    length = _scale([row.norm for row in flow.steps if row.norm])
    for row, name, y in zip(rows, names, middle, strict=True):
        pieces.append(_text(_LEFT + _INDENT, y, name, "" if isinstance(row, Step) else "end"))
        pieces += _step(row, y, bars, length) if isinstance(row, Step) else [_dot(y, "#768390")]
    return "".join([*pieces, "</svg>"])


def _step(step: Step, y: int, bars: int, length: Callable[[float], float]) -> Iterator[str]:
    """Yield the dot of a step, and its gradient: a bar with its norm, or in words what it is."""
    colour = _COLOURS[step.verdict]
    yield _dot(y, colour)
    if not step.norm or not math.isfinite(step.norm):
        yield _text(bars, y, MEANINGS.get(step.sign, ""), "end")
        return
    bar = length(step.norm)
    yield f'<rect x="{bars}" y="{y - 4}" width="{bar:.0f}" height="8" rx="2" fill="{colour}"/>'
    yield _text(bars + bar + 6, y, words.number(step.norm), "end")


def _scale(norms: Sequence[float]) -> Callable[[float], float]:
    """Return what gives a norm the length of its bar."""
    logarithms = [math.log(norm) for norm in norms if math.isfinite(norm)]
    least, largest = min(logarithms, default=0.0), max(logarithms, default=0.0)
    span = max(largest - least, math.log(10))  # what differs by less looks alike

    def length(norm: float) -> float:
        return _LONGEST_BAR - (_LONGEST_BAR - _SHORTEST_BAR) * (largest - math.log(norm)) / span

    return length


def _ground(y: int, width: int) -> str:
    return f'<rect class="marked" x="1" y="{y - _ROW // 2}" width="{width - 2}" height="{_ROW}"/>'


def _dot(y: int, colour: str) -> str:
    return f'<circle cx="{_LEFT}" cy="{y}" r="5" fill="{colour}"/>'


def _text(x: float, y: int, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y + 4}">{escape(text)}</text>'


def _cut(name: str) -> str:
    """Return a name that fits; what tells layers apart stands at its end."""
    return name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
