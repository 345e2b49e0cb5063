"""What operators give: numbers and texts as Python computes them, tensors by their shapes."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import arithmetic, items
from .code_values import ClassValue, External
from .values import UNKNOWN, Compound, Fix, Misfit, Nothing, Real, Record, Size, Tensor, Unknown, origin_of

if TYPE_CHECKING:
    from .walker import Walker

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_PLAIN_TEMPLATE = re.compile(r"(?:[^%]|%[sdi%])*")
_LONGEST = 20_000
_MOST_BITS = 200


def binary(op: ast.operator, left: Any, right: Any) -> Any:
    """Return `left op right`."""
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if isinstance(op, ast.MatMult):
            return arithmetic.matmul(left, right)
        return arithmetic.elementwise(left, right, divides=isinstance(op, ast.Div))
    for value in (left, right):
        if isinstance(value, Nothing):
            raise Misfit("a number is needed and there is none", [Fix(value.key, "given")])
        if isinstance(value, (str, Record)) and not isinstance(op, (ast.Add, ast.Mod, ast.Div)):
            origin = origin_of(value)
            if origin and not isinstance(op, ast.Mult):
                raise Misfit("a number is needed", [Fix(origin.key, "number")])
    compute = _BINARY.get(type(op))
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return UNKNOWN
    if compute is None or not _affordable(op, left, right):
        return UNKNOWN
    try:
        result = compute(left, right)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
        origins = [origin for origin in (origin_of(left), origin_of(right)) if origin and origin.what == "value"]
        if isinstance(error, TypeError) and origins and not isinstance(op, ast.Mod):
            raise Misfit("a value has the wrong type for arithmetic", _other_forms(left, right)) from None
        return UNKNOWN
    if isinstance(op, (ast.Add, ast.Mult)) and isinstance(result, int) and any(map(_is_traced, (left, right))):
        return Compound(result, (left, right), is_sum=isinstance(op, ast.Add))
    return result if is_small(result) else UNKNOWN


def _is_traced(value: Any) -> bool:
    return isinstance(value, Compound) or origin_of(value) is not None


def compare(walker: Walker, op: ast.cmpop, left: Any, right: Any) -> Any:
    """Return `left op right` for a comparison: a truth value, a tensor of them, or `UNKNOWN`."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _same(left, right)
        return UNKNOWN if same is None else same == isinstance(op, ast.Is)
    if isinstance(op, (ast.In, ast.NotIn)):
        inside = items.contains(walker, right, left)
        return UNKNOWN if inside is None else inside == isinstance(op, ast.In)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Tensor) and one.source and isinstance(other, str):
            raise Misfit("an input is compared with a word", [Fix(one.source, "value", str(other))])
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return arithmetic.elementwise(left, right, dtype="bool")
    left, right = (None if isinstance(value, Nothing) else value for value in (left, right))
    for one, other in ((left, right), (right, left)):
        if isinstance(one, (Size, Real)) and isinstance(other, str) and one.origin.what == "value":
            raise Misfit("a number is compared with a word", [Fix(one.origin.key, "value", str(other))])
    if isinstance(left, (Unknown, Record)) or isinstance(right, (Unknown, Record)):
        return UNKNOWN
    try:
        return bool(_COMPARE[type(op)](left, right))
    except (TypeError, ValueError):
        origin = origin_of(left) or origin_of(right)
        if origin and origin.what == "value" and not isinstance(left, External):
            raise Misfit("two values cannot be compared", _other_forms(left, right)) from None
        return UNKNOWN


def _same(left: Any, right: Any) -> bool | None:
    nothing = [value is None or isinstance(value, Nothing) for value in (left, right)]
    if all(nothing):
        return True
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    if any(nothing):
        return False
    if isinstance(left, External) and isinstance(right, External):
        return left == right
    if isinstance(left, (bool, ClassValue)) or isinstance(right, (bool, ClassValue)):
        return left is right
    return bool(left is right or (type(left) is type(right) and not isinstance(left, Tensor) and left == right))


def _other_forms(left: Any, right: Any) -> list[Fix]:
    fixes = []
    for one, other in ((left, right), (right, left)):
        origin = origin_of(one)
        if origin is None or origin.what != "value":
            continue
        if isinstance(other, (list, tuple)):
            fixes.append(Fix(origin.key, "sequence"))
        elif isinstance(other, (int, float)):
            fixes.append(Fix(origin.key, "number"))
        elif isinstance(other, str):
            fixes.append(Fix(origin.key, "value", str(other)))
    return fixes


def _affordable(op: ast.operator, left: Any, right: Any) -> bool:
    """Say whether computing this is sure to be quick and small."""
    whole = isinstance(left, int) and isinstance(right, int)
    if isinstance(op, ast.Pow) and whole:
        return bool(abs(right) * max(left.bit_length(), 1) <= _MOST_BITS)
    if isinstance(op, (ast.LShift, ast.Mult)) and whole:
        return bool(left.bit_length() + (right if isinstance(op, ast.LShift) else right.bit_length()) <= _MOST_BITS)
    if isinstance(op, ast.Mult):
        count, items = (left, right) if isinstance(left, int) else (right, left)
        if isinstance(items, (str, list, tuple)):
            return isinstance(count, int) and len(items) * count <= _LONGEST
    if isinstance(op, ast.Mod) and isinstance(left, str):
        values = right if isinstance(right, tuple) else (right,)
        return bool(_PLAIN_TEMPLATE.fullmatch(left)) and all(isinstance(value, (int, str)) for value in values)
    return True


def is_small(value: Any) -> bool:
    """Say whether a value is short enough to go on with."""
    return not isinstance(value, (str, list, tuple)) or len(value) <= _LONGEST
