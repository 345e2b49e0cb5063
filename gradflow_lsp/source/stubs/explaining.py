"""Which guesses to change so that a test in the code comes out the other way.

Model code says what it accepts by `assert` and by `if ...: raise`. Where such a test fails, the values in it that came
from guesses tell what to change, and often to what: the other side of a comparison, the bound, a member of the list.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import callables, needs, objects
from .code_values import ClassValue, External, Frame
from .guesses import Built, Several, TensorGuess
from .program import dotted_name
from .values import Fix, Items, Key, Misfit, Nothing, Record, Shape, Size, origin_of

if TYPE_CHECKING:
    from .walker import Walker

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_MOST_OPTIONS = 12


def of_raise(walker: Walker, frame: Frame) -> list[Fix]:
    """Return what would keep a function from reaching the `raise` it is at, the nearest test first.

    Of several tests of one guess, as in a chain of `elif`, the first is what is most usual.
    """
    by_key: dict[Key, list[Fix]] = {}
    for test, truth in reversed(frame.tests):
        fixes = to_make(walker, test, not truth, frame)
        for key in dict.fromkeys(fix.key for fix in fixes):
            by_key[key] = [fix for fix in fixes if fix.key == key] + by_key.get(key, [])
    return _unique(fix for fixes in by_key.values() for fix in fixes)


def to_make(walker: Walker, test: ast.expr, wanted: bool, frame: Frame) -> list[Fix]:
    """Return what would make a test come out as `wanted`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return to_make(walker, operand, not wanted, frame)
        case ast.BoolOp(op=op, values=values):
            each = isinstance(op, ast.And) == wanted  # then every part has to be as wanted, else any
            wrong = [value for value in values if not each or walker.truth(_value(walker, value, frame)) is not wanted]
            return _unique(fix for value in wrong for fix in to_make(walker, value, wanted, frame))
        case ast.Compare(left=ast.Attribute(value=ast.Name(id="self"), attr=name), ops=[op]) if (
            isinstance(op, ast.IsNot if wanted else ast.Is) and frame.me is walker.model
        ):
            try:
                objects.unprepared(walker, frame.me, name)
            except Misfit as misfit:
                return misfit.fixes
            return []
        case ast.Compare():
            return _unique(_of_comparison(walker, test, wanted, frame)) or _of_leaves(walker, test, frame)
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, kind]):
            return _of_type(walker, _value(walker, subject, frame), _value(walker, kind, frame), wanted)
    value = _value(walker, test, frame)
    if wanted and isinstance(value, Nothing):
        return [Fix(value.key, "given")]
    origin = origin_of(value)
    if not wanted and origin is not None and origin.what == "value" and not isinstance(value, Record):
        return [Fix(origin.key, "guess", Several(0)) if isinstance(value, Items) else Fix(origin.key, "value", False)]
    return _of_leaves(walker, test, frame)


