"""The gradient's way from the loss back to the input, layer by layer on one line, so that a break catches the eye."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from gradflow_lsp.annotate.names import common_module
from gradflow_lsp.annotate.words import WORST_FIRST, counted
from gradflow_lsp.probe.report import ParameterReport, Verdict

_SIGNS: dict[Verdict, str] = {
    "healthy": "✓", "reached": "✓", "missing": "✗", "zero": "0", "vanishing": "↓", "exploding": "↑",
    "nonfinite": "!", "unregistered": "?", "frozen": "–",
}  # fmt: skip
_MEANINGS = {
    "✗": "no gradient", "0": "exactly 0", "↓": "too small", "↑": "too large", "!": "NaN or infinite",
    "?": "in no optimizer", "–": "frozen",
}  # fmt: skip

_FEW = 6
"""How many layers are each named; of more, neighbours that fare alike are told as one."""
_MOST_STEPS = 9


@dataclass(frozen=True)
class _Layer:
    parameters: tuple[ParameterReport, ...]
    sign: str
    marked: bool


def flow_line(parameters: Iterable[ParameterReport], marked: Collection[str] = ()) -> str:
    """Return the flow of a model, `loss → last ✓ · [first ✗] → input`, and what its signs mean.

    The layers with a name in `marked` (names of parameters) stand in brackets. Of a long way, what lies around them is
    shown.
    """
    layers = list(_layers(parameters, marked))
    if len(layers) <= _FEW:
        steps = [[layer] for layer in layers]
    else:
        steps = [list(alike) for _, alike in groupby(layers, lambda layer: (layer.sign, layer.marked))]
    first, last = _window([step[0].marked for step in steps])
    shown = [*(["…"] if first else []), *map(_step, steps[first:last]), *(["…"] if last < len(steps) else [])]
    signs = {step[0].sign for step in steps[first:last]}
    meanings = ", ".join(f"{sign} {meaning}" for sign, meaning in _MEANINGS.items() if sign in signs)
    return f"`loss → {' · '.join(shown)} → input`{f' ({meanings})' if meanings else ''}"


def _layers(parameters: Iterable[ParameterReport], marked: Collection[str]) -> Iterator[_Layer]:
    """Yield the layers from the loss backwards, as far as the order of definition tells."""
    modules: dict[str, list[ParameterReport]] = {}
    for parameter in parameters:
        modules.setdefault(parameter.module, []).append(parameter)
    for layer in reversed(modules.values()):
        worst = min((p.verdict for p in layer), key=WORST_FIRST.index)
        yield _Layer(tuple(layer), _SIGNS[worst], any(p.name in marked for p in layer))


def _step(layers: list[_Layer]) -> str:
    """Return one layer by its name, several by their number and the module that holds them all."""
    parameters = [p for layer in layers for p in layer.parameters]
    if len(layers) == 1:
        name = parameters[0].module or parameters[0].type
    else:
        module = common_module(parameters)
        name = counted(len(layers), "layer") + (f" of {module}" if module else "")
    step = f"{name} {layers[0].sign}"
    return f"[{step}]" if layers[0].marked else step


def _window(is_marked: list[bool]) -> tuple[int, int]:
    if len(is_marked) <= _MOST_STEPS:
        return 0, len(is_marked)
    middle = is_marked.index(True) if True in is_marked else 0
    first = max(0, min(middle - _MOST_STEPS // 2, len(is_marked) - _MOST_STEPS))
    return first, first + _MOST_STEPS
