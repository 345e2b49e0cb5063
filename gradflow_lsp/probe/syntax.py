"""Source ranges and the syntax around them, read by way of linecache: from the text that runs, unsaved or not."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Any

from .report import Location

Function = (ast.FunctionDef, ast.AsyncFunctionDef)

_KEPT = 4096
"""Answers to keep: a process reads the text of one run, and asks about the same few expressions for every parameter."""


def whole_line(path: str, line: int) -> Location:
    """The range of a line's text, without its indentation."""
    text = linecache.getline(path, line).rstrip()
    return Location(path, line, len(text) - len(text.lstrip()), line, len(text))


def code_points(path: str, line: int, column: int) -> int:
    """Turn a column in UTF-8 bytes, as compilers count, into one in code points."""
    text = linecache.getline(path, line)
    return column if text.isascii() else len(text.encode()[:column].decode(errors="ignore"))


@lru_cache(maxsize=64)
def syntax_tree(path: str) -> ast.Module | None:
    """The syntax tree of the text that runs from `path`, or `None` where there is none to be had."""
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return None


@lru_cache(maxsize=_KEPT)
def node_at(location: Location, kind: type[ast.AST] = ast.expr) -> Any:
    """The syntax node of class `kind` with exactly this range, or `None`."""
    return next(
        (
            node
            for node in ast.walk(syntax_tree(location.path) or ast.Module([], []))
            if isinstance(node, kind) and node_location(location.path, node) == location
        ),
        None,
    )


@lru_cache(maxsize=_KEPT)
def member_range(location: Location, *names: str) -> Location:
    """Narrow `x.y.name(...)` or `x.y.name` to its last member, `.name(...)`, where that is one of `names`."""
    node = node_at(location)
    attribute = node.func if isinstance(node, ast.Call) and not node.args else node
    if not isinstance(attribute, ast.Attribute) or attribute.attr not in names:
        return location
    assert attribute.end_lineno is not None and attribute.end_col_offset is not None
    start = attribute.end_col_offset - len(attribute.attr.encode()) - 1
    return Location(
        location.path,
        attribute.end_lineno,
        code_points(location.path, attribute.end_lineno, start),
        location.end_line,
        location.end_column,
    )


def node_location(path: str, node: Any) -> Location:
    """The range of a syntax node of the file at `path`."""
    return Location(
        path,
        node.lineno,
        code_points(path, node.lineno, node.col_offset),
        node.end_lineno,
        code_points(path, node.end_lineno, node.end_col_offset),
    )


@lru_cache(maxsize=_KEPT)
def function_at(location: Location) -> Any:
    """The innermost function definition around a range, or `None`."""
    return _innermost(location, Function)


@lru_cache(maxsize=_KEPT)
def definition_line(code: CodeType) -> Location:
    """The `def` line of a function, past its decorators."""
    path, first = code.co_filename, code.co_firstlineno
    for node in ast.walk(syntax_tree(path) or ast.Module([], [])):
        if isinstance(node, Function) and first in (node.lineno, *(d.lineno for d in node.decorator_list)):
            return whole_line(path, node.lineno)
    return whole_line(path, first)


@lru_cache(maxsize=_KEPT)
def statement_at(location: Location) -> Any:
    """The innermost statement around a range, or `None`."""
    return _innermost(location, (ast.stmt,))


@lru_cache(maxsize=_KEPT)
def attributes_set_at(location: Location) -> frozenset[str]:
    """The attributes that the statement around a range assigns to, by their names alone: `x` of `self.x = ...`."""
    targets = getattr(statement_at(location), "targets", ())
    return frozenset(target.attr for target in targets if isinstance(target, ast.Attribute))


@lru_cache(maxsize=_KEPT)
def attributes_read_around(location: Location) -> frozenset[str]:
    """The attributes that the function around a range reads, by their names alone."""
    nodes = ast.walk(function_at(location) or ast.Module([], []))
    return frozenset(n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load))


def function_named(path: str, name: str) -> Any:
    """The top-level function of that name, the last one where there are several; or `None`."""
    tree = syntax_tree(path)
    found = [n for n in (tree.body if tree else []) if isinstance(n, Function) and n.name == name]
    return found[-1] if found else None


def return_of(path: str, function: str) -> Location | None:
    """The range of a top-level function's last `return` statement, or `None` where it has none."""
    node = function_named(path, function)
    returns = [n for n in own_nodes(node) if isinstance(n, ast.Return)] if node else []
    return node_location(path, returns[-1]) if returns else None


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions and classes defined inside it."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, (*Function, ast.ClassDef, ast.Lambda)):
            yield from own_nodes(child)


def _innermost(location: Location, kinds: tuple[type[ast.AST], ...]) -> Any:
    start, end = (location.line, location.column), (location.end_line, location.end_column)
    around = []
    for node in ast.walk(syntax_tree(location.path) or ast.Module([], [])):
        if isinstance(node, kinds):
            at = node_location(location.path, node)
            if (at.line, at.column) <= start and end <= (at.end_line, at.end_column):
                around.append(((at.line, at.column), node))
    return max(around, key=lambda pair: pair[0])[1] if around else None
