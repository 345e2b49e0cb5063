"""What a file gives away about a class besides its code: shapes in docstrings and comments, defaults of its parsers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ..parsing import comments
from .docstrings import Said, shapes_said, sizes_mentioned, texts_about
from .entry import entry_of, method_of
from .guesses import Guess, Plain, TensorGuess, fill_for
from .program import FunctionNode, Program, defaults_of
from .values import Key
from .words import names_settings

_SIDE = re.compile(r"size|res|side|len|height|width|dim$")


@dataclass(frozen=True)
class Hints:
    """What a file says: `said` has the shapes of inputs by name, `sizes` the sides that pictures have.

    `values` of arguments by name are from its parsers, `settings` those that a class of settings gives its objects;
    `sides` are the arguments whose default may be the side of a picture, or the length of a sequence.
    """

    said: dict[tuple[str, ...], Said] = field(default_factory=dict)
    values: dict[str, bool | int | float | str] = field(default_factory=dict)
    sizes: tuple[int, ...] = ()
    settings: dict[str, bool | float | str] = field(default_factory=dict)
    sides: dict[str, int] = field(default_factory=dict)

    def applied(self, key: Key, guess: Guess) -> Guess:
        """Return a first guess made better by what the file says of it."""
        path = tuple(part for part in key[1:] if isinstance(part, str))
        if key[0] == "model" and path and path[-1] in self.values and isinstance(guess, Plain):
            return Plain(self.values[path[-1]])
        if key[0] == "model" and len(path) > 1 and path[-1] in self.settings and isinstance(guess, Plain):
            return Plain(self.settings[path[-1]])
        said = self.said.get(path) or (self.said.get(path[-1:]) if len(path) > 1 else None)
        if key[0] != "input" or said is None or not isinstance(guess, TensorGuess):
            return guess
        dtype = said.dtype or guess.dtype
        same = dtype == guess.dtype
        fill = guess.fill if same else fill_for(path[-1], dtype)
        return replace(guess, dims=said.dims, dtype=dtype, fill=fill, bound=256 if dtype == "uint8" else guess.bound)


def read_hints(program: Program, text: str, class_name: str) -> Hints:
    """Read what the file says about one of its classes."""
    cls = program.classes[class_name]
    forward = entry_of(program, class_name)
    constructor = method_of(program, class_name, "__init__")
    inputs = _parameters(forward)
    required = inputs[: len(inputs) - len(forward.args.defaults)] if forward else []
    alone = required[0] if len(required) == 1 else None
    known = {*_parameters(constructor), *program.constants}
    texts = texts_about(cls, forward, comments(text))
    said = shapes_said(texts, inputs or ["x"], alone, known)
    return Hints(said, _parser_defaults(program), sizes_mentioned(text), _settings(program), dict(_sides(constructor)))


def _parameters(function: FunctionNode | None) -> list[str]:
    if function is None:
        return []
    arguments = function.args
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)][1:]


def _sides(constructor: FunctionNode | None) -> Iterator[tuple[str, int]]:
    """Yield the defaults of a constructor that may be the side of a picture, or the length of a sequence."""
    for parameter, default in defaults_of(constructor) if constructor else ():
        value = default.value if isinstance(default, ast.Constant) else None
        if type(value) is int and 8 <= value <= 1024 and _SIDE.search(parameter.arg):
            yield parameter.arg, value


def _parser_defaults(program: Program) -> dict[str, bool | int | float | str]:
    """Return the defaults of `add_argument("--name", default=...)` calls."""
    found: dict[str, bool | int | float | str] = {}
    for call in _calls(program, "add_argument"):
        names = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        default = given.get("default")
        action = given.get("action")
        if isinstance(action, ast.Constant) and action.value in ("store_true", "store_false"):
            default = default or ast.Constant(action.value == "store_false")
        if names and isinstance(default, ast.Constant) and isinstance(default.value, (bool, int, float, str)):
            found.setdefault(names[-1].lstrip("-").replace("-", "_"), default.value)
    return found


def _settings(program: Program) -> dict[str, bool | float | str]:
    """Return the choices and shares that classes of settings put into attributes.

    Their sizes are left out: they are those of a training run, and not all are in the file.
    """
    found: dict[str, bool | float | str] = {}
    for cls in program.classes.values():
        for node in ast.walk(cls) if names_settings(cls.name) else ():
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                    value=ast.Constant(value=bool() | float() | str() as value),
                ) if "drop" not in name:
                    found.setdefault(name, value)
    return found


def _calls(program: Program, method: str) -> Iterator[ast.Call]:
    for statement in program.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
                yield node
