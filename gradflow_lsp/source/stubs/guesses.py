"""The guesses about a class: what each argument and input is taken to be, and how a fix changes one.

A state of all guesses is a plain dict from `Key` to an immutable `Guess`, so it can be copied, compared and taken back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from . import words
from .values import Fix, Key


@dataclass(frozen=True)
class Plain:
    """A number, a string, a truth value or `None`."""

    value: bool | int | float | str | None


@dataclass(frozen=True)
class TensorGuess:
    """A tensor. A dim is a size or the name of one: an axis of `words.AXES`, or something the class calls so.

    `pinned` holds the axes whose size the code demands. `fill` says what is in it: `normal`, `uniform`, `ids`,
    `ones`, `zeros` or `lengths`; ids are below `bound`. An `array` is numpy's.
    """

    dims: tuple[int | str, ...]
    dtype: str = "float32"
    fill: str = "normal"
    bound: int | None = None
    needs_grad: bool = False
    pinned: frozenset[int] = frozenset()
    array: bool = False


TABLE = TensorGuess((100, 32))
"""An array that a model is made with: mostly one of embeddings."""


@dataclass(frozen=True)
class Several:
    """A list or tuple; its elements are guesses of their own.

    `item` is an element's annotation, where there is one; `names` are those that the code unpacks it into. The form
    `ModuleList` is a list of modules that registers them.
    """

    length: int
    form: str = "list"
    item: Any = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fields:
    """An object of which only the attributes (`namespace`) or string keys (`mapping`) that are asked for matter.

    A `numbering` is a mapping that gives each name a number of its own, and has a few names more than are asked for.
    """

    form: str = "namespace"


@dataclass(frozen=True)
class Named:
    """Something with a dotted name, of the file or imported: `torch.nn.ReLU`; `called`, what it makes of `sizes`."""

    dotted: str
    called: bool = False
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Factory:
    """A function of these `names` that makes a plain layer, as wide as the one called `out` says."""

    names: tuple[str, ...]
    out: str
    width: int = 16


@dataclass(frozen=True)
class StandIn:
    """A module of the probe's own, that takes any arguments: it gives back the first one, scaled by a parameter.

    One that takes `ids` looks them up in a table, and its answers are scores for each of them.
    """

    ids: bool = False


@dataclass(frozen=True)
class Asked:
    """An optional argument that turned out to be needed: its first guess is yet to be made."""


@dataclass(frozen=True)
class Built:
    """An object of a class of the file, built from guessed arguments."""

    class_name: str


Guess = Plain | TensorGuess | Several | Fields | Named | Factory | StandIn | Built | Asked
State = dict[Key, Guess]

DEFAULT_BOUND = 10
STAND_IN_IDS = 32
"""How many ids a `StandIn` knows."""
LARGEST = 262_144
"""No size is made larger than this: it is no size that anyone uses."""
MORE_NAMES = ("a", "b", "c", "d", "e", "f")
"""What a `numbering` holds besides the names that the code asks for."""


def tensor_named(name: str) -> TensorGuess:
    """Return the first guess for a tensor input called `name`."""
    axes, dtype = words.input_named(name)
    dims = tuple(int(axis) if axis.isdigit() else axis for axis in axes)
    return TensorGuess(dims, dtype, fill_for(name, dtype))


def axes_of_rank(rank: int) -> tuple[str, ...]:
    """Return the usual axes of a tensor of that rank."""
    usual = {0: (), 1: ("B",), 2: ("B", "F"), 3: ("B", "T", "F"), 4: ("B", "C", "H", "W"), 5: ("B", "C", "D", "H", "W")}
    return usual.get(rank) or ("B", *("D",) * (rank - 3), "H", "W")


def name_of(key: Key) -> str:
    """Return the name that says most about a key: its last one, in the singular for an element."""
    names = [part for part in key if isinstance(part, str)]
    return words.singular(names[-1]) if isinstance(key[-1], int) else names[-1]


def changed(guess: Guess | None, fix: Fix) -> Guess | None:
    """Return the guess that `fix` asks for in place of `guess`, or `None` where that makes no sense."""
    name = next((str(part) for part in reversed(fix.key) if isinstance(part, str)), "")
    match fix.what:
        case "value" if isinstance(fix.value, int) and fix.value > LARGEST:
            return None
        case "value":
            return Plain(fix.value)
        case "guess":
            return fix.value  # type: ignore[no-any-return]
        case "text":
            return Plain(words.text_named(name))
        case "given":
            return Asked()
        case "sequence":
            return Several(fix.value or 2)
        case "record":
            return Fields()
        case "mapping":
            return Fields("numbering" if words.names_numbering(name) else "mapping")
        case "number":
            return Plain(words.number_named(name))
        case "length" if isinstance(guess, Several) and fix.value != guess.length and 0 < fix.value <= 16:
            return replace(guess, length=fix.value)
    return _changed_tensor(guess, fix) if isinstance(guess, TensorGuess) else None


def _changed_tensor(guess: TensorGuess, fix: Fix) -> TensorGuess | None:
    match fix.what:
        case "axis" | "axes":
            sizes = fix.value if fix.what == "axes" else dict([fix.value])
            settled = guess.pinned & set(sizes)
            fits = all(0 <= axis < len(guess.dims) and 1 <= size <= LARGEST for axis, size in sizes.items())
            if settled or not fits:
                return None
            dims = tuple(sizes.get(axis, dim) for axis, dim in enumerate(guess.dims))
            return replace(guess, dims=dims, pinned=guess.pinned | set(sizes))
        case "spread":  # the sizes of several axes at once, for a search
            dims = tuple(fix.value.get(axis, dim) for axis, dim in enumerate(guess.dims))
            return replace(guess, dims=dims)
        case "rank":
            axes = fix.value if isinstance(fix.value, tuple) else axes_of_rank(fix.value)
            if not axes and fix.value != 0:
                return None
            last = len(guess.dims) - 1
            if last in guess.pinned and axes[-1:] == ("F",):  # a width is settled whatever stands before it
                return replace(guess, dims=(*axes[:-1], guess.dims[last]), pinned=frozenset((len(axes) - 1,)))
            return replace(guess, dims=axes, pinned=frozenset())
        case "dtype":
            kept = guess.fill if guess.fill in ("ones", "zeros", "lengths") else fill_for("", fix.value)
            bound = 256 if fix.value == "uint8" else guess.bound
            return replace(guess, dtype=fix.value, fill=kept, bound=bound)
        case "bound":
            bound = fix.value if guess.bound is None else min(guess.bound, fix.value)
            integer = guess.dtype if guess.dtype.startswith(("int", "uint")) else "int64"
            return replace(guess, dtype=integer, fill="ids", bound=bound)
        case "dims":
            return replace(guess, dims=fix.value, pinned=frozenset(range(len(fix.value))))
        case "fill":
            return replace(guess, fill=fix.value)
        case "needs_grad":
            return replace(guess, needs_grad=True)
    return None


def fill_for(name: str, dtype: str) -> str:
    """Return what a tensor called `name` holds."""
    if dtype == "bool":
        return "zeros" if "pad" in name else "ones"
    if dtype.startswith(("int", "uint")):
        return "lengths" if name.endswith(("lens", "len", "lengths", "length")) else "ids"
    return "normal"
