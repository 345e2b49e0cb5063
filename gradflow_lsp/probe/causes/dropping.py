"""Who drops a value: read from the syntax around the expressions that were running when it was made."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..report import Location
from ..sites import Site
from ..syntax import function_at, node_location, own_nodes, statement_at


def dropping(site: Site) -> Site:
    """The first frame, from inside out, that does not return the value to its caller."""
    place: int | None = None
    for at in site.chain():
        if at.outer is None:
            return at
        returned = _returned(at.location(), place)
        if returned is None:
            return at
        place = returned.place
    return site


_SHOWING = frozenset({"__repr__", "__str__", "__format__", "extra_repr"})
"""Methods whose text is for people to read."""


@dataclass(frozen=True)
class _Returned:
    """A value that leaves its function by a `return`: as the whole of it, or at a `place` of the tuple returned."""

    place: int | None


def _returned(location: Location, place: int | None) -> _Returned | None:
    """How the value of an expression leaves its function, at once or by way of a name, if it does.

    Where the expression gives a tuple, `place` is that of the value in it.
    """
    statement, function = statement_at(location), function_at(location)

    def is_here(node: ast.expr) -> bool:
        return node_location(location.path, node) == location

    if isinstance(statement, ast.Return):
        return _leaving(statement.value, is_here, place)
    if function is None or not isinstance(statement, ast.Assign):
        return None
    assigned = _leaving(statement.value, is_here, place)
    if assigned is None:
        return None
    names, place = _names(statement.targets, assigned.place)
    later = [s for s in own_nodes(function) if isinstance(s, ast.stmt) and s.lineno > (statement.end_lineno or 0)]
    for following in sorted(later, key=lambda s: s.lineno):
        mentions = [n for n in ast.walk(following) if isinstance(n, ast.Name) and n.id in names]
        if isinstance(following, ast.Return) and mentions:
            looped = _loop_around(function, statement) is not _loop_around(function, following)
            return None if looped else _leaving(following.value, _is_one_of(names), place)
        if any(isinstance(n.ctx, ast.Load) for n in mentions):
            return None
        names -= {n.id for n in mentions}
    return None


def _leaving(value: ast.expr | None, found: Callable[[ast.expr], bool], place: int | None) -> _Returned | None:
    """How what is looked for leaves in an expression: as the whole, where its own `place` stays, or in a display."""
    if not _is_element(value, found):
        return None
    if isinstance(value, (ast.Tuple, ast.List)):
        return _Returned(next(at for at, item in enumerate(value.elts) if _is_element(item, found)))
    return _Returned(place if value is not None and found(value) else None)


def _names(targets: Sequence[ast.expr], place: int | None) -> tuple[set[str], int | None]:
    """The names that a value is assigned to; of a tuple that is taken apart, the one at its place."""
    taken = list(targets)
    for index, target in enumerate(targets):
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        if place is not None and place < len(parts) and not any(isinstance(part, ast.Starred) for part in parts):
            taken[index], place = parts[place], None
    return {n.id for target in taken for n in ast.walk(target) if isinstance(n, ast.Name)}, place


def _is_element(value: ast.expr | None, found: Callable[[ast.expr], bool]) -> bool:
    """Whether an expression is what is looked for, or a tuple, list or dict display that holds it."""
    if value is None:
        return False
    items: list[ast.expr] = []
    if isinstance(value, (ast.Tuple, ast.List)):
        items = value.elts
    elif isinstance(value, ast.Dict):
        items = value.values
    return found(value) or any(_is_element(item, found) for item in items)


def _is_one_of(names: set[str]) -> Callable[[ast.expr], bool]:
    return lambda node: isinstance(node, ast.Name) and node.id in names


def _loop_around(function: ast.AST, statement: ast.stmt) -> ast.AST | None:
    """The innermost loop of a function whose body holds a statement."""
    loops = [n for n in own_nodes(function) if isinstance(n, (ast.For, ast.While, ast.AsyncFor))]
    return next((loop for loop in reversed(loops) if statement in own_nodes(loop)), None)


def goes_on(location: Location) -> bool:
    """Whether a number read off a tensor is computed with: not where it is only shown, or kept in some store."""
    statement, function = statement_at(location), function_at(location)
    if isinstance(statement, ast.Expr) or (function is not None and function.name in _SHOWING):
        return False
    if isinstance(statement, ast.Assign) and node_location(location.path, statement.value) == location:
        names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
        uses = [s for s in own_nodes(function) if isinstance(s, ast.stmt) and s is not statement] if function else []
        return any(
            isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load)
            for use in uses
            if not isinstance(use, ast.Expr)
            for n in ast.walk(use)
        )
    return True
