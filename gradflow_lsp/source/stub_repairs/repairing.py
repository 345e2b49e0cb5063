"""Which changes to a probe might end a trouble, the likeliest first.

Where an error shows the shape of the tensor that it is about, and an input has that shape, that input is changed.
Otherwise the sizes have to tell: an input that has the wrong size somewhere, an argument of the model that asks for the
other one, and in the end the sizes that inputs usually have.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
from collections.abc import Iterator

from ..stubs import words
from ..stubs.guesses import axes_of_rank, tensor_named
from .pieces import Change, Changes, Maker, Pieces, calls_of
from .sentences import troubles_in
from .sizes import enlarged, inputs, recounted, resized
from .troubles import (
    Absent,
    ChangedInPlace,
    IdsTooLarge,
    Kind,
    NoEntry,
    NotAnArray,
    NotATensor,
    NotScalar,
    TooMany,
    TooSmall,
    Trouble,
    Unasked,
    WrongCount,
    WrongKind,
    WrongRank,
    WrongSize,
)

_MOST = 24
_MOST_ENTRIES = 2**24
"""No input is made larger than this: 64 MiB."""
_FEW = 2
"""A bound that ids of every table are below."""


def repairs(text: str, message: str) -> list[str]:
    """Return other texts for the probe `text`, which ended in an error with this `message`; none that is the same.

    The likeliest comes first. There is none for an error that says nothing about the probe.
    """
    try:
        pieces = Pieces(text)
    except SyntaxError:
        return []
    found = (pieces.changed(changes) for trouble in troubles_in(message) for changes in _changes(pieces, trouble))
    most = max(_MOST_ENTRIES, _entries(pieces))
    different = (one for one in dict.fromkeys(found) if one != text and _entries(Pieces(one)) <= most)
    return list(itertools.islice(different, _MOST))


def _entries(pieces: Pieces) -> int:
    """Return how many entries the largest tensor has that a probe makes."""
    return max((math.prod(size or 1 for size in maker.sizes) for maker in pieces.makers), default=0)


def _changes(pieces: Pieces, trouble: Trouble) -> Iterator[Changes]:
    match trouble:
        case WrongSize():
            yield from resized(pieces, trouble)
        case WrongCount():
            yield from recounted(pieces, trouble)
        case TooSmall():
            yield from enlarged(pieces, trouble)
        case WrongRank():
            yield from _reranked(pieces, trouble)
        case WrongKind(wanted=kind):
            yield from _refilled(pieces, kind)
        case IdsTooLarge(bound=bound):
            yield from _bounded(pieces, bound)
        case Absent():
            yield from _completed(pieces, trouble)
        case Unasked(name=name, owner=owner):
            for call in calls_of(pieces.calls, owner):
                if isinstance(call.node, ast.Call):
                    yield from ([pieces.without(one, call.node)] for one in call.node.keywords if one.arg == name)
        case TooMany(excess=excess, owner=owner):
            for call in calls_of(pieces.calls, owner):
                if isinstance(call.node, ast.Call) and 0 < excess <= len(call.node.args):
                    yield [pieces.without(call.node.args[-1], call.node)]
        case NoEntry():
            yield from _with_entry(pieces, trouble)
        case NotAnArray():
            yield from ([maker.followed_by(".numpy()")] for maker in pieces.makers)
            yield [maker.followed_by(".numpy()") for maker in pieces.makers]
        case NotATensor(kind=kind):
            yield from _unwrapped(pieces, kind)
        case NotScalar():
            yield from _reduced(pieces)
        case ChangedInPlace():
            yield pieces.without_dropout()


# axes


def _reranked(pieces: Pieces, trouble: WrongRank) -> Iterator[Changes]:
    shown = [maker for maker in pieces.makers if trouble.shape is not None and maker.sizes == trouble.shape]
    got = len(trouble.shape) if trouble.shape is not None else trouble.got
    as_many = [maker for maker in pieces.makers if len(maker.sizes) == got]
    for maker in [*shown, *(one for one in as_many if one not in shown)]:
        for rank in trouble.wanted:
            for sizes in _of_rank(maker, rank):
                yield from pieces.alike(maker, functools.partial(Maker.reshaped, written=sizes))
    for maker in inputs(pieces):  # what is wrong further in may follow from an input that has an axis less or more
        for rank in trouble.wanted:
            shifted = rank if got is None else len(maker.sizes) + rank - got
            for sizes in _of_rank(maker, shifted):
                yield from pieces.alike(maker, functools.partial(Maker.reshaped, written=sizes))


def _of_rank(maker: Maker, rank: int) -> Iterator[list[str | int]]:
    """Yield shapes of so many axes: the batch stays, and the last axis where it can."""
    written: list[str | int] = list(maker.written)
    if len(written) == rank or rank < 1:
        return
    usual: list[str | int] = [words.AXES[axis] for axis in axes_of_rank(rank)]
    if not written:
        yield usual
    elif rank == 1:
        yield written[:1]
    elif rank < len(written):
        yield [*written[: rank - 1], written[-1]]
        yield written[:rank]
    elif rank > 3:
        yield [written[0], *usual[1:]]
        yield [*written[:1], *usual[len(written) : rank], *written[1:]]
    else:
        yield [*written[:1], *usual[len(written) : rank], *written[1:]]
        yield [*written, *usual[len(written) : rank]]


# contents


def _refilled(pieces: Pieces, kind: Kind) -> Iterator[Changes]:
    others = [
        maker for maker in pieces.makers if maker.kind != kind and not (kind == "number" and maker.kind == "share")
    ]
    for maker in others:
        yield from pieces.alike(maker, functools.partial(Maker.holding, kind=kind))
    if len(others) > 1:
        yield [maker.holding(kind) for maker in others]


def _bounded(pieces: Pieces, bound: int | None) -> Iterator[Changes]:
    makers = [maker for maker in pieces.makers if maker.function in ("randint", "full")]
    limits = [bound] if bound and bound > 0 else []
    for limit in (*limits, *(limit for limit in (_FEW,) if limit not in limits)):
        larger = [maker for maker in makers if not (maker.bound or "").isdigit() or int(maker.bound or 0) > limit]
        yield from ([maker.below(limit)] for maker in larger)
        if len(larger) > 1:
            yield [maker.below(limit) for maker in larger]


# arguments


def _completed(pieces: Pieces, trouble: Absent) -> Iterator[Changes]:
    for call in calls_of(pieces.calls, trouble.owner):
        if trouble.owner.endswith("__init__"):
            values = [f"{name}={words.value_named(name)!r}" for name in trouble.names]
        else:
            values = [f"{name}={_tensor(pieces, name)}" for name in trouble.names]
        yield [call.adding(", ".join(values))]


def _with_entry(pieces: Pieces, trouble: NoEntry) -> Iterator[Changes]:
    name = trouble.name
    for call in pieces.calls:
        if trouble.is_key and isinstance(call.node, ast.Dict):
            keys = [pieces.written(key) for key in call.node.keys if key is not None]
            quote = keys[0][0] if keys and keys[0][0] in "'\"" else '"'
            holds_tensors = any(
                m.start >= pieces.range_of(call.node)[0] and m.end <= call.inside_end for m in pieces.makers
            )
            value = _tensor(pieces, name) if holds_tensors else repr(words.value_named(name))
            yield [call.adding(f"{quote}{name}{quote}: {value}")]
        elif not trouble.is_key and call.name.rpartition(".")[2] in ("SimpleNamespace", "Namespace"):
            yield [call.adding(f"{name}={words.value_named(name)!r}")]


def _tensor(pieces: Pieces, name: str) -> str:
    """Return the expression of an input tensor of that name, with the batch of the others."""
    guess = tensor_named(name)
    batch = next((maker.written[0] for maker in pieces.makers if maker.sizes), None)
    home = pieces.makers[0].home if pieces.makers else "torch"
    sizes = [batch if dim == "B" and batch else str(words.AXES.get(str(dim), dim)) for dim in guess.dims]
    kind: Kind = "truth" if guess.dtype == "bool" else "ids" if guess.dtype.startswith("int") else "number"
    blank = Maker(0, 0, home, "randn", (), tuple(sizes), None, ())
    return blank.holding(kind).text


def _unwrapped(pieces: Pieces, kind: str) -> Iterator[Changes]:
    """Yield that the loss is made of a part of what it is made of now."""
    made = [call.node for call in pieces.calls if call.name.endswith("randn_like") and isinstance(call.node, ast.Call)]
    wholes = {pieces.written(node.args[0]) for node in made if node.args}
    parts = ["[0]", "[1]", "[-1]"] if kind in ("tuple", "list") else []
    for whole in wholes if len(wholes) == 1 else ():
        places = pieces.mentions(whole)
        yield from ([Change(end, end, part) for _, end in places] for part in parts)
        if kind == "dict":
            yield [Change(start, end, f"next(iter({whole}.values()))") for start, end in places]


def _reduced(pieces: Pieces) -> Iterator[Changes]:
    """Yield that the loss is the mean of what it is now."""
    value = pieces.returns.value if pieces.returns else None
    if isinstance(value, ast.Tuple) and isinstance(value.elts[-1], ast.Name):
        _, end = pieces.range_of(value.elts[-1])
        yield [Change(end, end, ".mean()")]
