"""Guess, walk, mend, walk again: the search for arguments and inputs with which a class runs.

Every walk that ends in a misfit leaves its fixes and how far it came. The one that came furthest is mended next; when
all fixes are used up, other sizes and values are tried. No state is walked twice, and the steps of all walks together
are limited, so the answer is the same on every machine.
"""

from __future__ import annotations

import heapq
import itertools
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from . import calls, classes, explaining, modules, objects, realising, registering, words
from .code_values import Function, Instance
from .descent import tensors_in
from .entry import entry_of, method_of
from .guesses import Built, Plain, State, TensorGuess, changed
from .hints import Hints
from .program import FunctionNode, Program
from .values import UNKNOWN, Fix, Key, Misfit, Origin, Size
from .walker import TooLong, Walker

_log = logging.getLogger(__name__)

ENTRY = ""
"""The name of a call of the model itself."""
_STEPS_IN_ALL = 90_000
_WALKS_IN_ALL = 400
_TRIES_IN_ALL = 2_000
_SIZES = (64, 224, 28, 96, 128, 256, 84, 48, 16, 112, 299, 8, 512, 1024, 4096, 16384)


_OpenEnd = tuple[bool, int, int, int, "Outcome", Iterator[list[Fix]]]
"""Where to go on: exact fixes before mere search, what came furthest first, with the fewest guesses of a search; of
those what was found first, but in a search the last, to which all fixes have led."""


@dataclass
class Outcome:
    """One walk: the guesses it went by, and what came out, or the misfit it ended at."""

    state: State
    model: Any = UNKNOWN
    misfit: Misfit | None = None
    visited: list[Key] = field(default_factory=list)
    progress: int = 0
    steps: int = 0
    sizes: dict[Key, tuple[int, ...]] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    """What came out of each call, by what of the model was called: `ENTRY`, a method or a part by name."""

    defaults: dict[Key, Any] = field(default_factory=dict)
    """The values of arguments and inputs that were left out."""
    plainer: Outcome | None = None
    """A walk of less that this one was made of: what reading takes to be better need not run."""

    @property
    def output(self) -> Any:
        """What came out of the call of the model itself."""
        return self.outputs.get(ENTRY, UNKNOWN)

    @property
    def reached(self) -> frozenset[int]:
        """The layers and parameters that a gradient from what came out would reach."""
        return frozenset[int]().union(*(one.reach for one in tensors_in(self.outputs.values())))

    @property
    def unreached(self) -> frozenset[int]:
        """Those that it would not reach."""
        return modules.owners(self.model) - self.reached


def solve(program: Program, hints: Hints, class_name: str, start: State, called: tuple[str, ...] = (ENTRY,)) -> Outcome:
    """Return the first walk that fits, or the one that came furthest; what of the model is `called`, by name."""
    best = walk(program, hints, class_name, start, called)
    if best.misfit is None:
        return best
    order = itertools.count()
    seen = {_fingerprint(start), _fingerprint(best.state)}
    open_ends: list[_OpenEnd] = []

    def leave_open(outcome: Outcome, ways: Iterator[list[Fix]], is_search: bool, searched: int) -> None:
        number = -next(order) if is_search else next(order)
        heapq.heappush(open_ends, (is_search, -outcome.progress, searched, number, outcome, ways))

    leave_open(best, _fixes(best), False, 0)
    steps, walks = best.steps, 1
    for _ in range(_TRIES_IN_ALL):
        if not open_ends or steps > _STEPS_IN_ALL or walks > _WALKS_IN_ALL:
            break
        is_search, _, searched, _, outcome, ways = open_ends[0]
        fixes = next(ways, None)
        if fixes is None:
            heapq.heappop(open_ends)
            if not is_search:
                leave_open(outcome, _other_values(outcome, hints), True, searched)
            continue
        state = _mended(outcome.state, fixes)
        if state is None or _fingerprint(state) in seen:
            continue
        seen.add(_fingerprint(state))
        found = walk(program, hints, class_name, state, called)
        seen.add(_fingerprint(found.state))
        steps, walks = steps + found.steps, walks + 1
        if found.misfit is None:
            return found
        if found.progress > best.progress or (found.progress == best.progress and not is_search):
            best = found
        leave_open(found, _fixes(found), False, searched + is_search)
    return best


def walk(program: Program, hints: Hints, class_name: str, state: State, called: tuple[str, ...] = (ENTRY,)) -> Outcome:
    """Build the model and call it once, by the guesses of `state` and first guesses for what it does not hold."""
    outcome, walker = _walk(program, hints, class_name, state, called)
    if walker.miscounted():
        outcome, _ = _walk(program, hints, class_name, outcome.state, called)
    return outcome


def _walk(
    program: Program, hints: Hints, class_name: str, state: State, called: tuple[str, ...]
) -> tuple[Outcome, Walker]:
    walker = Walker(program, hints, dict(state))
    outcome = Outcome(walker.guesses)
    walker.guesses.setdefault(("model",), Built(class_name))
    budget = walker.steps
    try:
        registering.fill_tables(walker)
        outcome.model = realising.build(walker, ("model",), class_name)
        walker.model = outcome.model
        for name in [str(key[1]) for key in state if key[0] == "first" and len(key) == 2]:
            _call(walker, outcome.model, method_of(program, class_name, name), name, ("first", name))
        walker.scope = _scope(walker, outcome.model)
        for name in called:
            outcome.outputs[name] = _call(
                walker, outcome.model, called_method(outcome, program, class_name, name), name
            )
    except Misfit as misfit:
        outcome.misfit = misfit
    except (TooLong, RecursionError):
        outcome.misfit = Misfit("the class is too long to read to the end")
    except Exception:  # code that no rule was made for; the author still gets a probe to complete
        _log.warning("reading %s ended early", class_name, exc_info=True)
        outcome.misfit = Misfit("the class could not be read to the end")
    for key in _required_inputs(walker, class_name) if outcome.misfit else ():
        walker.value_at(key)
    outcome.visited = list(walker.visited)
    outcome.defaults = walker.defaults
    outcome.progress = len(walker.seen)
    outcome.steps = budget - walker.steps
    outcome.sizes = {
        key: tuple(realising.size_of(walker, dim) for dim in guess.dims)
        for key, guess in walker.guesses.items()
        if isinstance(guess, TensorGuess)
    }
    return outcome, walker


