"""Statements: what each kind of them does to the names of a frame, and where the walk goes next."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from . import classes, explaining, operators
from .code_values import External, Frame, Function
from .program import dotted_name
from .values import UNKNOWN, Misfit

if TYPE_CHECKING:
    from .walker import Walker

Signal = Literal["return", "break", "continue"] | None

_NO_GRAD = ("no_grad", "inference_mode")


def run(walker: Walker, statement: ast.stmt, frame: Frame) -> Signal:
    """Do one statement; the answer says whether it ended the function or the round of the loop."""
    match statement:
        case ast.Expr(value=value):
            walker.evaluate(value, frame)
        case ast.Assign(targets=targets, value=value):
            result = walker.evaluate(value, frame)
            for target in targets:
                walker.assign(target, result, frame)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            walker.assign(target, walker.evaluate(value, frame), frame)
        case ast.AugAssign(target=target, op=op, value=value):
            before = walker.evaluate(target, frame)
            walker.assign(target, operators.binary(op, before, walker.evaluate(value, frame)), frame)
        case ast.Return(value=value):
            frame.result = walker.evaluate(value, frame) if value else None
            return "return"
        case ast.If():
            return _if(walker, statement, frame)
        case ast.For() | ast.AsyncFor():
            return _for(walker, statement, frame)
        case ast.While(test=test, body=body):
            return _while(walker, test, body, frame)
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            return _with(walker, items, body, frame)
        case ast.Try():
            return walker.block([*statement.body, *statement.orelse, *statement.finalbody], frame)
        case ast.Match():
            return _match(walker, statement, frame)
        case ast.Raise():
            raise Misfit("the code raises an error of its own", explaining.of_raise(walker, frame))
        case ast.Assert(test=test):
            if walker.truth(walker.evaluate(test, frame)) is False:
                raise Misfit("an assertion does not hold", explaining.to_make(walker, test, True, frame))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            frame.names[statement.name] = Function(statement, frame, frame.owner)
        case ast.ClassDef():
            frame.names[statement.name] = classes.define_class(walker, statement, frame)
        case ast.Import(names=names):
            for alias in names:
                frame.names[alias.asname or alias.name.partition(".")[0]] = External(alias.name)
        case ast.ImportFrom(names=names, module=module):
            for alias in names:
                frame.names[alias.asname or alias.name] = External(f"{module}.{alias.name}")
        case ast.Break():
            return "break"
        case ast.Continue():
            return "continue"
    return None


def _if(walker: Walker, statement: ast.If, frame: Frame) -> Signal:
    truth = walker.truth(walker.evaluate(statement.test, frame))
    if truth is None:  # nobody writes a branch that only raises for the usual case
        return walker.block(statement.orelse if _only_raises(statement.body) else statement.body, frame)
    frame.tests.append((statement.test, truth))
    signal = walker.block(statement.body if truth else statement.orelse, frame)
    if truth and not signal:
        frame.tests.pop()
    return signal


def _for(walker: Walker, statement: ast.For | ast.AsyncFor, frame: Frame) -> Signal:
    values = walker.iterate(walker.evaluate(statement.iter, frame))
    for value in [UNKNOWN] if values is None else values:
        walker.assign(statement.target, value, frame)
        signal = walker.block(statement.body, frame)
        if signal == "return":
            return signal
        if signal == "break":
            return None
    return walker.block(statement.orelse, frame)


def _while(walker: Walker, test: ast.expr, body: list[ast.stmt], frame: Frame) -> Signal:
    while True:
        truth = walker.truth(walker.evaluate(test, frame))
        if truth is False:
            return None
        signal = walker.block(body, frame)
        if signal == "return":
            return signal
        if signal == "break" or truth is None:
            return None


def _with(walker: Walker, items: list[ast.withitem], body: list[ast.stmt], frame: Frame) -> Signal:
    quiet = 0
    for item in items:
        manager = walker.evaluate(item.context_expr, frame)
        quiet += is_no_grad(item.context_expr)
        if item.optional_vars is not None:
            walker.assign(item.optional_vars, manager, frame)
    walker.without_grad += quiet
    try:
        return walker.block(body, frame)
    finally:
        walker.without_grad -= quiet


def _match(walker: Walker, statement: ast.Match, frame: Frame) -> Signal:
    for case in statement.cases:
        test = explaining.test_of(statement.subject, case.pattern)
        if test is None:
            return walker.block(case.body, frame)
        truth = walker.truth(walker.evaluate(test, frame))
        frame.tests.append((test, truth is True))
        if truth:
            return walker.block(case.body, frame)
    return None


def is_no_grad(node: ast.expr) -> bool:
    """Say whether a decorator or context switches gradients off."""
    called = node.func if isinstance(node, ast.Call) else node
    name = dotted_name(called).rpartition(".")[2]
    off = isinstance(node, ast.Call) and [getattr(argument, "value", None) for argument in node.args] == [False]
    return name in _NO_GRAD or (name == "set_grad_enabled" and off)


def _only_raises(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)
