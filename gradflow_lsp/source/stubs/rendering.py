"""The source of a probe, as somebody who knows the class would write it."""

from __future__ import annotations

import ast
import re
from typing import Any

from . import losses
from .guesses import DEFAULT_BOUND, MORE_NAMES, Built, Fields, Guess, Named, Plain, Several, TensorGuess
from .program import FunctionNode, Program
from .solving import Outcome
from .style import Style
from .values import Key, Size


class Renderer:
    """Writes guesses as expressions in a file's own names; `imports` collects what the file lacks for that."""

    def __init__(self, program: Program, style: Style, outcome: Outcome) -> None:
        self.program = program
        self.style = style
        self.outcome = outcome
        self.imports: dict[str, None] = {}
        self.used: set[str] = set()
        self.statements: list[str] = []

    # names

    def spelled(self, dotted: str) -> str:
        """Return how the file calls something of torch, importing torch where nothing of it is at hand."""
        written = self.program.spell(dotted)
        if written is None:
            self.imports["import torch"] = None
            written = dotted
        self.used.add(written.partition(".")[0])
        return written

    def torch(self, name: str) -> str:
        """Return how the file calls a function of `torch` itself."""
        home = self.program.spell("torch")
        if home is None:
            self.imports["import torch"] = None
            home = "torch"
        self.used.add(home.partition(".")[0])
        return f"{home}.{name}"

    def functional(self, name: str) -> str:
        """Return how the file calls a function of `torch.nn.functional`."""
        home = self.program.spell("torch.nn.functional")
        if home is None:
            return self.torch(f"nn.functional.{name}")
        self.used.add(home.partition(".")[0])
        return f"{home}.{name}"

    # values

    def value(self, key: Key) -> str:
        """Return the expression for the guess at `key`."""
        guess = self.outcome.state[key]
        match guess:
            case Plain(value=value):
                return self.style.quoted(value) if isinstance(value, str) else _plain(value)
            case TensorGuess():
                return self.tensor(key, guess)
            case Several(length=length, form=form):
                return self._several([self.value((*key, at)) for at in range(length)], form)
            case Fields(form=form):
                return self._fields(key, form)
            case Named(dotted=dotted, called=called):
                return self._named(dotted) + ("()" if called else "")
            case Built(class_name=name):
                return self.built(key, name)
        return "None"

    def built(self, key: Key, name: str) -> str:
        """Return the call that builds an object of a class of the file."""
        self.used.add(name)
        positional = set(_positional_only(self.program, name))
        parts = []
        for child in self.children(key):
            written = self.argument(child)
            parts.append(written if child[-1] in positional else f"{child[-1]}={written}")
        return f"{name}({', '.join(parts)})"

    def argument(self, key: Key) -> str:
        """Return an argument: written in place where it is short, else given a line and a name of its own."""
        written = self.value(key)
        guess = self.outcome.state[key]
        if isinstance(guess, (Built, Fields)) and len(written) > 24 and "(" in written.removesuffix("()"):
            name = self.local(str(key[-1]))
            self.statements.append(f"{name} = {written}")
            return name
        return written

    def local(self, name: str) -> str:
        """Return a name for a local variable that hides nothing the probe needs."""
        taken = self.used | self.program.classes.keys() | {"model", "loss", "out"}
        return f"{name}_" if name in taken else name

    def tensor(self, key: Key, guess: TensorGuess) -> str:
        """Return the expression that makes an input tensor."""
        sizes = [self._size(dim, size) for dim, size in zip(guess.dims, self.outcome.sizes[key], strict=True)]
        shape = ", ".join(sizes)
        in_brackets = f"({shape},)" if len(sizes) == 1 else f"({shape})"
        options = [] if guess.dtype in ("float32", "int64") else [f"dtype={self.torch(guess.dtype)}"]
        match guess.fill:
            case "ids":
                bound = guess.bound or DEFAULT_BOUND
                named = self._size(guess.bound, bound) if guess.bound else str(bound)
                return f"{self.torch('randint')}({', '.join(['0', named, in_brackets, *options])})"
            case "lengths":
                return f"{self.torch('full')}({', '.join([in_brackets, str(self._length(key)), *options])})"
            case "ones" | "zeros":
                return f"{self.torch(guess.fill)}({', '.join([shape, *options] if sizes else ['()', *options])})"
        options += ["requires_grad=True"] if guess.needs_grad else []
        maker = self.torch("rand" if guess.fill == "uniform" else "randn")
        return f"{maker}({', '.join([shape or '()', *options])})"

    def children(self, key: Key) -> list[Key]:
        """Return the guesses right below `key` that the walk looked at, in order."""
        return [one for one in self.outcome.visited if len(one) == len(key) + 1 and one[: len(key)] == key]

    def _size(self, dim: Any, size: int) -> str:
        name = dim.origin.key[0] if isinstance(dim, Size) and dim.origin.what == "constant" else dim
        if isinstance(name, str) and name in self.program.constants:
            self.used.add(name)
            return name
        return str(int(size))

    def _length(self, key: Key) -> int:
        """Return how long the sequences are that lengths belong to."""
        batch = self.outcome.sizes[key][:1]
        for other, sizes in self.outcome.sizes.items():
            if other != key and other[0] == "input" and len(sizes) > 1 and other in self.outcome.visited:
                if len(sizes) > 3:
                    return sizes[-1]
                return sizes[1] if sizes[:1] == batch else sizes[0]
        return 16

    def _several(self, items: list[str], form: str) -> str:
        inside = ", ".join(items)
        if form == "tuple":
            return f"({inside},)" if len(items) == 1 else f"({inside})"
        return f"[{inside}]"

    def _fields(self, key: Key, form: str) -> str:
        parts = [(str(child[-1]), self.value(child)) for child in self.children(key)]
        if form == "numbering":
            names = [self._key(name) for name, _ in parts] + [self.style.quoted(name) for name in MORE_NAMES]
            return f"{{name: number for number, name in enumerate([{', '.join(names)}])}}"
        if form == "mapping":
            return "{" + ", ".join(f"{self._key(name)}: {written}" for name, written in parts) + "}"
        home = self.program.spell("argparse.Namespace") or self.program.spell("types.SimpleNamespace")
        if home is None:
            self.imports["from types import SimpleNamespace"] = None
            home = "SimpleNamespace"
        self.used.add(home.partition(".")[0])
        return f"{home}({', '.join(f'{name}={written}' for name, written in parts)})"

    def _key(self, name: str) -> str:
        """Return a string key, by the name of the constant that holds it where there is one."""
        for constant, node in self.program.constants.items():
            if isinstance(node, ast.Constant) and node.value == name:
                self.used.add(constant)
                return constant
        return self.style.quoted(name)

    def _named(self, dotted: str) -> str:
        first = dotted.partition(".")[0]
        if first in self.program.classes or first in self.program.functions:
            self.used.add(first)
            return dotted
        return self.spelled(dotted)


