"""What a layer or operation needs of its tensors, and which change of a guess would give it that."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .guesses import TensorGuess
from .values import UNKNOWN, Compound, DType, Fix, Misfit, Nothing, Origin, Record, Size, Step, Tensor, origin_of

SPATIAL = {1: ("B", "C", "L"), 2: ("B", "C", "H", "W"), 3: ("B", "C", "D", "H", "W")}
"""The axes of a batch of maps with that many spatial axes."""


def value_fixes(value: Any, wanted: Any) -> list[Fix]:
    """Return the changes that make a number what it should be, where it came from guesses."""
    if isinstance(value, Compound) and isinstance(wanted, int):
        return _sum_fixes(value, wanted) if value.is_sum else _product_fixes(value.parts, wanted)
    origin = origin_of(value)
    if origin is None or wanted is None:
        return []
    if origin.what != "value" and not isinstance(wanted, (int, str)):
        return []
    match origin.what:
        case "axis":
            return [Fix(origin.key, "axis", (origin.index, wanted))]
        case "rank":
            return [Fix(origin.key, "rank", int(wanted) - origin.index)]
        case "length":
            return [Fix(origin.key, "length", wanted)]
    return [Fix(origin.key, "dtype" if isinstance(value, DType) else "value", wanted)]


def meeting(one: Any, other: Any) -> list[Fix]:
    """Return the changes of either of two sizes that make them equal."""
    return [*value_fixes(one, other), *value_fixes(other, one)]


def at_least(index: int) -> int:
    """Return how many entries there have to be for an index; for that of a loop, until its end."""
    last = index.last if isinstance(index, Step) else index
    return last + 1 if last >= 0 else -last


def axis_fixes(tensor: Tensor, axis: int, wanted: Any) -> list[Fix]:
    """Return the changes that give a tensor's axis another size."""
    return value_fixes(tensor.shape[axis], wanted) if tensor.shape else []


