"""What stands behind each line that defines a layer: its verdict, or the norm of its gradient."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.board import Shown
from gradflow_lsp.annotate.hidden import Hidden
from gradflow_lsp.annotate.layers import defined_layers
from gradflow_lsp.probe.report import ParameterReport


@dataclass(frozen=True)
class Hint:
    """A few words for the end of a line (from 1), and a line a parameter for whoever points at them."""

    line: int
    label: str
    tooltip: str


def hints(pinned: Iterable[Shown], path: str, show: str) -> list[Hint]:
    """Return one hint for each line of a file that ends a layer's definition; `show` is `verdict`, `norm` or `off`.

    Where several reports know a line, the first speaks.
    """
    found: dict[int, Hint] = {}
    if show == "off":
        return []
    for shown in pinned:
        lines: dict[int, list[ParameterReport]] = {}
        for layer in defined_layers(shown, path):
            lines.setdefault(layer.at.end_line, []).extend(layer.parameters)
        for line, parameters in lines.items():
            label = _norm(parameters) if show == "norm" else _verdict(parameters, shown.hidden)
            tooltip = "\n".join(
                f"{p.name}: {shown.hidden.label(p)}, norm {words.number(p.grad_norm)}" for p in parameters
            )
            mark = " (stale)" if shown.stale else ""
            found.setdefault(line, Hint(line, label + mark, tooltip))
    return sorted(found.values(), key=lambda hint: hint.line)


def _verdict(parameters: Sequence[ParameterReport], hidden: Hidden) -> str:
    """Return the worst verdict, one that no comment hides if there is any, and how many have it."""

    def order(parameter: ParameterReport) -> tuple[bool, bool, int]:
        is_hidden = parameter.name in hidden.parameters
        return parameter.severity is None, is_hidden, words.WORST_FIRST.index(parameter.verdict)

    worst = min(parameters, key=order)
    label = hidden.label(worst)
    count = sum(hidden.label(p) == label for p in parameters)
    return label if count == len(parameters) else f"{count} of {len(parameters)} {label}"


def _norm(parameters: Sequence[ParameterReport]) -> str:
    norms = [p.grad_norm for p in parameters if p.grad_norm is not None]
    return f"grad {words.number(math.hypot(*norms))}" if norms else "no grad"
