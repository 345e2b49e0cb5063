"""What makes a better probe of guesses that fit: a smaller model, fewer examples, other choices, further calls."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from . import modules, words
from .classes import find_in_class
from .code_values import Instance
from .descent import tensors_in
from .entry import entry_of, further_methods
from .guesses import Asked, Guess, Plain, TensorGuess
from .hints import Hints
from .program import Program, defaults_of
from .solving import ENTRY, Outcome, solve, walk
from .usage import usage_of
from .values import Key, Nothing, Tensor

_MOST_METHODS = 3
_MOST_CHOICES = 8
_NEARLY_ALL = 0.9
_LARGE_MODEL = 100_000_000
"""A model with more parameters than this takes gigabytes, with their gradients."""
_LARGE_EXAMPLE = 40_000
"""An example with more places than this, some 200 by 200, makes a slow probe: a batch is made of a `_FEW` then."""
_FEW = 2
_HUGE_EXAMPLE = 150_000
"""Of one with more places than this, some 400 by 400, the sides longer than `_LONG_SIDE` are divided by `_SCALE`."""
_LONG_SIDE = 256
_SCALE = 4


def solve_well(program: Program, hints: Hints, class_name: str) -> Outcome:
    """Return the walk of the best probe that reading the class gives."""
    found = _solve_forward(program, hints, class_name)
    for improved in (_smaller, _lighter):
        found = improved(program, hints, class_name, found) if found.misfit is None else found
    best = found
    for improved in (_with_choices, _with_methods, _of_parts):
        best = improved(program, hints, class_name, best) if best.misfit is None else best
    return best if best is found else replace(best, plainer=found)


def _solve_forward(program: Program, hints: Hints, class_name: str) -> Outcome:
    """Return the best walk: where forward gives its loss once it has the targets, one with targets."""
    used = usage_of(program, hints, class_name)
    plain = solve(program, hints, class_name, used)
    if plain.misfit is not None and used:
        plain = min(solve(program, hints, class_name, {}), plain, key=lambda one: one.misfit is not None)
    wanted = _optional_inputs(program, class_name)
    if plain.reached:
        wanted = [key for key in wanted if words.names_target(str(key[-1]))]
    if plain.misfit is not None or not wanted or _loss_in(plain.output) is not None:
        return plain
    asked = solve(program, hints, class_name, {**plain.state, **dict.fromkeys(wanted, Asked())})
    loss = _loss_in(asked.output)
    return asked if asked.misfit is None and loss is not None and len(loss.reach) >= len(plain.reached) else plain


def _optional_inputs(program: Program, class_name: str) -> list[Key]:
    forward = entry_of(program, class_name)
    return [("input", parameter.arg) for parameter, _ in defaults_of(forward)] if forward else []


def _loss_in(output: Any) -> Tensor | None:
    """Return the single number in an output that a gradient flows from, if there is one."""
    return next((one for one in tensors_in([output]) if one.shape == () and one.is_float and one.reach), None)


def _smaller(program: Program, hints: Hints, class_name: str, found: Outcome) -> Outcome:
    """Return a walk with sizes of a probe in place of defaults that make a very large model."""
    size = modules.count_parameters(found.model)
    if size < _LARGE_MODEL:
        return found
    state = {key: guess for key, guess in found.state.items() if key[0] != "input"}  # inputs are as wide as the model
    for key, default in found.defaults.items():
        usual = words.number_named(str(key[-1]))
        if key[0] == "model" and type(usual) is int and isinstance(default, int) and default > usual:
            state.setdefault(key, Plain(usual))
    less = solve(program, hints, class_name, state)
    return less if less.misfit is None and modules.count_parameters(less.model) < size / 2 else found


def _lighter(program: Program, hints: Hints, class_name: str, found: Outcome) -> Outcome:
    """Return a walk with fewer and smaller examples where each of them is large: such a probe would take long."""
    inputs = {key: guess for key, guess in found.state.items() if key[0] == "input" and isinstance(guess, TensorGuess)}
    places = max((math.prod(found.sizes[key][2:]) for key in inputs), default=0)
    if places > _LARGE_EXAMPLE:
        fewer = {key: (_FEW, *guess.dims[1:]) for key, guess in inputs.items() if _has_usual_batch(found.sizes[key])}
        found = _with_dims(program, hints, class_name, found, fewer)
    if places > _HUGE_EXAMPLE:
        long = {size for key in inputs for size in found.sizes[key][2:] if size >= _LONG_SIDE}
        scaled = {key: tuple(size // _SCALE if size in long else size for size in found.sizes[key]) for key in inputs}
        found = _with_dims(program, hints, class_name, found, scaled)
    return found


def _has_usual_batch(sizes: tuple[int, ...]) -> bool:
    return sizes[:1] == (words.AXES["B"],)


def _with_dims(
    program: Program, hints: Hints, class_name: str, found: Outcome, dims: Mapping[Key, tuple[int | str, ...]]
) -> Outcome:
    """Return the walk with inputs of other shapes, if the class takes them."""
    state = dict(found.state)
    for key, shape in dims.items():
        guess = state[key]
        if isinstance(guess, TensorGuess):
            state[key] = replace(guess, dims=shape)
    other = walk(program, hints, class_name, state, tuple(found.outputs))
    return other if other.misfit is None else found


def _with_choices(program: Program, hints: Hints, class_name: str, found: Outcome) -> Outcome:
    """Return a walk with flags and optional inputs the other way, where that leads to parts that were left out."""
    for key, guess in list(_choices(found))[:_MOST_CHOICES]:
        if _share(found) > _NEARLY_ALL:
            break
        other = solve(program, hints, class_name, {**found.state, key: guess})
        if other.misfit is None and _share(other) > _share(found):
            found = other
    return found


def _choices(found: Outcome) -> Iterator[tuple[Key, Guess]]:
    for key, default in found.defaults.items():
        if isinstance(default, bool):
            yield key, Plain(not default)
    for key, default in found.defaults.items():
        if key[0] == "input" and (default is None or isinstance(default, Nothing)):
            yield key, Asked()


def _share(found: Outcome) -> float:
    """Return which share of the layers and parameters is reached."""
    owners = modules.owners(found.model)
    return 1 - len(owners - found.reached) / len(owners) if owners else 0.0


def _with_methods(program: Program, hints: Hints, class_name: str, found: Outcome) -> Outcome:
    """Return a walk with further methods called, where they reach what forward does not."""
    for method in further_methods(program, class_name)[:_MOST_METHODS]:
        if not found.unreached:
            break
        found = _with_call(program, hints, class_name, found, (*found.outputs, method.name))
    return found


def _of_parts(program: Program, hints: Hints, class_name: str, found: Outcome) -> Outcome:
    """Return a walk that calls the parts of a model each by itself, where nothing is reached by calling it."""
    parts = found.model.attributes.items() if isinstance(found.model, Instance) and not found.reached else ()
    for name, part in list(parts):
        if isinstance(part, Instance) and find_in_class(part.cls, "forward") is not None:
            called = tuple(one for one in found.outputs if one != ENTRY)
            found = _with_call(program, hints, class_name, found, (*called, name))
    return found


def _with_call(program: Program, hints: Hints, class_name: str, found: Outcome, called: tuple[str, ...]) -> Outcome:
    more = solve(program, hints, class_name, found.state, called)
    return more if more.misfit is None and len(more.unreached) < len(found.unreached) else found
