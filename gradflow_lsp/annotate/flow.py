"""The gradient's way from the loss back to the input, layer by layer, and as one line where a break catches the eye."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from gradflow_lsp.annotate.names import common_module
from gradflow_lsp.annotate.words import WORST_FIRST, counted
from gradflow_lsp.probe.report import ParameterReport, Verdict

_SIGNS: dict[Verdict, str] = {
    "healthy": "✓", "reached": "✓", "missing": "✗", "zero": "0", "vanishing": "↓", "exploding": "↑",
    "nonfinite": "!", "unregistered": "?", "frozen": "–",
}  # fmt: skip
MEANINGS = {
    "✗": "no gradient", "0": "exactly 0", "↓": "too small", "↑": "too large", "!": "NaN or infinite",
    "?": "in no optimizer", "–": "frozen",
}  # fmt: skip
"""What the signs mean; the tick needs no words."""

_FEW = 6
"""How many layers are each named; of more, neighbours that fare alike are told as one."""
_MOST_STEPS = 9


@dataclass(frozen=True)
class Step:
    """A layer on the way, or neighbours that fare alike; `verdict` is the worst of their parameters'."""

    parameters: tuple[ParameterReport, ...]
    layers: int
    verdict: Verdict
    marked: bool

    @property
    def sign(self) -> str:
        """The verdict as one character."""
        return _SIGNS[self.verdict]

    @property
    def name(self) -> str:
        """One layer's name; of several, their number and the module that holds them all."""
        if self.layers == 1:
            return self.parameters[0].module or self.parameters[0].type
        module = common_module(self.parameters)
        return counted(self.layers, "layer") + (f" of {module}" if module else "")

    @property
    def norm(self) -> float | None:
        """The largest gradient of a parameter; `None` where none has one."""
        return max((p.grad_norm for p in self.parameters if p.grad_norm is not None), default=None)


@dataclass(frozen=True)
class Flow:
    """The steps from the loss backwards that are shown, and whether others lie before or behind them."""

    steps: tuple[Step, ...]
    begins_before: bool
    goes_on: bool


def flow_of(parameters: Iterable[ParameterReport], marked: Collection[str] = ()) -> Flow:
    """Return the flow of a model. Of a long way, what lies around the marked layers is shown.

    Marked are the layers with a name in `marked` (names of parameters).
    """
    layers = list(_layers(parameters, marked))
    if len(layers) <= _FEW:
        steps = layers
    else:
        alike = groupby(layers, lambda layer: (layer.sign, layer.marked))
        steps = [_joined(list(group)) for _, group in alike]
    first, last = _window([step.marked for step in steps])
    return Flow(tuple(steps[first:last]), first > 0, last < len(steps))


def flow_line(flow: Flow) -> str:
    """Return the flow as `loss → last ✓ · [first ✗] → input`, the marked ones in brackets, and what its signs mean."""
    shown = [f"[{step.name} {step.sign}]" if step.marked else f"{step.name} {step.sign}" for step in flow.steps]
    way = " · ".join([*(["…"] if flow.begins_before else []), *shown, *(["…"] if flow.goes_on else [])])
    signs = {step.sign for step in flow.steps}
    meanings = ", ".join(f"{sign} {meaning}" for sign, meaning in MEANINGS.items() if sign in signs)
    return f"`loss → {way} → input`{f' ({meanings})' if meanings else ''}"


def _layers(parameters: Iterable[ParameterReport], marked: Collection[str]) -> Iterator[Step]:
    """Yield the layers from the loss backwards, as far as the order of definition tells."""
    modules: dict[str, list[ParameterReport]] = {}
    for parameter in parameters:
        modules.setdefault(parameter.module, []).append(parameter)
    for layer in reversed(modules.values()):
        worst = min((p.verdict for p in layer), key=WORST_FIRST.index)
        yield Step(tuple(layer), 1, worst, any(p.name in marked for p in layer))


def _joined(steps: Sequence[Step]) -> Step:
    parameters = tuple(p for step in steps for p in step.parameters)
    return replace(steps[0], parameters=parameters, layers=len(steps))


def _window(is_marked: list[bool]) -> tuple[int, int]:
    if len(is_marked) <= _MOST_STEPS:
        return 0, len(is_marked)
    middle = is_marked.index(True) if True in is_marked else 0
    first = max(0, min(middle - _MOST_STEPS // 2, len(is_marked) - _MOST_STEPS))
    return first, first + _MOST_STEPS
