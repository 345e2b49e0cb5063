"""What a file puts into its own tables while it is imported, by decorators or by hand."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .code_values import Frame
from .program import dotted_name
from .values import Misfit

if TYPE_CHECKING:
    from .walker import Walker


def fill_tables(walker: Walker) -> None:
    """Do what the top level of the file does to the tables that it has made there."""
    own = walker.program.functions.keys() | walker.program.constants.keys()
    for statement in walker.program.body:
        try:
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                for decorator in statement.decorator_list:
                    if _root(decorator) in own:
                        registered = walker.lookup(statement.name, None)
                        walker.call(walker.evaluate(decorator, Frame({})), [registered], {})
            elif isinstance(statement, ast.Assign) and all(_is_entry(one, own) for one in statement.targets):
                walker.block([statement], Frame({}))
        except Misfit:
            continue  # such a table is a help, no more


def _is_entry(target: ast.expr, own: set[str]) -> bool:
    return isinstance(target, (ast.Subscript, ast.Attribute)) and _root(target) in own


def _root(node: ast.expr) -> str:
    """Return the name that an expression begins with: `a` of `a.b[0](c)`."""
    while isinstance(node, (ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return dotted_name(node).partition(".")[0]
