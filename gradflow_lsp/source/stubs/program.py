"""A file as syntax trees by name: its functions, classes, constants and imports, as far as they can be parsed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..parsing import Statement, statements, text_of

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Program:
    """What the top level of a file binds, by name, and where each import leads."""

    functions: dict[str, FunctionNode] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    body: list[ast.stmt] = field(default_factory=list)
    guarded: dict[str, ast.expr] = field(default_factory=dict)
    """What only the main block binds: it is not there when the file is imported."""

    @property
    def names(self) -> set[str]:
        """Every name that the file's top level binds."""
        return {*self.functions, *self.classes, *self.constants, *self.imports}

    def spell(self, dotted: str) -> str | None:
        """Return how this file would write an imported thing (`nn.ReLU`), or `None` where no import leads there."""
        candidates = [
            alias + dotted[len(path) :]
            for alias, path in self.imports.items()
            if dotted == path or dotted.startswith(path + ".")
        ]
        return min(candidates, key=len, default=None)


def read_program(text: str) -> Program:
    """Read a file; of half-typed text, everything that parses by itself. Never raises."""
    program = Program()
    for statement in _trees(text):
        program.body.append(statement)
        _bind(program, statement)
    guards = [one for one in program.body if isinstance(one, ast.If) and is_main_guard(one)]
    for inner in (node for guard in guards for node in guard.body if isinstance(node, ast.Assign)):
        program.guarded |= {one.id: inner.value for one in inner.targets if isinstance(one, ast.Name)}
    return program


def defaults_of(function: FunctionNode) -> list[tuple[ast.arg, ast.expr]]:
    """Return the parameters of a function that have a default, with it."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [*pairs, *((parameter, default) for parameter, default in by_name if default is not None)]


def dotted_name(node: ast.AST | None) -> str:
    """Return `a.b.c` for a chain of plain names, else the empty string."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _bind(program: Program, statement: ast.stmt) -> None:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            program.functions[name] = statement
        case ast.ClassDef(name=name):
            program.classes[name] = statement
        case ast.Import(names=names):
            for alias in names:
                first = alias.name.partition(".")[0]
                program.imports[alias.asname or first] = alias.name if alias.asname else first
        case ast.ImportFrom(names=names, module=module, level=level):
            for alias in names:
                source = "." * level + (module or "")
                program.imports[alias.asname or alias.name] = f"{source}.{alias.name}"
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                _bind_target(program, target, value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            program.constants[name] = value
        case ast.If(body=body, orelse=orelse) | ast.Try(body=body, orelse=orelse) if not is_main_guard(statement):
            for inner in [*orelse, *body]:
                _bind(program, inner)


def _bind_target(program: Program, target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Name):
        program.constants[target.id] = value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one_target, one_value in zip(target.elts, value.elts, strict=True):
            _bind_target(program, one_target, one_value)
    elif isinstance(target, ast.Tuple):
        for position, one_target in enumerate(target.elts):
            part = ast.copy_location(ast.Subscript(value, ast.Constant(position), ast.Load()), value)
            _bind_target(program, one_target, ast.fix_missing_locations(part))


def is_main_guard(statement: ast.stmt) -> bool:
    """Say whether a statement is `if __name__ == "__main__":`, either way round."""
    if not isinstance(statement, ast.If) or not isinstance(statement.test, ast.Compare):
        return False
    sides = [statement.test.left, *statement.test.comparators]
    named = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    return named and any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)


def _trees(text: str) -> Iterator[ast.stmt]:
    whole = parse_python(text)
    if whole is not None:
        yield from whole
        return
    for statement in statements(text):
        parsed = parse_python(text_of(statement.node))
        if parsed is None and statement.definition.type == "class_definition":
            parsed = _healthy_methods(statement)
        for tree in parsed or ():
            ast.increment_lineno(tree, statement.span().line - 1)
            yield tree


def _healthy_methods(statement: Statement) -> list[ast.stmt] | None:
    """Parse a class without the members, or the bases, that do not parse."""
    body = statement.definition.child_by_field_name("body")
    first_line = statement.span().line
    bases = text_of(statement.definition.child_by_field_name("superclasses"))
    name = text_of(statement.definition.child_by_field_name("name"))
    parsed = parse_python(f"class {name}{bases}: pass") or parse_python(f"class {name}: pass")
    if parsed is None or not isinstance(parsed[0], ast.ClassDef):
        return None
    for member in body.named_children if body else ():
        data, start = statement.lines.data, member.start_byte
        indent = data[data.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "surrogatepass")
        wrapped = parse_python(f"if True:\n{indent}{text_of(member)}") or ()
        for tree in [inner for outer in wrapped if isinstance(outer, ast.If) for inner in outer.body]:
            ast.increment_lineno(tree, statement.span(member).line - first_line - 1)
            parsed[0].body.append(tree)
    return parsed


def parse_python(source: str) -> list[ast.stmt] | None:
    """Return the statements of Python source, or `None` where it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the user's invalid escapes are not our news
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
