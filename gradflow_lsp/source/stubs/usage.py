"""How the file itself makes and calls a class: in its main block, a test, a factory function.

Those statements are walked like any other code, with the class under watch.
"""

from __future__ import annotations

import ast
import logging
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .code_values import ClassValue, External, Frame, Function, Instance, Layer, Partial
from .guesses import Fields, Guess, Named, Plain, Several, State, TensorGuess, fill_for
from .program import FunctionNode, Program, is_main_guard
from .values import DType, Key, Misfit, Tensor

if TYPE_CHECKING:
    from .hints import Hints

_log = logging.getLogger(__name__)

_STEPS = 20_000
_MOST_ELEMENTS = 12
_BATCH = 4
_LARGE = 100_000
_HELD = (Function, Layer, Instance, Partial, Tensor)
"""What a probe can only refer to by the name that the file holds it by."""


@dataclass
class Watch:
    """What a walk notes about one class: the arguments it was made with, and those it was called with."""

    class_name: str
    made: dict[str, Any] = field(default_factory=dict)
    called: dict[str, Any] = field(default_factory=dict)

    def note(self, callee: Any, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> None:
        """Take note of a call, if it is the first of its kind."""
        is_call = isinstance(callee, Instance)
        cls = callee.cls if isinstance(callee, Instance) else callee
        notes = self.called if is_call else self.made
        if isinstance(cls, ClassValue) and cls.name == self.class_name and not notes:
            names = [one.arg for one in function.node.args.args][1:] if isinstance(function, Function) else ["x"]
            notes.update(zip(names, arguments, strict=False))
            notes.update(keywords)


def usage_of(program: Program, hints: Hints, class_name: str) -> State:
    """Return the guesses that the file's own use of a class suggests."""
    from .walker import TooLong, Walker

    watch = Watch(class_name)
    for use in _uses(program, class_name):
        walker = Walker(program, hints, {}, steps=_STEPS)
        walker.watch = watch
        try:
            if isinstance(use, list):
                _walk_all(walker, use)
            else:
                walker.call_function(Function(use), [], {})
        except (Misfit, TooLong, RecursionError):
            pass
        except Exception:  # as in `solving`: how a class is used is a hint, no more
            _log.warning("reading how %s is used ended early", class_name, exc_info=True)
        if watch.made and watch.called:
            break
    state: State = {}
    for home, values in (("model", watch.made), ("input", watch.called)):
        for name, value in values.items():
            _suggest(walker, state, (home, name), value)
    return state


def _uses(program: Program, class_name: str) -> list[list[ast.stmt] | FunctionNode]:
    """Return what to walk: the main block and loose statements, then the functions that mention the class."""
    guarded = [inner for one in program.body if is_main_guard(one) and isinstance(one, ast.If) for inner in one.body]
    loose = [
        one for one in program.body if isinstance(one, (ast.Assign, ast.Expr, ast.With)) and _mentions(one, class_name)
    ]
    functions = [one for one in program.functions.values() if _mentions(one, class_name)]
    return [[*loose, *guarded], *functions]


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))


def _walk_all(walker: Any, statements: list[ast.stmt]) -> None:
    """Walk statements one by one: what follows a misfit may still be of use."""
    frame = Frame({})
    for statement in statements:
        try:
            walker.block([statement], frame)
        except Misfit:
            continue


def _suggest(walker: Any, state: State, key: Key, value: Any) -> None:
    held_as = walker.global_name(value) if isinstance(value, _HELD) and key[0] == "model" else None
    guess = Named(held_as) if held_as else _guess(value)
    if guess is None:
        return
    state[key] = guess
    parts = enumerate(value) if isinstance(guess, Several) else value.items() if isinstance(guess, Fields) else ()
    for name, part in parts:
        _suggest(walker, state, (*key, name), part)


def _guess(value: Any) -> Guess | None:
    """Return a noted value as a guess; `None` where it is not known well enough, or of no use."""
    if value is None or isinstance(value, DType):
        return None
    if isinstance(value, (bool, int, float, str)):
        plain = (bool, int, float, str)
        return Plain(next(kind(value) for kind in plain if isinstance(value, kind)))
    if isinstance(value, Tensor) and value.shape and None not in value.shape:
        first, *rest = (int(size) for size in value.shape if size is not None)
        is_batch = len(rest) > 0 and (first == 1 or first > 2 * _BATCH)
        batch = (_BATCH if math.prod(rest) < _LARGE else 2) if is_batch else first
        return TensorGuess((batch, *rest), value.dtype, fill_for("", value.dtype))
    if isinstance(value, (list, tuple)) and 0 < len(value) <= _MOST_ELEMENTS and all(_guess(one) for one in value):
        return Several(len(value), "tuple" if isinstance(value, tuple) else "list")
    if isinstance(value, dict) and 0 < len(value) <= _MOST_ELEMENTS and all(isinstance(name, str) for name in value):
        return Fields("mapping") if all(_guess(part) for part in value.values()) else None
    if isinstance(value, External) and value.dotted.startswith("torch."):
        return Named(value.dotted)
    if isinstance(value, ClassValue):
        return Named(value.name)
    return None
