"""Functions that arrange the values of tensors anew: views, joins, splits, lookups."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from . import needs
from .descent import dtype_of_both
from .needs import rank_fix
from .values import UNKNOWN, Compound, Dims, DType, Fix, Misfit, Nothing, Tensor

MOST_ROWS = 64
"""How many parts of a tensor are looked at one by one."""


def product(values: Iterable[Any]) -> Any:
    """Return the product of sizes, `UNKNOWN` when one of them is."""
    total: Any = 1
    for value in values:
        if not isinstance(value, (int, float)):
            return UNKNOWN
        total = value if total == 1 and value != 1 else total * value
    return total


def axis_of(x: Tensor, dim: Any, extra: int = 0) -> int:
    """Return `dim` counted from the front; raise a misfit where the tensor has too few axes."""
    rank = len(x.shape or ()) + extra
    if not isinstance(dim, int):
        raise TypeError
    if not -rank <= dim < rank:
        needed = (dim + 1 if dim >= 0 else -dim) - extra
        raise Misfit(f"axis {dim} of a tensor with {rank - extra}", [rank_fix(x, needed)])
    return dim % rank if rank else 0


def transpose(x: Tensor, dim0: Any, dim1: Any) -> Tensor:
    """`torch.transpose`."""
    a, b = axis_of(x, dim0), axis_of(x, dim1)
    sizes = list(x.shape or ())
    sizes[a], sizes[b] = sizes[b], sizes[a]
    return x.view(tuple(sizes))


def permute(x: Tensor, *dims: Any) -> Tensor:
    """`torch.permute`."""
    order = tuple(dims[0]) if dims and isinstance(dims[0], (list, tuple)) else dims
    shape = x.shape or ()
    if len(order) != len(shape):
        raise Misfit(f"{len(order)} axes are permuted of {len(shape)}", [rank_fix(x, len(order))])
    return x.view(tuple(shape[axis_of(x, dim)] for dim in order))


def moved(rank: int, source: int, target: int) -> list[int]:
    """Return the order of axes in which `source` has moved to `target`."""
    order = [axis for axis in range(rank) if axis != source % rank]
    order.insert(target % rank, source % rank)
    return order


def reshape(x: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """`Tensor.view` and `torch.reshape`."""
    given = shape if shape is not None else sizes[0] if sizes and isinstance(sizes[0], (list, tuple)) else sizes
    if given and isinstance(given[0], DType):
        return x.view(x.shape)
    needs.numbers(given, "a new shape")
    new: list[Any] = [size if isinstance(size, int) else None for size in given]
    old = product(x.shape or ())
    rest = product([size for size in new if size != -1])
    if -1 in new:
        known = isinstance(old, int) and isinstance(rest, int) and rest > 0
        if known and old % rest:
            row = Compound(old, (x.shape or ())[1:], is_sum=False)
            raise Misfit(f"{old} values do not fill rows of {rest}", needs.value_fixes(row, rest))
        open_size = old // rest if known else None
        at = new.index(-1)
        middle = _between(x.shape or (), new[:at], new[at + 1 :]) if known else None
        new[at] = merged(*middle) if middle else open_size
    elif isinstance(old, int) and isinstance(rest, int) and old != rest:
        raise Misfit(f"{old} values are reshaped into {rest}", _reshaping(x.shape or (), new))
    return x.view(
        tuple(new), offset=0 if len(new) == len(x.shape or ()) and new[:1] == list((x.shape or ())[:1]) else None
    )


def _reshaping(shape: Dims, new: list[Any]) -> list[Fix]:
    """Return what would make the values fit, for each new axis in turn taken as the one that is off."""
    fixes: list[Fix] = []
    for at, size in enumerate(new):
        middle = _between(shape, new[:at], new[at + 1 :])
        fixes += needs.meeting(merged(*middle), size) if middle else []
    return fixes


def _between(shape: Dims, before: list[Any], after: list[Any]) -> Dims | None:
    """Return the axes of `shape` that are left between those that make `before` and those that make `after`."""
    start = next((at for at in range(len(shape) + 1) if product(shape[:at]) == product(before)), None)
    end = next((at for at in range(len(shape), -1, -1) if product(shape[at:]) == product(after)), None)
    if start is None or end is None or start >= end:
        return None
    middle = shape[start:end]
    return tuple(size for size in middle if size != 1) or middle[:1]


def flatten(x: Tensor, start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
    """`torch.flatten`."""
    shape = x.shape or ()
    if not shape:
        return x.view((1,), None)
    start, end = axis_of(x, start_dim), axis_of(x, end_dim)
    # counted from the front, the number of axes that go is the same whatever the rank
    offset = start - end if (isinstance(end_dim, int) and end_dim >= 0) or end == start else None
    return x.view((*shape[:start], merged(*shape[start : end + 1]), *shape[end + 1 :]), offset)


def merged(*sizes: int | None) -> int | None:
    """Return the size of several axes made one."""
    total = product(sizes)
    if not isinstance(total, int):
        return None
    return sizes[0] if len(sizes) == 1 else Compound(total, sizes, is_sum=False)


def unflatten(x: Tensor, dim: Any, sizes: Any) -> Tensor:
    """`torch.unflatten`."""
    at, shape = axis_of(x, dim), x.shape or ()
    inner = reshape(Tensor((shape[at],)), *sizes).shape or ()
    return x.view((*shape[:at], *inner, *shape[at + 1 :]), len(inner) - 1)


def squeeze(x: Tensor, dim: Any = None) -> Tensor:
    """`torch.squeeze`."""
    shape = x.shape or ()
    if dim is None:
        kept = tuple(size for size in shape if size != 1)
        return x.view(kept, None if len(kept) != len(shape) else 0)
    gone = {
        axis_of(x, one) for one in (dim if isinstance(dim, (tuple, list)) else (dim,)) if shape[axis_of(x, one)] == 1
    }
    return x.view(tuple(size for at, size in enumerate(shape) if at not in gone), -len(gone))


def unsqueeze(x: Tensor, dim: Any) -> Tensor:
    """`torch.unsqueeze`."""
    at, shape = axis_of(x, dim, extra=1), x.shape or ()
    return x.view((*shape[:at], 1, *shape[at:]), 1)


def expand(x: Tensor, *sizes: Any) -> Tensor:
    """`Tensor.expand`."""
    given = tuple(sizes[0]) if sizes and isinstance(sizes[0], (list, tuple)) else sizes
    needs.numbers(given, "expand")
    shape = (1,) * (len(given) - len(x.shape or ())) + (x.shape or ())
    new = []
    for size, old in zip(given, shape, strict=True):
        if isinstance(size, int) and size != -1 and old not in (None, 1, size):
            raise Misfit(f"an axis of {old} is expanded to {size}", needs.meeting(old, size))
        new.append(old if size == -1 else size if isinstance(size, int) else None)
    return x.view(tuple(new), len(new) - len(x.shape or ()))


def repeat(x: Tensor, *sizes: Any) -> Tensor:
    """`Tensor.repeat`."""
    given = tuple(sizes[0]) if sizes and isinstance(sizes[0], (list, tuple)) else sizes
    needs.numbers(given, "repeat")
    if len(given) < len(x.shape or ()):
        raise Misfit("too few repeats", [rank_fix(x, len(given))])
    shape = (1,) * (len(given) - len(x.shape or ())) + (x.shape or ())
    new = tuple(times(size, factor) for size, factor in zip(shape, given, strict=True))
    return x.computed(new, offset=len(new) - len(x.shape or ()))


def times(size: int | None, factor: Any) -> int | None:
    """Return a size times a number, as far as both are known; times one it stays the same size."""
    if factor == 1:
        return size
    if size == 1 and isinstance(factor, int):
        return factor
    return size * factor if size is not None and isinstance(factor, int) else None


def repeat_interleave(x: Tensor, repeats: Any, dim: Any = None, **rest: Any) -> Tensor:
    """`torch.repeat_interleave`."""
    if dim is None:
        return x.computed((times(product(x.shape or ()), repeats),), offset=None)
    at, shape = axis_of(x, dim), x.shape or ()
    return x.computed((*shape[:at], times(shape[at], repeats), *shape[at + 1 :]))


def concatenate(tensors: Any, dim: Any = 0, axis: Any = None) -> Tensor:
    """`torch.cat`."""
    dim = dim if axis is None else axis
    if isinstance(tensors, Tensor) and tensors.source:
        raise Misfit("several tensors are joined", [Fix(tensors.source, "sequence")])
    parts = [one for one in tensors if isinstance(one, Tensor)]
    absent = next((one for one in tensors if isinstance(one, Nothing)), None)
    if absent is not None:
        raise Misfit("an optional tensor is joined without being given", [Fix(absent.key, "given")])
    if len(parts) < len(tensors) or any(part.shape is None for part in parts):
        ranks = {len(part.shape) for part in parts if part.shape is not None}
        return Tensor((None,) * ranks.pop() if len(ranks) == 1 else None)
    longest = max(parts, key=lambda part: len(part.shape or ()))
    at = axis_of(longest, dim)
    by_rank = sorted({len(part.shape or ()) for part in parts}, reverse=True)
    if len(by_rank) > 1:
        fixes = [rank_fix(part, rank) for rank in by_rank for part in parts if len(part.shape or ()) != rank]
        raise Misfit("tensors of different rank are joined", fixes)
    sizes: list[int | None] = []
    for position, size in enumerate(longest.shape or ()):
        column = [(part.shape or ())[position] for part in parts]
        if position == at:
            known = [one for one in column if one is not None]
            total = Compound(sum(known), column, is_sum=True) if len(known) == len(column) else None
            sizes.append(column[0] if len(column) == 1 else total)
            continue
        sizes.append(size)
        for one in column:
            if one is not None and size is not None and one != size:
                raise Misfit(f"sizes {one} and {size} are joined", needs.meeting(one, size))
    return longest.computed(tuple(sizes), _common(parts))


def stack(tensors: Any, dim: Any = 0) -> Tensor:
    """`torch.stack`."""
    if isinstance(tensors, Tensor):
        return concatenate(tensors)
    if not tensors or not all(isinstance(one, Tensor) and one.shape is not None for one in tensors):
        return Tensor(None)
    return concatenate([unsqueeze(one, dim) for one in tensors], dim)


def _common(parts: list[Tensor]) -> str:
    result = parts[0]
    for part in parts[1:]:
        result = replace(result, dtype=dtype_of_both(result, part))
    return result.dtype


def chunk(x: Tensor, chunks: Any, dim: Any = 0) -> list[Tensor]:
    """`torch.chunk`."""
    at, shape = axis_of(x, dim), x.shape or ()
    size = shape[at]
    if size is None:
        return [x.computed((*shape[:at], None, *shape[at + 1 :]))] * chunks
    if size < chunks:
        raise Misfit(f"{chunks} chunks of {size}", needs.axis_fixes(x, at, chunks * 4))
    step = math.ceil(size / chunks)
    return [x.computed((*shape[:at], min(step, size - start), *shape[at + 1 :])) for start in range(0, size, step)]


def split(x: Tensor, split_size: Any, dim: Any = 0) -> list[Tensor]:
    """`torch.split`."""
    at, shape = axis_of(x, dim), x.shape or ()
    if isinstance(split_size, (list, tuple)):
        total = product([1]) and sum(one for one in split_size if isinstance(one, int))
        if shape[at] is not None and total != shape[at]:
            raise Misfit(f"{shape[at]} values are split into {total}", needs.axis_fixes(x, at, total))
        return [x.computed((*shape[:at], one, *shape[at + 1 :])) for one in split_size]
    return chunk(x, math.ceil((shape[at] or split_size) / split_size), dim)


def unbind(x: Tensor, dim: Any = 0) -> list[Tensor]:
    """`torch.unbind`."""
    at, shape = axis_of(x, dim), x.shape or ()
    return [x.computed((*shape[:at], *shape[at + 1 :]), offset=-1)] * min(shape[at] or 1, MOST_ROWS)


def halved(x: Tensor, dim: Any = -1) -> Tensor:
    """`F.glu`."""
    return chunk(x, 2, dim)[0]
