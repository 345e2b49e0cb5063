"""The flow bar: one sign for each layer from the loss back to the input, so that a break catches the eye."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from gradflow_lsp.probe.report import ParameterReport

_HEIGHTS = "▁▂▃▄▅▆▇█"
_MISSING, _ZERO, _NONFINITE, _FROZEN = "×", "0", "!", "·"
_DECADES = 8.0
"""How many powers of ten below the largest gradient the lowest bar stands for."""
_MOST_LAYERS = 40

_MEANINGS = {_MISSING: "no gradient", _ZERO: "exactly 0", _NONFINITE: "NaN or infinite", _FROZEN: "frozen"}


def flow_bar(parameters: Iterable[ParameterReport], marked: Collection[str] = ()) -> str:
    """Return the bar of a model, the layers with a name in `marked` (names of parameters) in brackets.

    Heights are root mean squares of the gradients on a logarithmic scale. A long model is cut to what lies around the
    marked layer.
    """
    modules: dict[str, list[ParameterReport]] = {}
    for parameter in parameters:
        modules.setdefault(parameter.module, []).append(parameter)
    layers = list(modules.values())[::-1]
    is_marked = [any(p.name in marked for p in layer) for layer in layers]
    first, last = _window(is_marked)
    largest = max((_rms(layer) for layer in layers), default=0.0)
    signs = []
    for index in range(first, last):
        sign = _sign(layers[index], largest)
        opens = is_marked[index] and not (index > first and is_marked[index - 1])
        closes = is_marked[index] and not (index + 1 < last and is_marked[index + 1])
        signs.append(("[" if opens else "") + sign + ("]" if closes else ""))
    return f"loss {'… ' if first else ''}{''.join(signs)}{' …' if last < len(layers) else ''} input"


def legend(bar: str) -> str:
    """Return what the signs in a bar mean, but for the heights; empty where there are no others."""
    return ", ".join(f"{sign} {meaning}" for sign, meaning in _MEANINGS.items() if sign in bar)


def _window(is_marked: list[bool]) -> tuple[int, int]:
    if len(is_marked) <= _MOST_LAYERS:
        return 0, len(is_marked)
    middle = is_marked.index(True) if True in is_marked else 0
    first = max(0, min(middle - _MOST_LAYERS // 2, len(is_marked) - _MOST_LAYERS))
    return first, first + _MOST_LAYERS


def _sign(layer: list[ParameterReport], largest: float) -> str:
    verdicts = [p.verdict for p in layer]
    if "nonfinite" in verdicts:
        return _NONFINITE
    rms = _rms(layer)
    if rms > 0:
        height = 1 + math.log10(rms / largest) / _DECADES
        return _HEIGHTS[max(0, min(7, int(height * 8)))]
    if "missing" in verdicts:
        return _MISSING
    return _FROZEN if set(verdicts) == {"frozen"} else _ZERO


def _rms(layer: list[ParameterReport]) -> float:
    norms = [p for p in layer if p.grad_norm is not None and math.isfinite(p.grad_norm)]
    count = sum(math.prod(p.shape) for p in norms)
    return math.hypot(*(p.grad_norm or 0.0 for p in norms)) / math.sqrt(count) if count else 0.0
