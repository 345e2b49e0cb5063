"""Goes through the statements of a class as Python would, with shapes in place of tensors.

It never gives up on something it does not know: that becomes `UNKNOWN`, and whatever follows from it too. It stops only
at a `Misfit` (the guesses cannot be right), or when the steps it may take are used up.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from . import arguments, calls, classes, explaining, expressions, items, needs, objects, realising, statements
from .code_values import External, Frame, Function
from .descent import depending_on
from .guesses import MORE_NAMES, Asked, Built, Fields, Plain, Several, State
from .hints import Hints
from .program import Program
from .usage import Watch
from .values import UNKNOWN, Fix, Items, Key, Misfit, Origin, Record, Shape, Size, Tensor, origin_of

_DEEPEST = 40


class TooLong(Exception):
    """The walk took more steps than it may."""


class Walker:
    """One walk: the guesses it goes by, and what it has come across.

    `scope` is what names in docstrings stand for once the `model` is built. `open_ended` has the guess of how many
    arguments a function with `*inputs` gets, `building` the guesses that objects are being built for, `defaults` the
    values of what was left out. `visited` are the guesses that were looked at, in order; `seen` the places of the file
    that were reached, a measure of how far the walk came.
    """

    def __init__(self, program: Program, hints: Hints, guesses: State, steps: int = 60_000) -> None:
        self.program = program
        self.hints = hints
        self.guesses = guesses
        self.steps = steps
        self.visited: dict[Key, None] = {}
        self.seen: set[tuple[int, int]] = set()
        self.without_grad = 0
        self.grads: set[Key] = set()
        self.counted: dict[Key, int] = {}
        self.watch: Watch | None = None
        self.scope: dict[str, Any] = {}
        self.open_ended: dict[ast.AST, Key] = {}
        self.building: list[Key] = []
        self.defaults: dict[Key, Any] = {}
        self.model: Any = None
        self._globals: dict[str, Any] = {}
        self._resolving: set[str] = set()
        self._frames: list[Frame] = []

    # names

    def lookup(self, name: str, frame: Frame | None) -> Any:
        """Return what a name stands for in a frame, in the file or among the builtins."""
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.parent
        if name not in self._globals:
            if name in self._resolving:
                return UNKNOWN
            self._resolving.add(name)
            self._globals[name] = self._resolve(name)
            self._resolving.discard(name)
        return self._globals[name]

    def _resolve(self, name: str) -> Any:
        program = self.program
        if name in program.functions:
            return Function(program.functions[name])
        if name in program.classes:
            return classes.define_class(self, program.classes[name])
        if name in program.constants:
            value = self.evaluate(program.constants[name], Frame({}))
            whole = isinstance(value, int) and not isinstance(value, bool)
            return Size(value, Origin((name,), "constant")) if whole else value
        if name in program.imports:
            return External(program.imports[name])
        if hasattr(builtins, name):
            return External(f"builtins.{name}")
        if name not in program.guarded:
            return UNKNOWN
        if self.building or self.model is not None:
            return self._from_main_block(name)
        return self.evaluate(program.guarded[name], Frame({}))

    def _from_main_block(self, name: str) -> Any:
        """Return what a probe gives a name that only the main block binds: the same, where that is plain."""
        kept = self._globals, self.building, self.model
        # what else that block binds is there while it runs
        self._globals, self.building, self.model = dict(self._globals), [], None
        value = self.evaluate(self.program.guarded[name], Frame({}))
        self._globals, self.building, self.model = kept
        if isinstance(value, (bool, int, float, str)):
            self.guesses.setdefault(("global", name), Plain(value))
        return self.value_at(("global", name))

    # expressions and calls

    def evaluate(self, node: ast.expr, frame: Frame) -> Any:
        """Return the value of an expression."""
        self._step(node)
        try:
            return expressions.evaluate(self, node, frame)
        except Misfit as misfit:
            misfit.line = misfit.line or node.lineno
            raise

    def call(self, callee: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Call anything that can be called."""
        return calls.call(self, callee, list(arguments), keywords)

    def call_function(self, function: Function, given: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Go through the body of a function of the file, and return what it returns; of a generator, all it yields."""
        if len(self._frames) >= _DEEPEST:
            return UNKNOWN
        node = function.node
        names = calls.bind(self, function, given, keywords)
        me = function.frame.me if function.frame else next(iter(names.values()), None)
        frame = Frame(names, function.frame, function.owner, me)
        if isinstance(node, ast.Lambda):
            return self.evaluate(node.body, frame)
        quiet = any(statements.is_no_grad(decorator) for decorator in node.decorator_list)
        self._frames.append(frame)
        self.without_grad += quiet
        try:
            self.block(node.body, frame)
        finally:
            self._frames.pop()
            self.without_grad -= quiet
        return frame.yields or frame.result

    # statements and assignment

    def block(self, body: Sequence[ast.stmt], frame: Frame) -> statements.Signal:
        """Go through statements; the answer says whether they ended in a `return`, `break` or `continue`."""
        for statement in body:
            self._step(statement)
            signal = statements.run(self, statement, frame)
            if signal:
                return signal
        return None

    def assign(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Bind a target to a value."""
        match target:
            case ast.Name(id=name):
                frame.names[name] = value
            case ast.Starred(value=inner):
                self.assign(inner, value, frame)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for one, part in zip(targets, self._unpacked(targets, value), strict=True):
                    self.assign(one, part, frame)
            case ast.Attribute(value=owner, attr=name):
                objects.set_attribute(self, self.evaluate(owner, frame), name, value)
            case ast.Subscript(value=owner, slice=index):
                container = self.evaluate(owner, frame)
                if isinstance(container, Tensor):
                    # written into, it now depends on what was written
                    merged = depending_on(container, [container, value])
                    if isinstance(owner, (ast.Name, ast.Attribute)):
                        self.assign(owner, replace(merged, source=None), frame)
                else:
                    items.set_item(container, self.evaluate(index, frame), value)

    def _unpacked(self, targets: list[ast.expr], value: Any) -> list[Any]:
        values = self.iterate(value)
        starred = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
        if values is None:
            return [UNKNOWN] * len(targets)
        if starred is not None and len(values) >= len(targets) - 1:
            after = len(targets) - starred - 1
            middle = values[starred : len(values) - after]
            return [*values[:starred], middle, *values[len(values) - after :]]
        if starred is None and len(values) == len(targets):
            return values
        names = tuple(target.id for target in targets if isinstance(target, ast.Name))
        fixes = _fixes_of_length(value, len(targets), names if len(names) == len(targets) else ())
        raise Misfit(f"{len(targets)} values are unpacked from {len(values)}", fixes)

    # what else the rooms next door need

    def value_at(self, key: Key, annotation: ast.expr | None = None) -> Any:
        """Return the value of the guess at `key`, making the guess where there is none yet."""
        self.visited[key] = None
        if self.guesses.get(key, Asked()) == Asked():
            if self.guesses.get(key[:-1]) == Fields("numbering"):
                names = self._names_in(key[:-1])
                self.guesses[key] = Plain(names.index(key) if key in names else len(names))
                return realising.realise(self, key, self.guesses[key])
            around = self.guesses.get(key[:-1])
            named = key
            if isinstance(around, Several) and around.names and isinstance(key[-1], int):
                named = (*key[:-1], around.names[key[-1]])
            self.guesses[key] = self.hints.applied(named, arguments.first_guess(self.program, named, annotation))
        if self._is_endless(key):
            self.guesses[key] = Plain(None)
        return realising.realise(self, key, self.guesses[key])

    def _is_endless(self, key: Key) -> bool:
        """Say whether an object is to be built that is itself part of building one of its kind."""
        guess = self.guesses[key]
        return isinstance(guess, Built) and any(self.guesses.get(key[:end]) == guess for end in range(1, len(key)))

    def count(self, record: Record) -> Any:
        """Return how many names a numbering holds; of another record that cannot be told."""
        if self.guesses.get(record.key) != Fields("numbering"):
            return UNKNOWN
        self.counted[record.key] = len(self._names_in(record.key))
        return self.counted[record.key] + len(MORE_NAMES)

    def miscounted(self) -> bool:
        """Say whether a numbering got further names after it was counted."""
        return any(len(self._names_in(key)) != count for key, count in self.counted.items())

    def _names_in(self, key: Key) -> list[Key]:
        return [one for one in self.guesses if len(one) == len(key) + 1 and one[:-1] == key]

    def global_name(self, value: Any) -> str | None:
        """Return the name by which the file itself holds that very object."""
        return next((name for name, one in self._globals.items() if one is value and name in self.program.names), None)

    def names_here(self) -> dict[str, Any]:
        """Return the names of the function that the walk is in."""
        return self._frames[-1].names if self._frames else {}

    def needs_gpu(self) -> None:
        """Raise a misfit where other guesses would keep the code from asking for a GPU."""
        fixes = explaining.of_raise(self, self._frames[-1]) if self._frames else []
        if fixes:
            raise Misfit("a GPU is asked for", fixes)

    def truth(self, value: Any) -> bool | None:
        """Return whether a value counts as true, or `None` where that cannot be told."""
        return objects.tested(self, value)

    def iterate(self, value: Any) -> list[Any] | None:
        """Return what a loop over the value gives, or `None` where that cannot be told."""
        return objects.iterate(self, value)

    def _step(self, node: ast.expr | ast.stmt) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise TooLong
        self.seen.add((node.lineno, node.col_offset))


def _fixes_of_length(value: Any, length: int, names: tuple[str, ...]) -> Sequence[Fix | None]:
    several = Several(length, "tuple" if names else "list", names=names)
    if isinstance(value, Shape) and value.tensor.lineage:
        key, offset = value.tensor.lineage
        return [Fix(key, "rank", length - value.more - offset)]
    if isinstance(value, Tensor) and value.shape:
        is_input = value.source and value.lineage == (value.source, 0)
        fixes = [Fix(value.source, "guess", several)] if value.source and is_input else []
        return [*fixes, *needs.axis_fixes(value, 0, length)]
    if isinstance(value, Items):
        return [Fix(value.origin.key, "length", length)]
    origin = origin_of(value)
    return [Fix(origin.key, "guess", several)] if origin else []