def render_body(renderer: Renderer, class_name: str, forward: FunctionNode | None, todo: list[str]) -> list[str]:
    """Return the statements of a probe, without indentation."""
    outcome = renderer.outcome
    model = renderer.built(("model",), class_name)
    statements = [*renderer.statements, f"model = {model}"]
    renderer.statements = []
    call = []
    inputs: list[str] = []
    for key, written_as in _inputs(renderer, forward):
        name = renderer.local(str(key[-1]) if isinstance(key[-1], str) else f"{key[-2]}{key[-1]}".rstrip("s"))
        if isinstance(key[-1], int):
            name = f"{renderer.local(re.sub('s$', '', str(key[-2])))}{key[-1] + 1}"
        inputs.append(f"{name} = {renderer.value(key)}")
        call.append(written_as.format(name))
    statements += [*renderer.statements, *inputs]
    reading = losses.read_output(outcome.output, forward, renderer.style.quoted)
    statements += [f"# TODO: {sentence}" for sentence in todo]
    statements += _loss(renderer, reading, f"model({', '.join(call)})")
    return [*statements, "return model, loss"]


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


def _loss(renderer: Renderer, reading: losses.Reading, call: str) -> list[str]:
    if reading.is_loss and reading.target == "out":
        return [f"loss = {reading.chosen[0].expression.replace('out', call, 1)}"]
    taken = f"{reading.target} = {call}"
    if reading.is_loss:
        return [taken] if reading.chosen[0].expression == "loss" else [taken, f"loss = {reading.chosen[0].expression}"]
    if reading.over:
        needs_filter = len(reading.chosen) < len(reading.leaves) and not all(
            leaf.tensor.is_float for leaf in reading.leaves
        )
        suffix = " if part.is_floating_point()" if needs_filter else ""
        term = _term(renderer, losses.Leaf("part", reading.chosen[0].tensor))
        return [taken, f"loss = sum({term} for part in {reading.over}{suffix})"]
    terms = [_term(renderer, leaf) for leaf in reading.chosen]
    return [taken, f"loss = {' + '.join(terms) or '...'}"]


def _term(renderer: Renderer, leaf: losses.Leaf) -> str:
    if leaf.is_distribution:
        return f"-{leaf.expression}.log_prob({leaf.expression}.sample()).mean()"
    target = f"{renderer.torch('randn_like')}({leaf.expression})"
    if leaf.tensor.dtype.startswith("complex"):
        return f"({leaf.expression} - {target}).abs().pow(2).mean()"
    return f"{renderer.functional('mse_loss')}({leaf.expression}, {target})"


def _positional_only(program: Program, class_name: str) -> list[str]:
    for member in program.classes[class_name].body:
        if getattr(member, "name", "") == "__init__" and hasattr(member, "args"):
            return [one.arg for one in member.args.posonlyargs]
    return []


def _plain(value: Any) -> str:
    return repr(int(value)) if isinstance(value, int) and not isinstance(value, bool) else repr(value)


__all__ = ["Guess", "Renderer", "render_body"]
