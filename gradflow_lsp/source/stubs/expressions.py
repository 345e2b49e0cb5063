"""The values of expressions."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import arithmetic, objects
from .descent import depending_on
from .values import (
    UNKNOWN,
    ClassValue,
    Compound,
    External,
    Fix,
    Frame,
    Function,
    Instance,
    Misfit,
    Nothing,
    Real,
    Record,
    Size,
    Super,
    Tensor,
    Unknown,
    origin_of,
)

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


def evaluate(walker: Walker, node: ast.expr, frame: Frame) -> Any:
    """Return the value of an expression in a frame."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return walker.lookup(name, frame)
        case ast.Attribute(value=owner, attr=name):
            return objects.attribute(walker, walker.evaluate(owner, frame), name)
        case ast.Call():
            return _call(walker, node, frame)
        case ast.BinOp(left=left, op=op, right=right):
            return binary(op, walker.evaluate(left, frame), walker.evaluate(right, frame))
        case ast.UnaryOp(op=op, operand=operand):
            return _unary(walker, op, walker.evaluate(operand, frame))
        case ast.BoolOp(op=op, values=values):
            return _boolean(walker, isinstance(op, ast.And), values, frame)
        case ast.Compare():
            return _comparison(walker, node, frame)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            truth = walker.truth(walker.evaluate(test, frame))
            return walker.evaluate(orelse if truth is False else body, frame)
        case ast.Subscript(value=owner, slice=index):
            return objects.item(walker, walker.evaluate(owner, frame), walker.evaluate(index, frame))
        case ast.Slice(lower=lower, upper=upper, step=step):
            parts = [walker.evaluate(part, frame) if part else None for part in (lower, upper, step)]
            return slice(*(UNKNOWN if isinstance(part, Tensor) else part for part in parts))
        case ast.Tuple(elts=elements):
            return tuple(_elements(walker, elements, frame))
        case ast.List(elts=elements):
            return list(_elements(walker, elements, frame))
        case ast.Set(elts=elements):
            return {element for element in _elements(walker, elements, frame) if _hashable(element)}
        case ast.Dict():
            return _dict(walker, node, frame)
        case ast.ListComp(elt=element, generators=generators) | ast.GeneratorExp(elt=element, generators=generators):
            return _comprehension(walker, [element], generators, frame, [])
        case ast.SetComp(elt=element, generators=generators):
            found = _comprehension(walker, [element], generators, frame, [])
            return UNKNOWN if isinstance(found, Unknown) else {one for one in found if _hashable(one)}
        case ast.DictComp(key=key, value=value, generators=generators):
            found = _comprehension(walker, [key, value], generators, frame, [])
            return UNKNOWN if isinstance(found, Unknown) else {key: value for key, value in found if _hashable(key)}
        case ast.Lambda():
            return Function(node, frame, frame.owner)
        case ast.JoinedStr(values=values):
            return _text(walker, values, frame)
        case ast.Starred(value=value):
            return walker.evaluate(value, frame)
        case ast.NamedExpr(target=target, value=value):
            result = walker.evaluate(value, frame)
            walker.assign(target, result, frame)
            return result
        case ast.Yield(value=value):
            frame.yields.append(walker.evaluate(value, frame) if value else None)
        case ast.YieldFrom(value=value):
            frame.yields.extend(walker.iterate(walker.evaluate(value, frame)) or ())
        case ast.Await(value=value):
            return walker.evaluate(value, frame)
    return UNKNOWN


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
    return result if _small(result) else UNKNOWN


def _is_traced(value: Any) -> bool:
    return isinstance(value, Compound) or origin_of(value) is not None


