"""Python's own functions, as far as model code leans on them."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import kinds, layers, needs, objects, operators
from .classes import find_in_class
from .code_values import Bound, ClassValue, External, Function, Instance, Layer, Method, Super
from .values import UNKNOWN, Fix, Items, Misfit, Nothing, Origin, Record, Shape, Size, Step, Tensor, Unknown, origin_of

if TYPE_CHECKING:
    from .walker import Walker


def call(walker: Walker, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call the builtin function `name`."""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(walker, arguments, keywords)
    if name in ("sum", "sorted", "reversed", "min", "max", "any", "all", "list", "tuple", "set", "frozenset"):
        return _of_elements(walker, name, arguments)
    if name in ("int", "float", "abs", "round", "bool", "str", "divmod", "pow"):
        if any(isinstance(one, Unknown) or not isinstance(one, (int, float, str, bool)) for one in arguments):
            first = arguments[0] if arguments else UNKNOWN
            if isinstance(first, Nothing) and name in ("int", "float", "abs", "round"):
                raise Misfit("a number is needed and there is none", [Fix(first.key, "given")])
            return walker.truth(first) if name == "bool" and walker.truth(first) is not None else UNKNOWN
        try:
            if name in ("int", "float", "str") and len(arguments) == 1 and isinstance(arguments[0], _PLAIN[name]):
                return arguments[0]  # the same value, and its origin with it
            return _FUNCTIONS[name](*arguments)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            return UNKNOWN
    return UNKNOWN


_PLAIN = {"int": int, "float": float, "str": str}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "abs": abs,
    "round": round,
    "bool": bool,
    "str": str,
    "divmod": divmod,
    "pow": lambda base, power: base**power if abs(power) < 64 and abs(base) < 1e6 else UNKNOWN,
}


def _of_elements(walker: Walker, name: str, arguments: list[Any]) -> Any:
    if not arguments:
        return {"list": [], "tuple": (), "set": set()}.get(name, UNKNOWN)
    values = arguments if name in ("min", "max") and len(arguments) > 1 else walker.iterate(arguments[0])
    if values is None:
        return UNKNOWN
    match name:
        case "list":
            return list(values)
        case "tuple":
            return tuple(values)
        case "reversed":
            return values[::-1]
        case "sum":
            total = arguments[1] if len(arguments) > 1 else 0
            for value in values:
                total = operators.binary(ast.Add(), total, value)
            return total
        case "any" | "all":
            truths = [walker.truth(value) for value in values]
            decisive = name == "any"
            return decisive if decisive in truths else (UNKNOWN if None in truths else not decisive)
    if any(isinstance(value, (Unknown, Tensor)) for value in values):
        return UNKNOWN
    try:
        plain: dict[str, Callable[[list[Any]], Any]] = {"min": min, "max": max, "sorted": sorted, "set": set}
        return plain.get(name, frozenset)(values)
    except (TypeError, ValueError):
        return values if name == "sorted" else UNKNOWN