def test_of(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """Return a `case` pattern as a test of the subject; `None` for one that matches anything."""
    match pattern:
        case ast.MatchValue(value=value):
            return ast.copy_location(ast.Compare(subject, [ast.Eq()], [value]), subject)
        case ast.MatchSingleton(value=value):
            constant = ast.copy_location(ast.Constant(value), subject)
            return ast.copy_location(ast.Compare(subject, [ast.Is()], [constant]), subject)
        case ast.MatchOr(patterns=patterns):
            tests = [test for one in patterns if (test := test_of(subject, one)) is not None]
            return ast.copy_location(ast.BoolOp(ast.Or(), tests), subject)
    return None


def _of_comparison(walker: Walker, test: ast.Compare, wanted: bool, frame: Frame) -> Iterator[Fix | None]:
    values = [_value(walker, node, frame) for node in (test.left, *test.comparators)]
    for op, left, right in zip(test.ops, values, values[1:], strict=False):
        kind = type(op) if wanted else _OPPOSITE[type(op)]
        if kind is ast.Eq:
            yield from _equal(left, right)
        elif kind is ast.In and isinstance(right, Record) and isinstance(left, str):
            yield Fix((*right.key, str(left)), "given")
        elif kind is ast.In:
            for option in (walker.iterate(right) or [])[:_MOST_OPTIONS]:
                yield from needs.value_fixes(left, option)
        elif kind is ast.IsNot and isinstance(left, Nothing):
            yield Fix(left.key, "given")
        elif kind in _ORDER and (isinstance(left, float) or isinstance(right, float)):
            factor = 0.5 if kind in (ast.Lt, ast.LtE) else 2.0
            if isinstance(left, (int, float)) and isinstance(right, (int, float)):
                yield from needs.value_fixes(left, right * factor)
                yield from needs.value_fixes(right, left / factor)
        elif kind in _ORDER and isinstance(left, int) and isinstance(right, int):
            step = {ast.Lt: -1, ast.Gt: 1}.get(kind, 0)
            yield from needs.value_fixes(left, right + step)
            yield from needs.value_fixes(right, left - step)


def _equal(left: Any, right: Any) -> Iterator[Fix | None]:
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        for one, sequence in ((left, right), (right, left)):
            if len(one) != len(sequence) and isinstance(one, Shape):
                yield needs.rank_fix(one.tensor, len(sequence) - one.more)
            if len(one) != len(sequence) and isinstance(one, Items):
                yield Fix(one.origin.key, "length", len(sequence))
        for a, b in zip(left, right, strict=False):
            yield from _equal(a, b) if a != b else ()
        return
    for one, other in ((left, right), (right, left)):
        if isinstance(other, (int, float, str, bool)) or other is None:
            yield from needs.value_fixes(one, other)


def _of_type(walker: Walker, value: Any, kind: Any, wanted: bool) -> list[Fix]:
    origin = origin_of(value)
    if origin is None or origin.what != "value":
        return []
    key = origin.key
    fixes: list[Fix] = []
    for one in kind if isinstance(kind, (list, tuple)) else [kind]:
        if isinstance(one, ClassValue):
            fixes += [Fix(key, "guess", Built(one.name))] if wanted else []
        elif isinstance(one, External):
            name = one.dotted.rpartition(".")[2]
            if wanted and name == "Module":
                fixes += [Fix(key, "guess", guess) for guess in callables.callables(walker.program, key, [])]
            elif wanted and name in ("list", "tuple"):
                length = len(value) if isinstance(value, Items) else 2
                fixes.append(Fix(key, "guess", Several(length, name)))
            elif wanted and name in _FORMS:
                fixes.append(Fix(key, "guess", TensorGuess(("B", "F"))) if name == "Tensor" else Fix(key, _FORMS[name]))
            elif not wanted:
                fixes.append(Fix(key, "sequence" if name in ("int", "float", "str") else "number"))
    return fixes


_FORMS = {
    "int": "number",
    "float": "number",
    "Number": "number",
    "Integral": "number",
    "str": "text",
    "dict": "mapping",
    "Sequence": "sequence",
    "Iterable": "sequence",
    "Mapping": "mapping",
    "Namespace": "record",
    "Tensor": "tensor",
}


def _of_leaves(walker: Walker, test: ast.expr, frame: Frame) -> list[Fix]:
    """Return other values for every guess that a test mentions, the inputs' first."""
    fixes: list[Fix] = []
    for node in ast.walk(test):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) and dotted_name(node) != "self":
            fixes.extend(other_values(_value(walker, node, frame)))
    return _unique(sorted(fixes, key=lambda fix: fix.key[0] != "input"))


def other_values(value: Any) -> Iterator[Fix]:
    """Yield changes that give a guessed number another value worth a try."""
    if isinstance(value, Size):
        near = (value + 1, value * 2, value // 2, 2, 3, 1, 64, 8, 4, 16, 12, 20, 32, 128, 224)
        for other in near:
            if other > 0 and other != value:
                yield from needs.value_fixes(value, other)
    elif isinstance(value, Nothing):
        yield Fix(value.key, "given")


def _value(walker: Walker, node: ast.expr, frame: Frame) -> Any:
    try:
        return walker.evaluate(node, frame)
    except Misfit:
        return None


def _unique(fixes: Any) -> list[Fix]:
    found: list[Fix] = []
    for fix in fixes:
        if fix is not None and not any(_same(fix, other) for other in found):
            found.append(fix)
    return found


def _same(one: Fix, other: Fix) -> bool:
    return (
        one.key == other.key
        and one.what == other.what
        and type(one.value) is type(other.value)
        and one.value == other.value
    )
