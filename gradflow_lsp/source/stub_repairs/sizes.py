"""Which other sizes of inputs and arguments might end a trouble about sizes."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

from .pieces import Changes, Maker, Pieces
from .troubles import Shape, TooSmall, WrongCount, WrongSize

_SIDES = (64, 28, 128, 224, 256, 96, 84, 48, 16, 112, 512)
"""Usual heights and widths of images."""
_LARGEST = 65_536
"""No axis is made longer than this."""


def resized(pieces: Pieces, trouble: WrongSize) -> Iterator[Changes]:
    """Yield changes after which an axis may have the size that is wanted, or the model wants what it has."""
    got, wanted = trouble.got, trouble.wanted
    shown = [maker for maker in pieces.makers if trouble.shape and maker.sizes == trouble.shape]
    if trouble.axis is not None:
        for maker in shown:
            yield from _at_axis(pieces, maker, trouble.axis, wanted)
    for maker in pieces.makers:
        if maker.sizes and trouble.shape == (1, *maker.sizes):  # a batch of one was made of it: it lacks its own
            yield from pieces.alike(maker, lambda one: one.reshaped([one.written[0], wanted, *one.written[1:]]))
    having = [(maker, axis) for maker in pieces.makers for axis in range(len(maker.sizes)) if maker.sizes[axis] == got]
    for maker, axis in sorted(having, key=lambda one: -_nearness(one[0], one[1], trouble.axis)):
        yield from _at_axis(pieces, maker, axis, wanted)
    yield from ([number.set_to(got)] for number in pieces.numbers if number.value == wanted)
    yield from ([number.set_to(wanted)] for number in pieces.numbers if number.value == got)
    if not shown and not having:
        for maker in inputs(pieces):
            yield from _shifted(pieces, maker, got, wanted)
            yield from _scaled(pieces, maker, wanted / got if got else 0)
        for maker in inputs(pieces):
            axis = trouble.axis if trouble.axis is not None and 0 < trouble.axis < len(maker.sizes) else -1
            yield [maker.resized({axis % len(maker.sizes): wanted})]


def _shifted(pieces: Pieces, maker: Maker, got: int, wanted: int) -> Iterator[Changes]:
    """Yield sizes of an input's axes with which a width that is a multiple of one, or adds to one, comes out right."""
    sizes = [(axis, size) for axis, size in enumerate(maker.sizes) if axis > 0 and size][::-1]
    for axis, size in sizes:
        if got and size * wanted % got == 0:
            yield from _at_axis(pieces, maker, axis, size * wanted // got)
    for axis, size in sizes:
        yield from _at_axis(pieces, maker, axis, size + wanted - got)


def _nearness(maker: Maker, axis: int, wanted: int | None) -> int:
    """Rank an axis: the one that the error names, else the last; the batch comes last of all."""
    if wanted is not None and axis == wanted % max(len(maker.sizes), 1):
        return 100
    return axis


def _at_axis(pieces: Pieces, maker: Maker, axis: int, wanted: int) -> Iterator[Changes]:
    """Yield changes of an input's axis; the batch is first changed in all inputs that have the same one."""
    if not 0 < wanted <= _LARGEST:
        return
    axis %= len(maker.sizes)
    if axis == 0:
        batch = maker.sizes[0]
        yield [one.resized({0: wanted}) for one in pieces.makers if one.sizes and one.sizes[0] == batch]
    yield from pieces.alike(maker, lambda one: one.resized({axis: wanted}))


def _scaled(pieces: Pieces, maker: Maker, ratio: float) -> Iterator[Changes]:
    """Yield sizes of an input with which a width further in, that is `ratio` times too small, may come out right."""
    spatial = _spatial(maker)
    sides = [maker.sizes[axis] or 1 for axis in spatial]
    if not spatial or not all(maker.sizes[axis] for axis in spatial) or ratio <= 0:
        return
    exact = ratio ** (1 / len(spatial))
    likely = [round(sides[0] * exact)] if abs(sides[0] * exact - round(sides[0] * exact)) < 1e-6 else []
    if len(spatial) == 1:
        likely += [round(sides[0] * ratio)]
    near = sorted(_SIDES, key=lambda side: abs(math.log(side / (sides[0] * exact))))
    for side in (*likely, *near[:5]):
        if 0 < side <= _LARGEST:
            sizes = dict.fromkeys(spatial, side)
            yield from pieces.alike(maker, functools.partial(Maker.resized, sizes=sizes))


def recounted(pieces: Pieces, trouble: WrongCount) -> Iterator[Changes]:
    """Yield inputs of which as many entries come out as a new shape holds."""
    missing = trouble.wanted // math.gcd(trouble.got, trouble.wanted)
    for maker in inputs(pieces):
        if len(maker.sizes) == 1:
            yield [maker.reshaped([*maker.written, trouble.wanted])]
        for axis in range(len(maker.sizes) - 1, 0, -1):
            size = maker.sizes[axis]
            if size is not None and size * missing <= _LARGEST:
                yield [maker.resized({axis: size * missing})]
    for maker in inputs(pieces):
        yield from _scaled(pieces, maker, trouble.wanted / trouble.got if trouble.got else 0)


def enlarged(pieces: Pieces, trouble: TooSmall) -> Iterator[Changes]:
    """Yield inputs that are larger: their last axes, those of the likeliest input first, or the batch of all."""
    if trouble.batch:
        for size in sorted({maker.sizes[0] for maker in pieces.makers if maker.sizes and maker.sizes[0]}):
            yield [m.resized({0: size * 4}) for m in pieces.makers if m.sizes and m.sizes[0] == size]
        return
    for maker in sorted(inputs(pieces), key=lambda maker: -_likeness(maker, trouble.shape)):
        for axes in _may_be_spatial(maker, trouble.shape):
            old = [maker.sizes[axis] or 0 for axis in axes]
            smallest = _power_of_two_above(2 * trouble.beyond) if trouble.beyond else 0
            for factor in (2, 4) if len(axes) > 1 else (4,):
                size = max(factor * max(old), smallest)
                if 0 < size <= _LARGEST:
                    sizes = dict.fromkeys(axes, size)
                    yield from pieces.alike(maker, functools.partial(Maker.resized, sizes=sizes))


def _may_be_spatial(maker: Maker, shape: Shape | None) -> list[tuple[int, ...]]:
    """Return the axes of an input that may be those of a smaller `shape` further in, the most alike ones first."""
    last = len(maker.sizes) - 1
    if last < 2:
        return [(last,)]
    both = [tuple(range(2, last + 1)), tuple(range(1, last))] if last > 2 else [(2,), (1,)]
    return sorted(both, key=lambda axes: _unlikeness([maker.sizes[axis] or 1 for axis in axes], shape))


def _unlikeness(sizes: list[int], shape: Shape | None) -> float:
    """Say how far sizes are from being in the same proportions as those of a shape."""
    if shape is None or len(shape) != len(sizes) or 0 in shape:
        return 0.0
    scales = [math.log(size / other) for size, other in zip(sizes, shape, strict=True)]
    return max(scales) - min(scales)


def _power_of_two_above(number: int) -> int:
    return 1 << number.bit_length()


def _likeness(maker: Maker, shape: Shape | None) -> int:
    """Say at how many of its last axes an input is as a shape."""
    pairs = zip(reversed(maker.sizes), reversed(shape or ()), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def inputs(pieces: Pieces) -> list[Maker]:
    """Return the tensors of a probe that may have another shape, real ones before ids."""
    return sorted((maker for maker in pieces.makers if maker.sizes), key=lambda maker: maker.kind != "number")


def _spatial(maker: Maker) -> tuple[int, ...]:
    """Return the axes of an input that lie in space or time; an image may have its channels last."""
    rank = len(maker.sizes)
    if rank < 3:
        return ()
    last = rank - 1
    if rank > 3 and maker.sizes[last] in (1, 3, 4) and (maker.sizes[1] or 0) not in (1, 3, 4):
        return tuple(range(1, last))
    return tuple(range(2, rank)) if rank > 3 else (2,)
