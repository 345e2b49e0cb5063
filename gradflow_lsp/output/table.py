"""The table of a probe's parameters, laid out as lines of text that fit a terminal's width.

Where it is narrow, what matters least gives way: the folder of a layer's file, then the middle of long names, then, so
that names stay readable and apart, the columns weight, shape and layer. Nothing is ever wrapped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from gradflow_lsp.annotate.words import Label, number
from gradflow_lsp.probe.report import ParameterReport

STYLES = {"error": "bold red", "warning": "yellow", "information": "cyan", "hint": "dim", None: ""}
"""The colour of each severity."""

GAP = "  "
NUMERIC = ("gradient", "weight")
DROPS = ((), ("weight",), ("weight", "shape"), ("weight", "shape", "layer"))
READABLE, LEAST = 24, 12
"""Cells that a parameter's name keeps while there are columns to drop, and those it keeps in any case."""


def table_lines(parameters: Sequence[ParameterReport], width: int, label: Label) -> Iterator[Text]:
    """Yield a header and one line a parameter, in the order given, each of at most `width` terminal cells."""
    columns = {
        "verdict": [label(p) for p in parameters],
        "parameter": [p.name for p in parameters],
        "shape": ["×".join(map(str, p.shape)) or "scalar" for p in parameters],
        "gradient": [number(p.grad_norm) for p in parameters],
        "weight": [number(p.weight_norm) for p in parameters],
        "layer": [_layer(p) for p in parameters],
    }
    if _room_for_names(columns, width) < _widest(columns, "parameter"):
        columns["layer"] = [PurePath(place).name for place in columns["layer"]]
    for dropped in DROPS:
        kept = {name: cells for name, cells in columns.items() if name not in dropped}
        room = _room_for_names(kept, width)
        if room >= min(READABLE, _widest(kept, "parameter")) and _stay_apart(kept["parameter"], room):
            break
    widths = {name: _widest(kept, name) for name in kept}
    widths["parameter"] = min(widths["parameter"], max(room, LEAST))
    yield _line({name: name for name in kept}, widths, "dim")
    for row, parameter in enumerate(parameters):
        line = _line({name: cells[row] for name, cells in kept.items()}, widths)
        line.stylize(STYLES[parameter.severity], 0, len(columns["verdict"][row]))
        yield line


def shorten(text: str, width: int) -> str:
    """Return `text` with its middle left out so that it takes at most `width` terminal cells."""
    if cell_len(text) <= width:
        return text
    tail = (width - 1) * 2 // 3
    head = width - 1 - tail
    return set_cell_size(text, head) + "…" + set_cell_size(text[::-1], tail)[::-1]


def _stay_apart(names: Sequence[str], width: int) -> bool:
    """Tell whether different names are still different when they are shortened."""
    return len({shorten(name, width) for name in names}) == len(set(names))


def _layer(parameter: ParameterReport) -> str:
    location = parameter.location
    return f"{location.path}:{location.line}" if location else ""


def _widest(columns: dict[str, list[str]], name: str) -> int:
    return max(map(cell_len, (name, *columns[name])))


def _room_for_names(columns: dict[str, list[str]], width: int) -> int:
    others = sum(_widest(columns, name) for name in columns if name != "parameter")
    return width - others - len(GAP) * (len(columns) - 1)


def _line(cells: dict[str, str], widths: dict[str, int], style: str = "") -> Text:
    padded = []
    for name, width in widths.items():
        text = shorten(cells[name], width)
        space = " " * (width - cell_len(text))
        padded.append(space + text if name in NUMERIC else text + space)
    return Text(GAP.join(padded).rstrip(), style)