def compare(walker: Walker, op: ast.cmpop, left: Any, right: Any) -> Any:
    """Return `left op right` for a comparison: a truth value, a tensor of them, or `UNKNOWN`."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _same(left, right)
        return UNKNOWN if same is None else same == isinstance(op, ast.Is)
    if isinstance(op, (ast.In, ast.NotIn)):
        inside = objects.contains(walker, right, left)
        return UNKNOWN if inside is None else inside == isinstance(op, ast.In)
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


def _call(walker: Walker, node: ast.Call, frame: Frame) -> Any:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        around: Frame | None = frame
        while around is not None and around.owner is None:
            around = around.parent
        if around is None or around.owner is None or not isinstance(around.me, (Instance, ClassValue)):
            return UNKNOWN
        me: Any = around.me
        return Super(me, around.owner)
    callee = walker.evaluate(node.func, frame)
    arguments: list[Any] = []
    for argument in node.args:
        value = walker.evaluate(argument, frame)
        if isinstance(argument, ast.Starred):
            values = walker.iterate(value)
            if values is None:
                return depending_on(UNKNOWN, [value, *arguments])
            arguments.extend(values)
        else:
            arguments.append(value)
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = walker.evaluate(keyword.value, frame)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, dict):
            keywords.update({name: one for name, one in value.items() if isinstance(name, str)})
    return walker.call(callee, arguments, keywords)


def _unary(walker: Walker, op: ast.unaryop, value: Any) -> Any:
    if isinstance(op, ast.Not):
        truth = walker.truth(value)
        return UNKNOWN if truth is None else not truth
    if isinstance(value, Tensor):
        return arithmetic.inverted(value) if isinstance(op, ast.Invert) else value.computed(value.shape)
    if isinstance(value, (int, float)):
        if isinstance(op, ast.USub):
            return -value
        if isinstance(op, ast.Invert) and isinstance(value, int):
            return ~value
        return value
    return UNKNOWN


def _boolean(walker: Walker, is_and: bool, values: list[ast.expr], frame: Frame) -> Any:
    uncertain = False
    result: Any = UNKNOWN
    for node in values:
        result = walker.evaluate(node, frame)
        truth = walker.truth(result)
        if truth is (not is_and):
            return result
        uncertain = uncertain or truth is None
    return UNKNOWN if uncertain else result


def _comparison(walker: Walker, node: ast.Compare, frame: Frame) -> Any:
    left = walker.evaluate(node.left, frame)
    result: Any = True
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = walker.evaluate(right_node, frame)
        one = compare(walker, op, left, right)
        if one is False or isinstance(one, Tensor):
            return one
        result = one if isinstance(one, Unknown) else result
        left = right
    return result


def _elements(walker: Walker, nodes: list[ast.expr], frame: Frame) -> list[Any]:
    elements: list[Any] = []
    for node in nodes:
        value = walker.evaluate(node, frame)
        if isinstance(node, ast.Starred):
            elements.extend(walker.iterate(value) or ())
        else:
            elements.append(value)
    return elements


def _dict(walker: Walker, node: ast.Dict, frame: Frame) -> Any:
    result: dict[Any, Any] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = walker.evaluate(value_node, frame)
        if key_node is None:
            result.update(value if isinstance(value, dict) else {})
            continue
        key = walker.evaluate(key_node, frame)
        if _hashable(key):
            result[key] = value
    return result


def _comprehension(
    walker: Walker, elements: list[ast.expr], generators: list[ast.comprehension], frame: Frame, found: list[Any]
) -> Any:
    if not generators:
        values = [walker.evaluate(element, frame) for element in elements]
        found.append(values[0] if len(values) == 1 else tuple(values))
        return found
    first, *rest = generators
    items = walker.iterate(walker.evaluate(first.iter, frame))
    if items is None:
        return UNKNOWN
    inner = Frame({}, frame, frame.owner, frame.me, yields=frame.yields)
    for item in items:
        walker.assign(first.target, item, inner)
        if all(walker.truth(walker.evaluate(test, inner)) is not False for test in first.ifs):
            inside = _comprehension(walker, elements, rest, inner, found)
            if isinstance(inside, Unknown):
                return UNKNOWN
    return found


def _text(walker: Walker, parts: list[ast.expr], frame: Frame) -> Any:
    text = ""
    for part in parts:
        value = walker.evaluate(part.value if isinstance(part, ast.FormattedValue) else part, frame)
        if not isinstance(value, (str, int)) or (isinstance(part, ast.FormattedValue) and part.format_spec):
            return UNKNOWN
        text += str(value)
    return text if _small(text) else UNKNOWN


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


def _small(value: Any) -> bool:
    return not isinstance(value, (str, list, tuple)) or len(value) <= _LONGEST


def _hashable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_hashable(part) for part in value)
    return not isinstance(value, (list, dict, set, slice, Unknown))