def _len(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    value = arguments[0] if arguments else UNKNOWN
    if isinstance(value, Tensor):
        size = value.shape[0] if value.shape else None
        return UNKNOWN if size is None else size
    if isinstance(value, Record):
        return walker.count(value)
    if isinstance(value, Unknown):
        return UNKNOWN
    if isinstance(value, Shape) and value.tensor.lineage:
        key, offset = value.tensor.lineage
        return Size(len(value), Origin(key, "rank", offset + value.more))
    if isinstance(value, Items):
        return Size(len(value), Origin(value.origin.key, "length"))
    if isinstance(value, (list, tuple, dict, set, str, range)):
        return len(value)
    values = walker.iterate(value)
    return UNKNOWN if values is None else len(values)


def _range(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    needs.numbers(arguments, "a range")
    for value in arguments:
        origin = origin_of(value)
        if not isinstance(value, int) and origin is not None and origin.what == "value":
            raise Misfit("a whole number is needed", [Fix(origin.key, "number")])
        if not isinstance(value, int):
            return UNKNOWN
    origin = origin_of(arguments[0]) if len(arguments) == 1 else None
    if origin is not None and origin.what == "length":  # as long as a guessed sequence
        return Items.of(Step.through(range(arguments[0])), origin.key)
    try:
        return range(*arguments)
    except (TypeError, ValueError):
        return UNKNOWN


def _zip(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    columns = [
        list(itertools.islice(one, 10_000)) if isinstance(one, itertools.count) else walker.iterate(one)
        for one in arguments
    ]
    known = [column for column in columns if column is not None]
    if not known:
        return UNKNOWN
    length = min(len(column) for column in known)
    return [tuple(column[row] if column is not None else UNKNOWN for column in columns) for row in range(length)]


def _enumerate(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    values = walker.iterate(arguments[0])
    start = arguments[1] if len(arguments) > 1 else keywords.get("start", 0)
    return UNKNOWN if values is None else [(start + row, value) for row, value in enumerate(values)]


def _map(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    rows = _zip(walker, arguments[1:], {})
    return UNKNOWN if isinstance(rows, Unknown) else [walker.call(arguments[0], row, {}) for row in rows]


def _filter(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    values = walker.iterate(arguments[1])
    keep = arguments[0]
    if values is None:
        return UNKNOWN
    return [v for v in values if walker.truth(v if keep is None else walker.call(keep, [v], {})) is not False]


def _dict(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if not arguments:
        return dict(keywords)
    if isinstance(arguments[0], dict):
        return {**arguments[0], **keywords}
    pairs = walker.iterate(arguments[0])
    if pairs is None or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        return UNKNOWN
    return {**{key: value for key, value in pairs if isinstance(key, (str, int))}, **keywords}


def _getattr(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    owner, name, *default = arguments
    if not isinstance(name, str):
        return UNKNOWN
    if isinstance(owner, Record) and default:
        key = (*owner.key, str(name))
        return walker.value_at(key) if key in walker.guesses else default[0]
    if isinstance(owner, External) and owner.dotted in ("torch.nn", "torch.nn.functional", "torch", "torch.optim"):
        return layers.named(owner.dotted, name)
    if default and not _hasattr(walker, [owner, name], {}) and isinstance(owner, Instance):
        return default[0]
    found = objects.attribute(walker, owner, str(name))
    return default[0] if isinstance(found, Unknown) and default else found


def _hasattr(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    owner, name = arguments
    if not isinstance(name, str) or isinstance(owner, (Unknown, Record)):
        return UNKNOWN if isinstance(owner, Unknown) else False
    if isinstance(owner, Instance) and owner is walker.model and name not in owner.attributes:
        return find_in_class(owner.cls, str(name)) is not None
    return not isinstance(objects.attribute(walker, owner, str(name)), Unknown)


def _setattr(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    owner, name, value = arguments
    if isinstance(name, str):
        objects.set_attribute(walker, owner, str(name), value)
    return None


def _isinstance(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    value, wanted = arguments
    verdicts = [kinds.is_a(value, kind) for kind in (wanted if isinstance(wanted, (tuple, list)) else (wanted,))]
    return True if True in verdicts else (UNKNOWN if None in verdicts else False)


def _next(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    values = walker.iterate(arguments[0]) if arguments else None
    if values:
        return values[0]
    return arguments[1] if values == [] and len(arguments) > 1 else UNKNOWN


def _callable(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    value = arguments[0]
    if isinstance(value, Unknown):
        return UNKNOWN
    return isinstance(value, (Function, Bound, ClassValue, Layer, External, Method, Instance))


def _type(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    value = arguments[0] if arguments else UNKNOWN
    if isinstance(value, Instance):
        return value.cls
    return External(f"torch.nn.{value.kind}") if isinstance(value, Layer) else UNKNOWN


def _super(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) == 2 and isinstance(arguments[0], ClassValue) and isinstance(arguments[1], Instance):
        return Super(arguments[1], arguments[0])
    return UNKNOWN


def _iter(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    values = walker.iterate(arguments[0]) if arguments else None
    return UNKNOWN if values is None else values


def _nothing(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return None


_SPECIAL: dict[str, Callable[[Any, list[Any], dict[str, Any]], Any]] = {
    "len": _len,
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "map": _map,
    "filter": _filter,
    "dict": _dict,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "isinstance": _isinstance,
    "issubclass": lambda walker, arguments, keywords: UNKNOWN,
    "next": _next,
    "iter": _iter,
    "callable": _callable,
    "type": _type,
    "super": _super,
    "print": _nothing,
}

NUMBER_FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(math, name)
    for name in ("sqrt", "log", "log2", "log10", "exp", "ceil", "floor", "sin", "cos", "gcd", "isqrt", "fabs", "tanh")
}
