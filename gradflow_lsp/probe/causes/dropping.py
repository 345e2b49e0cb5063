"""Who drops a value: read from the syntax around the expressions that were running when it was made."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..report import Location
from ..sites import Site
from ..syntax import function_at, node_location, own_nodes, statement_at


def dropping(site: Site) -> Site:
    """The first frame, from inside out, that does not return the value to its caller."""
    for at in site.chain():
        if at.outer is None or not _is_returned(at.location()):
            return at
    return site


def _is_returned(location: Location) -> bool:
    """Whether the value of an expression leaves its function by a `return`, at once or by way of a name."""
    statement, function = statement_at(location), function_at(location)
    if isinstance(statement, ast.Return):
        return _is_element(statement.value, lambda node: node_location(location.path, node) == location)
    if function is None or not isinstance(statement, ast.Assign):
        return False
    names = {n.id for target in statement.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    later = [s for s in own_nodes(function) if isinstance(s, ast.stmt) and s.lineno > (statement.end_lineno or 0)]
    for following in sorted(later, key=lambda s: s.lineno):
        mentions = [n for n in ast.walk(following) if isinstance(n, ast.Name) and n.id in names]
        if isinstance(following, ast.Return) and mentions:
            looped = _loop_around(function, statement) is not _loop_around(function, following)
            return not looped and _is_element(following.value, _is_one_of(names))
        if any(isinstance(n.ctx, ast.Load) for n in mentions):
            return False
        names -= {n.id for n in mentions}
    return False


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
    """Whether a number read off a tensor is computed with: not where it is only printed, or kept in some store."""
    statement, function = statement_at(location), function_at(location)
    if isinstance(statement, ast.Expr):
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
