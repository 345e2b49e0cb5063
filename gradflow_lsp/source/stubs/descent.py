"""What a result inherits from what it was computed from: the parameters a gradient from it reaches, and the inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from .values import Shape, Tensor, Unknown


def tensors_in(values: Iterable[Any]) -> Iterable[Tensor]:
    """Yield the tensors among values and in the containers among them."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
        elif isinstance(value, dict):
            yield from tensors_in(value.values())


def depending_on(result: Any, values: Iterable[Any], owners: Collection[int] = ()) -> Any:
    """Return `result` with what its tensors depend on: all that `values` do, and the parameter owners given.

    An unknown result of a call with tensors is taken for a tensor.
    """
    inputs = list(tensors_in(values))
    reach = frozenset(owners).union(*(one.reach for one in inputs))
    roots = frozenset[Any]().union(*(one.roots for one in inputs))
    if isinstance(result, Unknown) and (inputs or owners):
        result = Tensor(None)
    if isinstance(result, Tensor):
        return replace(result, reach=result.reach | reach, roots=result.roots | roots)
    if isinstance(result, tuple) and not isinstance(result, Shape):
        return tuple(depending_on(one, inputs, owners) if isinstance(one, (Tensor, tuple)) else one for one in result)
    if isinstance(result, list):
        return [depending_on(one, inputs, owners) if isinstance(one, Tensor) else one for one in result]
    return result


def dtype_of_both(one: Tensor, other: Any, divides: bool = False) -> str:
    """Return the dtype that two operands are promoted to."""
    if isinstance(other, Tensor):
        order = (
            "bool",
            "uint8",
            "int8",
            "int16",
            "int32",
            "int64",
            "float16",
            "bfloat16",
            "float32",
            "float64",
            "complex64",
        )
        known = [t for t in (one.dtype, other.dtype) if t in order]
        joined = max(known, key=order.index, default="float32")
    else:
        joined = "float32" if isinstance(other, float) and not one.is_float else one.dtype
    return "float32" if divides and not joined.startswith(("float", "bfloat", "complex")) else joined
