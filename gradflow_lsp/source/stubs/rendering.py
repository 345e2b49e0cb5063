"""Guesses as expressions, in the words of the file that they are written for."""

from __future__ import annotations

import ast
from typing import Any

from .guesses import DEFAULT_BOUND, MORE_NAMES, Built, Factory, Fields, Named, Plain, Several, StandIn, TensorGuess
from .program import Program
from .solving import Outcome
from .standing_in import stand_in_class
from .style import Style
from .values import Key, Size


class Renderer:
    """Writes guesses as expressions in a file's own names.

    `imports` collects what the file lacks for that, `statements` the arguments that get a line of their own.
    """

    def __init__(self, program: Program, style: Style, outcome: Outcome) -> None:
        self.program = program
        self.style = style
        self.outcome = outcome
        self.imports: dict[str, None] = {}
        self.used: set[str] = set()
        self.locals: set[str] = set()
        self.statements: list[str] = []
        self.stand_ins: dict[tuple[bool, bool], str] = {}

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
                return self._several(
                    [self.value((*key, at)) for at in range(length) if (*key, at) in self.outcome.state], form
                )
            case Fields(form=form):
                return self._fields(key, form)
            case Named(dotted=dotted, called=called, sizes=sizes):
                return self._named(dotted) + (f"({', '.join(map(str, sizes))})" if called else "")
            case Factory(names=names, out=out, width=width):
                return f"lambda {', '.join(names)}: {self.spelled('torch.nn.Linear')}({width}, {out})"
            case StandIn(ids=ids):
                return self._stand_in(key, ids)
            case Built(class_name=name):
                return self.built(key, name)
        return "None"

    def built(self, key: Key, name: str) -> str:
        """Return the call that builds an object of a class of the file."""
        self.used.add(name)
        by_position, in_order = _parameters(self.program, name)
        parts: list[str] = []
        for at, child in enumerate(self.children(key)):
            written = self.argument(child)
            leads = at < len(in_order) and child[-1] == in_order[at] and len(parts) == at
            speaks_for_itself = (
                leads and (written in self.locals or written.endswith("()")) and not any("=" in one for one in parts)
            )
            parts.append(written if child[-1] in by_position or speaks_for_itself else f"{child[-1]}={written}")
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
        """Return a name for a local variable, that hides nothing the probe needs and no other local."""
        taken = (
            {"model", "loss", "out"}
            | self.used
            | self.locals
            | self.program.classes.keys()
            | self.program.imports.keys()
        )
        while name in taken:
            name += "_"
        self.locals.add(name)
        return name

    def tensor(self, key: Key, guess: TensorGuess) -> str:
        """Return the expression that makes an input tensor, or an array."""
        return self._made(key, guess) + (".numpy()" if guess.array else "")

    def _made(self, key: Key, guess: TensorGuess) -> str:
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
                options = [f"dtype={self.torch(guess.dtype)}"] if guess.dtype != "float32" else []
                return f"{self.torch(guess.fill)}({', '.join([shape, *options] if sizes else ['()', *options])})"
        options += ["requires_grad=True"] if guess.needs_grad else []
        maker = self.torch("rand" if guess.fill == "uniform" else "randn")
        return f"{maker}({', '.join([shape or '()', *options])})"

    def children(self, key: Key) -> list[Key]:
        """Return the guesses right below `key` that the walk looked at, in order."""
        return [one for one in self.outcome.visited if len(one) == len(key) + 1 and one[: len(key)] == key]

    def _size(self, dim: Any, size: int) -> str:
        name = dim.origin.key[0] if isinstance(dim, Size) and dim.origin.what == "constant" else dim
        constant = self.program.constants.get(name) if isinstance(name, str) else None
        if (
            isinstance(name, str)
            and constant is not None
            and (name is not dim or getattr(constant, "value", 0) == size)
        ):
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

    def _stand_in(self, key: Key, ids: bool) -> str:
        """Return the call that makes a module of the probe's own, whose class is written above."""
        settings = [f"{child[-1]}={self.value(child)}" for child in self.children(key)]
        kind = (ids, bool(settings))
        if kind not in self.stand_ins:
            self.stand_ins[kind] = self.local("StandIn")
            self.statements += stand_in_class(self.stand_ins[kind], self, ids=ids, with_settings=bool(settings))
        name = self.stand_ins[kind]
        return f"{name}({', '.join(settings)})"

    def _several(self, items: list[str], form: str) -> str:
        inside = ", ".join(items)
        if form == "ModuleList":
            return f"{self.spelled('torch.nn.ModuleList')}([{inside}])"
        if form == "tuple":
            return f"({inside},)" if len(items) == 1 else f"({inside})"
        return f"[{inside}]"

    def _fields(self, key: Key, form: str) -> str:
        parts = [(str(child[-1]), self.value(child)) for child in self.children(key) if child[-1] != "__class__"]
        kind = self.outcome.state.get((*key, "__class__", "__name__"))
        if isinstance(kind, Plain):  # the code asks what class it is of
            inside = ", ".join(f"{self.style.quoted(name)}: {written}" for name, written in parts)
            return f"type({self.style.quoted(str(kind.value))}, (), {{{inside}}})()"
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
        if first in self.program.names - self.program.imports.keys():
            self.used.add(first)
            return dotted
        return self.spelled(dotted)


def _parameters(program: Program, class_name: str) -> tuple[list[str], list[str]]:
    """Return the parameters of a constructor: those that have no name for the caller, and all in order."""
    for member in program.classes[class_name].body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            nameless = [one.arg for one in member.args.posonlyargs]
            return nameless, [*nameless, *(one.arg for one in member.args.args)][1:]
    return [], []


def _plain(value: Any) -> str:
    return repr(int(value)) if isinstance(value, int) and not isinstance(value, bool) else repr(value)
