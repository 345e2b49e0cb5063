"""What is picked out of tensors: by index, by slice, by ids."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from . import needs
from .descent import depending_on
from .needs import rank_fix
from .shaping import MOST_ROWS, axis_of
from .values import UNKNOWN, Fix, Misfit, Tensor


def rows(x: Tensor) -> list[Any] | None:
    """Return what a loop over a tensor gives."""
    if not x.shape or x.shape[0] is None:
        return None
    return [replace(index(x, row), source=x.source) for row in range(min(x.shape[0], MOST_ROWS))]


def index(x: Tensor, key: Any) -> Tensor:
    """Return `x[key]`."""
    if isinstance(key, str):
        raise Misfit("a mapping is needed", [Fix(x.source, "mapping")] if x.source else [])
    if x.shape is None:
        return depending_on(Tensor(None, x.dtype), [x])  # type: ignore[no-any-return]
    keys = list(key) if isinstance(key, tuple) else [key]
    used = sum(1 for one in keys if one is not None and one is not Ellipsis and not isinstance(one, bool))
    if used > len(x.shape):
        raise Misfit(f"{used} indices for a tensor of {len(x.shape)}", [rank_fix(x, used)])
    if Ellipsis in [one for one in keys if not isinstance(one, Tensor)]:
        at = next(position for position, one in enumerate(keys) if one is Ellipsis)
        keys[at : at + 1] = [slice(None)] * (len(x.shape) - used)
    sizes: list[int | None] = []
    position, fancy = 0, None
    for one in keys:
        if one is None:
            sizes.append(1)
            continue
        size = x.shape[position] if position < len(x.shape) else None
        position += 1
        if isinstance(one, slice):
            sizes.append(_sliced(x, position - 1, size, one))
        elif isinstance(one, int):
            if size is not None and not -size <= one < size:
                fixes = needs.axis_fixes(x, position - 1, needs.at_least(one))
                raise Misfit(f"index {one} of an axis of {size}", fixes)
        elif isinstance(one, Tensor):
            if one.dtype == "bool":
                position += len(one.shape or (1,)) - 1
                sizes.append(None)
                continue
            needs.ids(one, size, "an index")
            if fancy is None:
                fancy = len(sizes)
                sizes[fancy:fancy] = list(one.shape) if one.shape is not None else [None]
        elif isinstance(one, (list, tuple)):
            sizes.append(len(one))
        else:
            fancy = fancy if fancy is not None else len(sizes)
    sizes.extend(x.shape[position:])
    whole = all(isinstance(one, (slice, int)) or one is None for one in keys)
    result = x.view(tuple(sizes), len(sizes) - len(x.shape))
    parts = [x, *(one for one in keys if isinstance(one, Tensor))]
    keeps_values = whole or x.is_integer  # ids that were picked out are still the input's ids
    return depending_on(result if keeps_values else replace(result, source=None), parts)  # type: ignore[no-any-return]


def alone(x: Tensor) -> Any:
    """`Tensor.item`."""
    if any(size not in (None, 1) for size in x.shape or ()):
        raise Misfit("one value is taken of several", [Fix(key, "axis", (0, 1)) for key in sorted(x.roots, key=str)])
    return UNKNOWN


def _sliced(x: Tensor, axis: int, size: int | None, key: slice) -> int | None:
    if key == slice(None):
        return size
    parts = (key.start, key.stop, key.step)
    if size is None or any(part is not None and not isinstance(part, int) for part in parts):
        stop = key.stop
        return (
            stop
            if key.start is None and key.step is None and isinstance(stop, int) and stop > 0 and size is None
            else None
        )
    length = len(range(*key.indices(size)))
    if length == 0:
        raise Misfit("a slice is empty", needs.axis_fixes(x, axis, size * 2))
    return size if length == size else length


def gather(x: Tensor, dim: Any, ids: Any) -> Tensor:
    """`torch.gather`."""
    needs.ids(ids, (x.shape or ())[axis_of(x, dim)], "gather")
    return x.computed(ids.shape, offset=None)


def index_select(x: Tensor, dim: Any, ids: Any) -> Tensor:
    """`torch.index_select`."""
    at, shape = axis_of(x, dim), x.shape or ()
    needs.rank(ids, (0, 1), ("B",), "index_select")
    needs.ids(ids, shape[at], "index_select")
    return x.computed((*shape[:at], (ids.shape or (None,))[0], *shape[at + 1 :]))


def index_added(x: Tensor, dim: Any, ids: Any, source: Any = None, *rest: Any, **more: Any) -> Tensor:
    """`index_add` and `index_copy`: each row of `source` goes to the row of `x` that its id names."""
    needs.rank(ids, (0, 1), ("B",), "index_add")
    at = axis_of(x, dim)
    if isinstance(source, Tensor) and source.shape and ids.shape:
        needs.axis(ids, 0, source.shape[at], "index_add")
    return scattered(x, dim, ids)


def scattered(x: Tensor, dim: Any, ids: Any, *rest: Any, **more: Any) -> Tensor:
    """`scatter_add` and its like: the shape stays."""
    needs.ids(ids, (x.shape or ())[axis_of(x, dim)], "scatter")
    return x.computed(x.shape)


def one_hot(x: Tensor, num_classes: Any = -1) -> Tensor:
    """`F.one_hot`."""
    needs.ids(x, num_classes, "one_hot")
    known = num_classes if isinstance(num_classes, int) and num_classes > 0 else None
    return x.computed((*(x.shape or ()), known), "int64", offset=1)


def embedded(ids: Tensor, weight: Any, *rest: Any, **more: Any) -> Tensor:
    """`F.embedding`."""
    rows_, width = weight.shape
    needs.ids(ids, rows_, "embedding")
    return ids.computed((*(ids.shape or ()), width), "float32", offset=1)