def called_method(outcome: Outcome, program: Program, class_name: str, name: str) -> FunctionNode | None:
    """Return the function that a call of the model, of a method of it or of a part runs; `None` for a layer's."""
    if name == ENTRY:
        return entry_of(program, class_name)
    part = outcome.model.attributes.get(name) if isinstance(outcome.model, Instance) else None
    if isinstance(part, Instance):
        return entry_of(program, part.cls.name)
    return method_of(program, class_name, name)


def _call(walker: Walker, model: Any, method: FunctionNode | None, name: str, key: Key = ("input",)) -> Any:
    if not isinstance(model, Instance):
        return UNKNOWN
    if method is None:
        return walker.call(model, [walker.value_at(("input", "x"))], {})
    positional, keywords = realising.arguments_for(walker, key, Function(method), skip=1)
    callee = objects.attribute(walker, model, method.name if name == ENTRY else name)
    return walker.call(callee, positional, keywords)


def _required_inputs(walker: Walker, class_name: str) -> list[Key]:
    """Return the guesses that a call needs in any case, also when the walk never came to the call."""
    entry = entry_of(walker.program, class_name)
    if entry is None:
        return [("input", "x")]
    arguments = entry.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)][1:]
    return [("input", name) for name in names[: len(names) - len(arguments.defaults)]]


def _scope(walker: Walker, model: Any) -> dict[str, Any]:
    """Return what the names in a class's docstrings may mean: its arguments and attributes."""
    if not isinstance(model, Instance):
        return {}
    scope: dict[str, Any] = {name: value for name, value in model.attributes.items() if isinstance(value, int)}
    constructor = classes.find_in_class(model.cls, "__init__")
    if isinstance(constructor, Function):
        positional, keywords = realising.arguments_for(walker, ("model",), constructor, skip=1)
        names = calls.bind(walker, constructor, [model, *positional], keywords)
        scope |= {name: value for name, value in names.items() if isinstance(value, int)}
        scope["self"] = model
    return scope


def _fixes(outcome: Outcome) -> Iterator[list[Fix]]:
    """Yield what the misfit itself asks for."""
    return iter([[fix] for fix in outcome.misfit.fixes] if outcome.misfit else [])


def _other_values(outcome: Outcome, hints: Hints) -> Iterator[list[Fix]]:
    """Yield other sizes for the inputs and other numbers for the arguments, the likeliest first."""
    for name in hints.sides:  # the model made for small inputs, before inputs as large as it is made for
        for size in (words.AXES["H"], words.AXES["T"], words.AXES["L"]):
            yield [Fix(("model", name), "value", size)]
    mentioned = (*hints.sizes, *hints.sides.values())
    visited = [(key, outcome.state[key]) for key in outcome.visited if key in outcome.state]
    tensors = [(key, guess) for key, guess in visited if isinstance(guess, TensorGuess) and key[0] == "input"]
    for channels in (4, 16, 32, 1, 64, 6):
        wider = [
            Fix(key, "spread", {1: channels})
            for key, guess in tensors
            if len(guess.dims) >= 3 and 1 not in guess.pinned
        ]
        if wider:
            yield wider
    yield from _spread(tensors, (*mentioned, *_SIZES))
    for key, guess in visited:
        if key[0] == "model" and isinstance(guess, Plain) and isinstance(guess.value, int):
            for fix in explaining.other_values(Size(guess.value, Origin(key))):
                yield [fix]
            yield [Fix(key, "value", 0.5)]
    yield from _spread(tensors, range(8, 260))


def _spread(tensors: list[tuple[Key, TensorGuess]], sizes: Iterable[int]) -> Iterator[list[Fix]]:
    for size in sizes:
        spread = [Fix(key, "spread", axes) for key, guess in tensors if (axes := _free_axes(guess, size))]
        if spread:
            yield spread


def _free_axes(guess: TensorGuess, size: int) -> dict[int, int]:
    """Return the axes whose size nothing has settled yet: those of space and time, or the last of a flat input."""
    rank = len(guess.dims)
    candidates = range(2, rank) if rank >= 4 else range(1, rank)
    return {axis: size for axis in candidates if axis not in guess.pinned and not guess.dtype.startswith("bool")}


def _mended(state: State, fixes: list[Fix]) -> State | None:
    mended = dict(state)
    for fix in fixes:
        guess = changed(mended.get(fix.key), fix)
        if guess is None or guess == mended.get(fix.key):
            return None
        if type(guess) is not type(mended.get(fix.key)):  # what was below belonged to another kind of thing
            mended = {key: one for key, one in mended.items() if key[: len(fix.key)] != fix.key}
        mended[fix.key] = guess
    return mended


def _fingerprint(state: State) -> frozenset[Any]:
    return frozenset((key, type(guess).__name__, repr(guess)) for key, guess in state.items())
