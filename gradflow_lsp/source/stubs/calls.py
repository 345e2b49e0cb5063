"""Calls: how arguments are bound to names, and what answers for each kind of thing that can be called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import builtin_methods, callables, distributions, externals, layers, modules, operations
from .classes import find_in_class, instantiate
from .code_values import Bound, ClassValue, External, Frame, Function, Instance, Layer, Method, Partial, Super
from .descent import depending_on
from .guesses import Fields
from .values import UNKNOWN, Fix, Items, Key, Misfit, Nothing, Record, Tensor, origin_of

if TYPE_CHECKING:
    from .walker import Walker


_FEW = 3
"""How many entries a mapping has that is only looped over."""


def bind(walker: Walker, function: Function, arguments: Any, keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the names that a call binds; an argument that is missing is `UNKNOWN`."""
    parameters = function.node.args
    positional = [*parameters.posonlyargs, *parameters.args]
    names: dict[str, Any] = dict(zip((one.arg for one in positional), arguments, strict=False))
    rest = dict(keywords)
    home = function.frame or Frame({})
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(parameters.defaults)) + [*parameters.defaults]
    pairs = [*zip(positional, defaults, strict=True), *zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)]
    for parameter, default in pairs:
        if parameter.arg in rest:
            names[parameter.arg] = rest.pop(parameter.arg)
        elif parameter.arg not in names:
            names[parameter.arg] = walker.evaluate(default, home) if default else UNKNOWN
    if parameters.vararg:
        rest_of_them = arguments[len(positional) :]
        guessed = walker.open_ended.get(function.node)
        names[parameters.vararg.arg] = Items.of(rest_of_them, guessed) if guessed else tuple(rest_of_them)
    if parameters.kwarg:
        names[parameters.kwarg.arg] = rest
    return names


def check_arguments(callee: Any, count: int, keywords: dict[str, Any]) -> None:
    """Raise a misfit where a function or class of the file cannot be called with these arguments.

    The code is taken to be right: then the callee is a guess that is not.
    """
    taker = _taker(callee)
    if taker is None:
        return
    parameters, given = taker.node.args, count + (taker is not callee)
    positional = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
    known = {*positional, *(one.arg for one in parameters.kwonlyargs)}
    strange = keywords.keys() - known if parameters.kwarg is None else set()
    too_many = given > len(positional) and parameters.vararg is None
    if strange or too_many or _required(taker, given).keys() - keywords.keys():
        raise Misfit("something is called with arguments that it does not take")


def missing(
    walker: Walker, callee: Any, count: int, keywords: dict[str, Any], record: Key
) -> Iterator[tuple[str, Any]]:
    """Yield what a mapping handed in as `**mapping` has to hold: the arguments that a call requires and lacks."""
    taker = _taker(callee)
    for name, annotation in _required(taker, count + (taker is not callee)).items() if taker else ():
        if name not in keywords:
            yield name, walker.value_at((*record, name), annotation)


def _taker(callee: Any) -> Function | None:
    """Return the function of the file that takes the arguments of a call."""
    if isinstance(callee, (ClassValue, Instance)):
        cls, name = (callee, "__init__") if isinstance(callee, ClassValue) else (callee.cls, "forward")
        callee = find_in_class(cls, name)
    elif isinstance(callee, Bound):
        callee = callee.function
    return callee if isinstance(callee, Function) else None


def _required(function: Function, given: int) -> dict[str, ast.expr | None]:
    """Return the parameters without a default behind the first `given`, with their annotations."""
    parameters = function.node.args
    positional = [*parameters.posonlyargs, *parameters.args]
    by_name = zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
    left = [
        *positional[given : len(positional) - len(parameters.defaults)],
        *(one for one, default in by_name if default is None),
    ]
    return {one.arg: one.annotation for one in left}


def call(walker: Walker, callee: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call `callee`."""
    match callee:
        case Function():
            return walker.call_function(callee, arguments, keywords)
        case Bound(function=function, me=me):
            return walker.call_function(function, [me, *arguments], keywords)
        case Partial(callee=inner, arguments=first, keywords=given):
            return call(walker, inner, [*first, *arguments], {**given, **keywords})
        case ClassValue():
            return instantiate(walker, callee, arguments, keywords)
        case Layer():
            return layers.apply(walker, callee, arguments, keywords)
        case External(dotted=dotted):
            return externals.call(walker, dotted, arguments, keywords)
        case Method(owner=owner, name=name):
            return _call_method(walker, owner, name, arguments, keywords)
        case Instance():
            for name in ("forward", "__call__"):
                method = find_in_class(callee.cls, name)
                if isinstance(method, Function):
                    if walker.watch is not None:
                        walker.watch.note(callee, method, arguments, keywords)
                    return walker.call_function(method, [callee, *arguments], keywords)
            if callee.base is not None:
                return layers.apply(walker, callee.base, arguments, keywords)
    origin = origin_of(callee)
    if origin is not None and origin.what == "value" and not isinstance(callee, (Tensor, Nothing)):
        raise Misfit("something that can be called is needed", _callables(walker, origin.key, arguments, keywords))
    if isinstance(callee, Nothing):
        raise Misfit("an optional argument is called", _callables(walker, callee.key, arguments, keywords))
    return depending_on(UNKNOWN, [*arguments, *keywords.values()])


def _callables(walker: Walker, key: Any, arguments: list[Any], keywords: dict[str, Any]) -> list[Fix]:
    read = [str(one[-1]) for one in walker.visited if one[:-1] == key]
    guesses = callables.callables(walker.program, key, arguments, attributes=read, keywords=keywords)
    around = [walker.guesses.get(key[:end]) for end in range(1, len(key))]
    guesses = [guess for guess in guesses if guess not in around]  # nothing is a part of itself
    return [Fix(key, "guess", guess) for guess in guesses]


def _call_method(walker: Walker, owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if isinstance(owner, Layer) and owner.kind == "Distribution":
        return distributions.method(owner, name, arguments)
    if isinstance(owner, Tensor):
        return operations.method(walker, owner, name, arguments, keywords)
    if isinstance(owner, (Layer, Instance, Super)):
        return modules.module_method(walker, owner, name, arguments, keywords)
    if isinstance(owner, Record):
        return _record_method(walker, owner, name, arguments)
    return builtin_methods.method(walker, owner, name, arguments, keywords)


def _entries(walker: Walker, record: Record, kind: str) -> Any:
    """Return what a mapping holds: the entries that were asked for, or else a few with numbers for names."""
    named = [str(one[-1]) for one in walker.guesses if len(one) == len(record.key) + 1 and one[:-1] == record.key]
    pairs = [(name, walker.value_at((*record.key, name))) for name in named or map(str, range(_FEW))]
    return pairs if kind == "items" else [pair[kind == "values"] for pair in pairs]


def _record_method(walker: Walker, record: Record, name: str, arguments: list[Any]) -> Any:
    if name in ("get", "pop") and arguments and isinstance(arguments[0], str):
        key = (*record.key, arguments[0])
        return walker.value_at(key) if key in walker.guesses or len(arguments) == 1 else arguments[1]
    if name == "copy":
        return record
    if name in ("values", "items", "keys") and walker.guesses.get(record.key) == Fields("mapping"):
        return _entries(walker, record, name)
    if name in ("values", "keys", "items") and walker.guesses.get(record.key) == Fields("numbering"):
        return range(walker.count(record)) if name == "values" else UNKNOWN
    return UNKNOWN
