"""The statements of a probe: the model, its inputs, the call, and a loss that fits what comes back."""

from __future__ import annotations

import re

from . import losses
from .program import FunctionNode
from .rendering import Renderer
from .values import UNKNOWN, Key

_MOST_TERMS = 2


def render_body(
    renderer: Renderer, class_name: str, calls: dict[str, FunctionNode | None], todo: list[str], width: int
) -> list[str]:
    """Return the statements of a probe, without indentation, the longest about `width` characters before breaking.

    `calls` has what it calls of the model, and the function that runs then; `None` is the forward of a layer.
    """
    given = {name: _inputs(renderer, method) for name, method in calls.items()}
    # first, to know every name the probe needs
    values = {key: renderer.value(key) for one in given.values() for key, _ in one}
    built = renderer.built(("model",), class_name)
    model = "net" if "model" in renderer.used else "model"
    names = {key: renderer.local(_name(key)) for key in values}
    lines_of_all: list[str] = []
    for name, method in calls.items():
        arguments = ", ".join(written.format(names[key]) for key, written in given[name])
        call = f"{_callee(model, name, method)}({arguments})"
        output = renderer.outcome.outputs.get(name, UNKNOWN)
        reading = losses.read_output(output, None if lines_of_all else method, renderer.style.quoted)
        lines = _loss(renderer, reading, call, width)
        added = [re.sub("^loss = (?!loss )", "loss = loss + ", line) for line in lines]
        lines_of_all += added if lines_of_all else lines
    return [
        *_globals(renderer),
        *renderer.statements,
        f"{model} = {built}",
        *(f"{model}.{name}({', '.join(values)})" for name, values in _first_calls(renderer)),
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


def _globals(renderer: Renderer) -> list[str]:
    """Return the statements that bind what the class takes from the file's main block."""
    keys = [key for key in renderer.outcome.visited if key[0] == "global" and len(key) == 2]
    if not keys:
        return []
    return [f"global {', '.join(str(key[1]) for key in keys)}", *(f"{key[1]} = {renderer.value(key)}" for key in keys)]


def _first_calls(renderer: Renderer) -> list[tuple[str, list[str]]]:
    """Return the methods to call before forward, with their arguments."""
    keys = [key for key in renderer.outcome.state if key[0] == "first" and len(key) == 2]
    return [(str(key[1]), [f"{child[-1]}={renderer.value(child)}" for child in renderer.children(key)]) for key in keys]


def _callee(model: str, called: str, method: FunctionNode | None) -> str:
    name = called or ("" if method is None or method.name == "forward" else method.name)
    return f"{model}.{name}" if name else model


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
