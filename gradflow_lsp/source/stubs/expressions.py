"""The values of expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from . import arithmetic, calls, items, objects, operators
from .code_values import ClassValue, Frame, Function, Instance, Super
from .descent import depending_on
from .values import UNKNOWN, Fix, Items, Misfit, Nothing, Record, Shape, Tensor, Unknown, origin_of

if TYPE_CHECKING:
    from .walker import Walker


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
            return operators.binary(op, walker.evaluate(left, frame), walker.evaluate(right, frame))
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
            return items.item(walker, walker.evaluate(owner, frame), walker.evaluate(index, frame))
        case ast.Slice(lower=lower, upper=upper, step=step):
            parts = [walker.evaluate(part, frame) if part else None for part in (lower, upper, step)]
            return slice(*(UNKNOWN if isinstance(part, Tensor) else part for part in parts))
        case ast.Tuple(elts=elements):
            return _tuple(walker, elements, frame)
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
        elif isinstance(value, Record):
            items.as_mapping(walker, value)
            keywords |= dict(calls.missing(walker, callee, len(arguments), keywords, value.key))
        else:
            origin = origin_of(value)
            if origin is not None and origin.what == "value" and not isinstance(value, (Tensor, Nothing)):
                raise Misfit("a mapping is needed", [Fix(origin.key, "mapping")])
            return walker.call(callee, arguments, keywords)
    calls.check_arguments(callee, len(arguments), keywords)
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
        one = operators.compare(walker, op, left, right)
        if one is False or isinstance(one, Tensor):
            return one
        result = one if isinstance(one, Unknown) else result
        left = right
    return result


def _elements(walker: Walker, nodes: list[ast.expr], frame: Frame, starred: list[Any] | None = None) -> list[Any]:
    """Return the elements that a display lists; what was starred is added to `starred`."""
    elements: list[Any] = []
    for node in nodes:
        value = walker.evaluate(node, frame)
        if isinstance(node, ast.Starred):
            elements.extend(walker.iterate(value) or ())
            if starred is not None:
                starred.append(value)
        else:
            elements.append(value)
    return elements


def _tuple(walker: Walker, nodes: list[ast.expr], frame: Frame) -> tuple[Any, ...]:
    """Return a tuple; one with the sizes of a tensor in it, `*x.shape, heads`, still knows the tensor."""
    starred: list[Any] = []
    values = tuple(_elements(walker, nodes, frame, starred))
    if len(starred) != 1 or not isinstance(starred[0], Shape):
        return values
    shape = Shape(values)
    shape.tensor, shape.more = starred[0].tensor, len(values) - len(starred[0])
    return shape


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
    source = walker.evaluate(first.iter, frame)
    items = walker.iterate(source)
    if items is None:
        return UNKNOWN
    inner = Frame({}, frame, frame.owner, frame.me, yields=frame.yields)
    for item in items:
        walker.assign(first.target, item, inner)
        if all(walker.truth(walker.evaluate(test, inner)) is not False for test in first.ifs):
            inside = _comprehension(walker, elements, rest, inner, found)
            if isinstance(inside, Unknown):
                return UNKNOWN
    as_long = isinstance(source, Items) and not rest and not first.ifs
    return Items.of(found, source.origin.key) if as_long else found


def _text(walker: Walker, parts: list[ast.expr], frame: Frame) -> Any:
    text = ""
    for part in parts:
        value = walker.evaluate(part.value if isinstance(part, ast.FormattedValue) else part, frame)
        if not isinstance(value, (str, int)) or (isinstance(part, ast.FormattedValue) and part.format_spec):
            return UNKNOWN
        text += str(value)
    return text if operators.is_small(text) else UNKNOWN


def _hashable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_hashable(part) for part in value)
    return not isinstance(value, (list, dict, set, slice, Unknown))