def _sum_fixes(total: Compound, wanted: int) -> list[Fix]:
    """Let one part take up the difference; where none can alone, begin with an equal share."""
    fixes: list[Fix] = []
    for part in total.parts:
        origin = origin_of(part)
        alike = sum(1 for other in total.parts if other is part or (origin and origin_of(other) == origin))
        needed = wanted - (total - alike * part) if part is not None else 0
        whole = needed > 0 and needed % alike == 0
        fixes += value_fixes(part, needed // alike if whole else max(1, wanted // len(total.parts)))
    return fixes


def _product_fixes(parts: tuple[int | None, ...], wanted: int) -> list[Fix]:
    """Let one factor take up the difference, or make the axes of an image its channels and equal sides."""
    fixes: list[Fix] = []
    of_inputs = [origin for part in parts if (origin := origin_of(part)) is not None and origin.what != "value"]
    for position, part in enumerate(parts):
        rest = math.prod(other or 1 for other in (*parts[:position], *parts[position + 1 :]))
        origin = origin_of(part)
        if origin is not None and origin == origin_of(wanted) and part == wanted:
            alone = _ones(parts[:position] + parts[position + 1 :])
            fixes += [alone] if alone else []
        is_free = origin is None or origin.what == "value" or len(of_inputs) == 1 < len(parts)
        if origin is not None and origin == origin_of(wanted):
            continue  # what is wanted would move along
        if is_free and rest and wanted % rest == 0:
            fixes += value_fixes(part, wanted // rest)
    return fixes or _side_fixes(parts, wanted)


def _ones(parts: tuple[int | None, ...]) -> Fix | None:
    """Return the change that makes axes of one input 1."""
    origins = [origin_of(part) for part in parts if part != 1]
    keys = {origin.key for origin in origins if origin is not None and origin.what == "axis"}
    if None in origins or len(keys) != 1:
        return None
    return Fix(keys.pop(), "axes", {origin.index: 1 for origin in origins if origin is not None})


def _side_fixes(parts: tuple[int | None, ...], wanted: int) -> list[Fix]:
    origins = [origin_of(part) for part in parts]
    keys = {origin.key for origin in origins if origin is not None and origin.what == "axis"}
    if None in origins or len(keys) != 1:
        return []
    axes = [origin.index for origin in origins if origin is not None]
    if len(axes) == 1:
        return [Fix(keys.pop(), "axis", (axes[0], wanted))]
    key = keys.pop()
    for channels in (1, 3, *range(2, 65)):
        side = math.isqrt(wanted // channels)
        if len(axes) == 3 and channels * side * side == wanted and side > 1:
            return [Fix(key, "axes", dict(zip(axes, (channels, side, side), strict=True)))]
    side = math.isqrt(wanted)
    equal = len(axes) == 2 and side * side == wanted
    last = parts[-1] or 1
    if len(axes) == 2 and wanted % last == 0 and not equal:
        return [Fix(key, "axes", dict(zip(axes, (wanted // last, last), strict=True)))]
    return [Fix(key, "axes", dict(zip(axes, (side, side), strict=True)))] if equal else []


def rank_fix(tensor: Tensor, wanted: int | tuple[str, ...]) -> Fix | None:
    """Return the change that gives a tensor another rank; a tuple names the axes it should have."""
    if tensor.lineage is None:
        return None
    key, offset = tensor.lineage
    if isinstance(wanted, tuple):
        return Fix(key, "rank", wanted if offset == 0 else len(wanted) - offset)
    return Fix(key, "rank", wanted - offset)


def rank(tensor: Tensor, allowed: Iterable[int], wanted: int | tuple[str, ...], what: str) -> None:
    """Raise a misfit unless the rank is one of `allowed`."""
    if tensor.shape is not None and len(tensor.shape) not in tuple(allowed):
        raise Misfit(f"{what} gets {_axes(len(tensor.shape))}", [rank_fix(tensor, wanted)])


def axis(tensor: Tensor, position: int, wanted: Any, what: str) -> None:
    """Raise a misfit unless the axis has the wanted size; one that is not known passes."""
    if tensor.shape is None or not isinstance(wanted, int):
        return
    if not -len(tensor.shape) <= position < len(tensor.shape):
        raise Misfit(
            f"{what} gets {_axes(len(tensor.shape))}", [rank_fix(tensor, position + 1 if position >= 0 else -position)]
        )
    size = tensor.shape[position]
    if size is not None and size != wanted:
        raise Misfit(f"{what} needs {wanted} and gets {size}", meeting(size, wanted))


def floating(tensor: Tensor, wanted: str, what: str) -> None:
    """Raise a misfit where an input is handed in as it is and does not have the layer's dtype."""
    sources = [tensor.source] if tensor.source else sorted(tensor.roots, key=str) if wanted == "float64" else []
    if sources and tensor.dtype != wanted and (not tensor.is_float or wanted != "float32"):
        raise Misfit(f"{what} needs {wanted} and gets {tensor.dtype}", [Fix(key, "dtype", wanted) for key in sources])


def ids(tensor: Tensor, bound: Any, what: str) -> None:
    """Raise a misfit where an input is used as ids and holds something else, or ids that are too large."""
    if not tensor.source:
        if tensor.is_float and tensor.roots and not tensor.reach:
            raise Misfit(f"{what} needs ids", [Fix(key, "dtype", "int64") for key in sorted(tensor.roots, key=str)])
        return
    if isinstance(bound, int) and bound > 0:
        if not tensor.is_integer or tensor.dtype == "uint8" or tensor.below is None or tensor.below > bound:
            raise Misfit(f"{what} needs ids below {bound}", [Fix(tensor.source, "bound", bound)])
    elif not tensor.is_integer:
        raise Misfit(f"{what} needs ids", [Fix(tensor.source, "dtype", "int64")])


def numbers(values: Iterable[Any], what: str) -> None:
    """Raise a misfit where an input stands for one of several whole numbers, such as sizes."""
    for value in values:
        if isinstance(value, Tensor) and value.source and value.lineage == (value.source, 0):
            raise Misfit(f"{what} takes whole numbers", [Fix(value.source, "number")])


def truths(tensor: Tensor, what: str) -> None:
    """Raise a misfit where an input is used as a mask and is not one."""
    if tensor.source and tensor.dtype != "bool":
        raise Misfit(f"{what} needs a mask", [Fix(tensor.source, "dtype", "bool")])


def hiding_nothing(mask: Tensor) -> None:
    """Raise a misfit where an input that hides what it is true for is true everywhere: that gives NaN."""
    if mask.source and mask.dtype == "bool" and mask.fill == "ones":
        raise Misfit("a mask hides everything", [Fix(mask.source, "fill", "zeros")])


def a_tensor(value: Any, what: str) -> Tensor | None:
    """Return `value` when it is a tensor; raise a misfit when it is a guess of another kind; else `None`."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Nothing):
        raise Misfit(f"{what} needs a tensor and gets nothing", [Fix(value.key, "given")])
    origin = origin_of(value)
    if origin is not None and origin.what == "value" and (isinstance(value, Record) or origin.key[0] == "input"):
        raise Misfit(f"{what} needs a tensor", [Fix(origin.key, "guess", TensorGuess(("B", "F")))])
    return None


def rank_of(tensor: Tensor) -> Any:
    """Return a tensor's number of axes, knowing the input it follows from."""
    if tensor.shape is None:
        return UNKNOWN
    if tensor.lineage is None:
        return len(tensor.shape)
    return Size(len(tensor.shape), Origin(tensor.lineage[0], "rank", tensor.lineage[1]))


def _axes(count: int) -> str:
    return f"a tensor of {count} {'axis' if count == 1 else 'axes'}"
