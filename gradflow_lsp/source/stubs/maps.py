"""Functions on maps with spatial axes: convolution, pooling, padding, resizing."""

from __future__ import annotations

import math
from typing import Any

from . import needs
from .shaping import axis_of, product, times
from .values import Misfit, Tensor


def per_axis(value: Any, spatial: int) -> tuple[Any, ...]:
    """Return an argument that may be one number or one for each spatial axis as a tuple; unknown ones are `None`."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * spatial
    values = values * spatial if len(values) == 1 else values
    return tuple(one if isinstance(one, int) else None for one in values) + (None,) * (spatial - len(values))


def convolved(size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, up: bool = False) -> int | None:
    """Return the size that a convolution or pooling leaves of an axis."""
    if None in (size, kernel, stride, padding, dilation) or stride == 0:
        return None
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    if kernel == 1 and stride == 1 and padding == 0:
        return size  # type: ignore[no-any-return]
    steps = math.ceil(span / stride) if up else span // stride
    return int(steps) + 1 if span >= 0 else 0


def unconvolved(size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, extra: Any) -> int | None:
    """Return the size that a transposed convolution makes of an axis."""
    if None in (size, kernel, stride, padding, dilation, extra):
        return None
    return int((size - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1)


def interpolate(x: Tensor, size: Any = None, scale_factor: Any = None, *rest: Any, **more: Any) -> Tensor:
    """`F.interpolate`."""
    shape = x.shape or ()
    old = shape[2:]
    if len(shape) < 3:
        raise Misfit("a map is needed", [needs.rank_fix(x, needs.SPATIAL[2])])
    if size is not None:
        new = tuple(size) if isinstance(size, (list, tuple)) else (size,) * len(old)
    else:
        factors = scale_factor if isinstance(scale_factor, (list, tuple)) else (scale_factor,) * len(old)
        new = tuple(
            int(a * f) if a is not None and isinstance(f, (int, float)) else None
            for a, f in zip(old, factors, strict=True)
        )
    return x.computed((*shape[:2], *(one if isinstance(one, int) else None for one in new)))


def pad(x: Tensor, padding: Any, *rest: Any, **more: Any) -> Tensor:
    """`F.pad`."""
    shape = list(x.shape or ())
    for row in range(len(padding) // 2):
        axis_of(x, -row - 1)
        before, after, size = padding[2 * row], padding[2 * row + 1], shape[-row - 1]
        known = isinstance(before, int) and isinstance(after, int) and size is not None
        shape[-row - 1] = (
            (size if before == after == 0 else size + before + after) if known and size is not None else None
        )
    return x.computed(tuple(shape))


def pixel_shuffle(x: Tensor, factor: Any) -> Tensor:
    """`F.pixel_shuffle`; a negative factor is the way back."""
    *head, channels, height, width = x.shape or ()
    if factor < 0:
        factor = -factor
        new = (times(channels, factor**2), *(None if s is None else s // factor for s in (height, width)))
    else:
        if channels is not None and channels % factor**2:
            raise Misfit(f"{channels} channels do not make pixels of {factor} by {factor}")
        new = (None if channels is None else channels // factor**2, times(height, factor), times(width, factor))
    return x.computed((*head, *new))


def unfold_patches(x: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """`F.unfold`."""
    needs.rank(x, (4,), needs.SPATIAL[2], "unfold")
    batch, channels, *sizes = x.shape or ()
    parts = [per_axis(value, 2) for value in (kernel_size, stride, padding, dilation)]
    counts = [convolved(size, *(part[row] for part in parts)) for row, size in enumerate(sizes)]
    width = product([channels, *parts[0]])
    count = product(counts)
    return x.computed(
        (batch, width if isinstance(width, int) else None, count if isinstance(count, int) else None), offset=-1
    )


def slid(x: Tensor, dimension: Any, size: Any, step: Any) -> Tensor:
    """`Tensor.unfold`."""
    at, shape = axis_of(x, dimension), x.shape or ()
    return x.computed((*shape[:at], convolved(shape[at], size, step, 0, 1), *shape[at + 1 :], size), offset=1)
