"""What each kind of sentence says: from the match of its pattern to troubles, by the names of the pattern's groups."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from .troubles import (
    Absent,
    IdsTooLarge,
    NoEntry,
    NotATensor,
    Shape,
    TooMany,
    TooSmall,
    Trouble,
    Unasked,
    WrongCount,
    WrongRank,
    WrongSize,
)

Reader = Callable[[re.Match[str]], Iterator[Trouble]]


def size(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that the axis with `got` entries needs `wanted`."""
    shape = _text(m, "shape")
    yield WrongSize(int(m["got"]), int(m["wanted"]), _shape(shape) if shape else None, _number(m, "axis"))


def channels(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that the second axis, of channels, with `got` entries needs `wanted`."""
    shape = _text(m, "shape")
    yield WrongSize(int(m["got"]), int(m["wanted"]), _shape(shape) if shape else None, 1)


def width(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that the last axis with `got` entries needs `wanted`."""
    yield WrongSize(int(m["got"]), int(m["wanted"]), axis=-1)


def batch(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that one of two batches should be as large as the other."""
    yield WrongSize(int(m["one"]), int(m["other"]), axis=0)
    yield WrongSize(int(m["other"]), int(m["one"]), axis=0)


def either(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that `one` of two sizes should be the `other`, or that it should be the other way round."""
    one, other, axis = int(m["one"]), int(m["other"]), _number(m, "axis")
    yield WrongSize(one, other, axis=axis)
    yield WrongSize(other, one, axis=axis)


def shapes(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that `one` of two shapes should be as the `other`, or that it should be the other way round."""
    one, other = _shape(m["one"]), _shape(m["other"])
    if len(one) != len(other):
        yield WrongRank((len(other),), shape=one)
        yield WrongRank((len(one),), shape=other)
    for axis, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            yield WrongSize(first, second, one, axis)
            yield WrongSize(second, first, other, axis)


def matmul(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that the rows have `got` entries where the weight takes `wanted`."""
    rows, got, wanted = int(m["rows"]), int(m["got"]), int(m["wanted"])
    yield WrongSize(got, wanted, (rows, got), 1)
    yield WrongSize(wanted, got)


def normalized(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield what keeps a shape from ending in the one that a normalisation is for."""
    wanted, shape = _shape(m["wanted"]), _shape(m["shape"])
    if len(shape) < len(wanted):
        yield WrongRank((len(wanted) + 1,), shape=shape)
    for axis in range(-1, -1 - min(len(wanted), len(shape)), -1):
        if shape[axis] != wanted[axis]:
            yield WrongSize(shape[axis], wanted[axis], shape, len(shape) + axis)


def split(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that an axis should have as many entries as its parts together."""
    yield WrongSize(int(m["got"]), sum(_shape(m["sizes"])), axis=int(m["axis"]))


def view(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that the entries do not go into a new shape."""
    wanted = math.prod(size for size in map(int, re.findall(r"-?\d+", m["sizes"])) if size > 0)
    yield WrongCount(int(m["got"]), wanted)


def small(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that a tensor is too small, as far as the error shows it."""
    shape = _text(m, "shape")
    yield TooSmall(_shape(shape) if shape else None, _number(m, "beyond"))


def rank(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that a tensor needs `one` number of axes or the `other`: the larger, with a batch, where both would do."""
    shape = _text(m, "shape")
    wanted = sorted({int(rank) for name in ("one", "other") if (rank := _text(m, name))}, reverse=True)
    yield WrongRank(tuple(wanted), _number(m, "got"), _shape(shape) if shape else None)


def ranks(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that one of two numbers of axes should be the other."""
    one, other = int(m["one"]), int(m["other"])
    yield WrongRank((one,), other)
    yield WrongRank((other,), one)


def dimension(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield the number of axes that an axis of that number asks for."""
    axis = int(m["axis"])
    yield WrongRank((axis + 1 if axis >= 0 else -axis,), int(m["last"]) + 1)


def unpacked(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield the number of axes that were to be unpacked."""
    got = _number(m, "got")
    yield WrongRank((int(m["wanted"]),), int(m["wanted"]) + 1 if got is None else got)


def too_many_indices(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield an axis more than there are."""
    yield WrongRank((int(m["got"]) + 1,), int(m["got"]))


def bound(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that ids are too large."""
    yield IdsTooLarge(_number(m, "bound"))


def longest(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that lengths are too large."""
    yield IdsTooLarge(int(m["longest"]) + 1)


def absent(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield the arguments that are missing."""
    yield Absent(tuple(re.findall(r"'(\w+)'", m["names"])), m["owner"])


def unasked(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield the argument that is not taken."""
    yield Unasked(m["name"], m["owner"])


def many(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield how many arguments are too many."""
    yield TooMany(int(m["given"]) - int(m["taken"]), m["owner"])


def attribute(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield the attribute that is missing."""
    yield NoEntry(m["name"], is_key=False)


def key(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield the key that is missing."""
    yield NoEntry(m["name"], is_key=True)


def not_a_tensor(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield what stands where a tensor should."""
    yield NotATensor(m["kind"])


def are(*found: Trouble) -> Reader:
    """Return a reader that always finds these."""
    return lambda match: iter(found)


def _text(m: re.Match[str], name: str) -> str | None:
    return m.groupdict().get(name)


def _number(m: re.Match[str], name: str) -> int | None:
    text = _text(m, name)
    return int(text) if text else None


def _shape(text: str) -> Shape:
    return tuple(map(int, re.findall(r"\d+", text)))
