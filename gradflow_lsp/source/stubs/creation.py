"""Functions that make new tensors, and those that cast them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import needs
from .values import DType, Items, Origin, Size, Tensor


def created(*size: Any, dtype: Any = None, **rest: Any) -> Tensor:
    """`torch.zeros`, `torch.randn` and their like."""
    given = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else rest.get("size", size)
    needs.numbers(given, "a new tensor")
    return Tensor(tuple(one if isinstance(one, int) else None for one in given), _dtype(dtype))


def uninitialised(*arguments: Any, **rest: Any) -> Tensor:
    """`torch.Tensor` and its like: sizes or data."""
    has_data = len(arguments) == 1 and isinstance(arguments[0], (list, Tensor))
    return tensor_of(*arguments) if has_data else created(*arguments)


def created_like(x: Tensor, *rest: Any, dtype: Any = None, **more: Any) -> Tensor:
    """`torch.zeros_like` and its like."""
    return Tensor(x.shape, _dtype(dtype, x.dtype))


def new(x: Tensor, *size: Any, dtype: Any = None, **rest: Any) -> Tensor:
    """`Tensor.new_zeros` and its like."""
    return replace(created(*size, **rest), dtype=_dtype(dtype, x.dtype))


def full(size: Any, fill_value: Any = 0, dtype: Any = None, **rest: Any) -> Tensor:
    """`torch.full`."""
    whole = isinstance(fill_value, int) and not isinstance(fill_value, bool)
    return replace(created(size), dtype=_dtype(dtype, "int64" if whole else "float32"))


def new_full(x: Tensor, size: Any, fill_value: Any = 0, dtype: Any = None, **rest: Any) -> Tensor:
    """`Tensor.new_full`."""
    return replace(created(size), dtype=_dtype(dtype, x.dtype))


def arange(*given: Any, dtype: Any = None, **rest: Any) -> Tensor:
    """`torch.arange`."""
    named = [rest[name] for name in ("start", "end", "step")[len(given) :] if name in rest]
    bounds = (*given, *named)
    needs.numbers(bounds, "a new tensor")
    whole = all(isinstance(one, int) for one in bounds)
    kind = _dtype(dtype, "float32" if any(isinstance(one, float) for one in bounds) else "int64")
    if not whole:
        return Tensor((None,), kind)
    return Tensor((bounds[0] if len(bounds) == 1 else len(range(*bounds)),), kind)


def linspace(start: Any = 0, end: Any = 1, steps: Any = 100, **rest: Any) -> Tensor:
    """`torch.linspace`."""
    return Tensor((steps if isinstance(steps, int) else None,))


def eye(n: Any, m: Any = None, **rest: Any) -> Tensor:
    """`torch.eye`."""
    return Tensor((n, m if isinstance(m, int) else n))


def random_ids(*arguments: Any, size: Any = None, **rest: Any) -> Tensor:
    """`torch.randint`."""
    shape = size if size is not None else arguments[-1]
    return replace(created(shape), dtype=_dtype(rest.get("dtype"), "int64"))


def tensor_of(data: Any, dtype: Any = None, **rest: Any) -> Tensor:
    """`torch.tensor` and `torch.as_tensor`."""
    if isinstance(data, Tensor):
        return replace(data, dtype=_dtype(dtype, data.dtype))
    shape: list[int | None] = []
    inner = data
    while isinstance(inner, (list, tuple)):
        shape.append(Size(len(inner), Origin(inner.origin.key, "length")) if isinstance(inner, Items) else len(inner))
        inner = inner[0] if inner else 0.0
    if isinstance(inner, Tensor):
        shape.extend(inner.shape or ())
    plain = "bool" if isinstance(inner, bool) else "int64" if isinstance(inner, int) else "float32"
    known = isinstance(inner, (bool, int, float, Tensor))
    return Tensor(tuple(shape) if known else None, _dtype(dtype, plain))


def meshgrid(*tensors: Any, **rest: Any) -> list[Tensor]:
    """`torch.meshgrid`."""
    parts = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    shape = tuple(one.shape[0] if isinstance(one, Tensor) and one.shape else None for one in parts)
    return [Tensor(shape) for _ in parts]


def _dtype(given: Any, usual: str = "float32") -> str:
    return str(given) if isinstance(given, str) else usual


def cast(dtype: str) -> Callable[..., Tensor]:
    """Return the method that casts to `dtype`: the values stay an input's own."""
    return lambda x, *rest, **more: replace(x, dtype=dtype)


def to(x: Tensor, *arguments: Any, dtype: Any = None, **rest: Any) -> Tensor:
    """`Tensor.to` and `Tensor.type`."""
    wanted = dtype or next((one for one in arguments if isinstance(one, DType)), None)
    like = next((one.dtype for one in arguments if isinstance(one, Tensor)), None)
    return replace(x, dtype=_dtype(wanted, like or x.dtype))
