"""The statements of a probe: the model, its inputs, the call, and a loss that fits what comes back."""

from __future__ import annotations

import re

from . import losses
from .program import FunctionNode
from .rendering import Renderer
from .values import Key

_MOST_TERMS = 2


def render_body(
    renderer: Renderer, class_name: str, methods: list[FunctionNode | None], todo: list[str], width: int
) -> list[str]:
    """Return the statements of a probe, without indentation, the longest about `width` characters before breaking.

    `methods` are those that it calls: the forward, or `None` for that of a layer, and further ones.
    """
    given = [_inputs(renderer, method) for method in methods]
    values = {key: renderer.value(key) for one in given for key, _ in one}  # first, to know every name the probe needs
    built = renderer.built(("model",), class_name)
    model = "net" if "model" in renderer.used else "model"
    names = {key: renderer.local(_name(key)) for key in values}
    outputs = [renderer.outcome.output, *renderer.outcome.further.values()]
    lines_of_all: list[str] = []
    for method, called_with, output in zip(methods, given, outputs, strict=True):
        call = f"{_callee(model, method)}({', '.join(written.format(names[key]) for key, written in called_with)})"
        reading = losses.read_output(output, None if lines_of_all else method, renderer.style.quoted)
        lines = _loss(renderer, reading, call, width)
        lines_of_all += (
            [re.sub("^loss = (?!loss )", "loss = loss + ", line) for line in lines] if lines_of_all else lines
        )
    return [
        *renderer.statements,
        f"{model} = {built}",
        *(f"{model}.{name}({', '.join(given)})" for name, given in _first_calls(renderer)),
        *(f"{names[key]} = {value}" for key, value in values.items()),
        *(f"# TODO: {sentence}" for sentence in todo),
        *lines_of_all,
        f"return {model}, loss",
    ]


def _inputs(renderer: Renderer, forward: FunctionNode | None) -> list[tuple[Key, str]]:
    """Return the guesses that forward is called with, and how each is passed (`{}`, or by name)."""
    if forward is None:
        return [(("input", "x"), "{}")]
    state, visited = renderer.outcome.state, renderer.outcome.visited
    parameters = forward.args
    found: list[tuple[Key, str]] = []
    skipped = False
    for parameter in [*parameters.posonlyargs, *parameters.args][1:]:
        key: Key = ("input", parameter.arg)
        if key in state and key in visited:
            found.append((key, f"{parameter.arg}={{}}" if skipped else "{}"))
        else:
            skipped = True
    if parameters.vararg and ("input", parameters.vararg.arg) in state:
        found += [(child, "{}") for child in renderer.children(("input", parameters.vararg.arg))]
    for parameter in parameters.kwonlyargs:
        if ("input", parameter.arg) in visited:
            found.append((("input", parameter.arg), f"{parameter.arg}={{}}"))
    return found


def _first_calls(renderer: Renderer) -> list[tuple[str, list[str]]]:
    """Return the methods to call before forward, with their arguments."""
    keys = [key for key in renderer.outcome.state if key[0] == "first" and len(key) == 2]
    return [(str(key[1]), [f"{child[-1]}={renderer.value(child)}" for child in renderer.children(key)]) for key in keys]


def _callee(model: str, entry: FunctionNode | None) -> str:
    return model if entry is None or entry.name == "forward" else f"{model}.{entry.name}"


def _name(key: Key) -> str:
    """Return a name for an input: its own, or for one of several that of all with its number."""
    last = key[-1]
    return last if isinstance(last, str) else f"{re.sub('s$', '', str(key[-2]))}{last + 1}"


def _loss(renderer: Renderer, reading: losses.Reading, call: str, width: int) -> list[str]:
    if reading.is_loss and reading.target == "out":
        return [f"loss = {reading.chosen[0].expression.replace('out', call, 1)}"]
    taken = f"{reading.target} = {call}"
    if reading.is_loss:
        return [taken] if reading.chosen[0].expression == "loss" else [taken, f"loss = {reading.chosen[0].expression}"]
    if not reading.chosen:
        return [
            taken,
            "# TODO: nothing that comes back takes a gradient; make the loss of something else",
            "loss = out",
        ]
    terms = [_term(renderer, leaf) for leaf in reading.chosen]
    in_one_line = f"loss = {' + '.join(terms)}"
    if len(terms) == 1 or (len(terms) <= _MOST_TERMS and len(in_one_line) <= width):
        return [taken, in_one_line]
    if any(leaf.is_distribution or leaf.is_loss for leaf in reading.chosen):
        return [taken, f"loss = {terms[0]}", *(f"loss = loss + {term}" for term in terms[1:])]
    parts = reading.over or f"({', '.join(leaf.expression for leaf in reading.chosen)})"
    return [taken, f"loss = sum({_term(renderer, losses.Leaf('part', reading.chosen[0].tensor))} for part in {parts})"]


def _term(renderer: Renderer, leaf: losses.Leaf) -> str:
    if leaf.is_loss:
        return leaf.expression
    if leaf.is_distribution:
        return f"-{leaf.expression}.log_prob({leaf.expression}.sample()).mean()"
    target = f"{renderer.torch('randn_like')}({leaf.expression})"
    if leaf.tensor.dtype.startswith("complex"):
        return f"({leaf.expression} - {target}).abs().pow(2).mean()"
    return f"{renderer.functional('mse_loss')}({leaf.expression}, {target})"
