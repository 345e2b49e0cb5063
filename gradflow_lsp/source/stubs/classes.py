"""Classes of the file: what a `class` statement makes, and what making an object of it does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from . import distributions, layers
from .code_values import ClassValue, External, Frame, Function, Instance
from .program import dotted_name
from .values import UNKNOWN, Fix, Misfit, origin_of

if TYPE_CHECKING:
    from .walker import Walker


def define_class(walker: Walker, node: ast.ClassDef, frame: Frame | None = None) -> ClassValue:
    """Return the class that a `class` statement makes."""
    bases = [walker.evaluate(base, frame or Frame({})) for base in node.bases]
    cls = ClassValue(node, [base for base in bases if isinstance(base, (ClassValue, External))])
    is_enum = any(base.rpartition(".")[2] in ("Enum", "IntEnum", "StrEnum", "Flag") for base in cls.external_bases())
    body = Frame(cls.attributes, frame)
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                cls.attributes[name] = Function(statement, frame, cls)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                result = walker.evaluate(value, body)
                cls.attributes[name] = Instance(cls, {"name": name, "value": result}) if is_enum else result
            case ast.ClassDef(name=name):
                cls.attributes[name] = define_class(walker, statement, body)
    return cls


def fields_of(cls: ClassValue) -> dict[str, ast.AnnAssign]:
    """Return the fields of a dataclass or named tuple, with those it inherits; of another class, none."""
    fields: dict[str, ast.AnnAssign] = {}
    for one in reversed(list(cls.line())):
        decorators = {dotted_name(getattr(d, "func", d)).rpartition(".")[2] for d in one.node.decorator_list}
        bases = {dotted_name(base).rpartition(".")[2] for base in one.node.bases}
        if decorators & {"dataclass", "define", "frozen", "attrs", "s"} or bases & {
            "NamedTuple",
            "BaseModel",
            "TypedDict",
        }:
            for statement in one.node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    fields[statement.target.id] = statement
    return fields


def find_in_class(cls: ClassValue, name: str, after: ClassValue | None = None) -> Any:
    """Return an attribute of a class or its ancestors, or `None`; with `after`, of the classes behind that one."""
    line = list(cls.line())
    if after is not None and after in line:
        line = line[line.index(after) + 1 :]
    return next((one.attributes[name] for one in line if name in one.attributes), None)


def instantiate(walker: Walker, cls: ClassValue, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Return a new object of a class, or for an enumeration the member with that value."""
    members = [value for value in cls.attributes.values() if isinstance(value, Instance) and value.cls is cls]
    if members and arguments:
        chosen = next((one for one in members if one.attributes["value"] == arguments[0]), None)
        origin = origin_of(arguments[0])
        if chosen is None and origin is not None:
            values = [one.attributes["value"] for one in members]
            raise Misfit(f"{cls.name} has no such member", [Fix(origin.key, "value", value) for value in values])
        return chosen or UNKNOWN
    instance = Instance(cls)
    constructor = find_in_class(cls, "__init__")
    if walker.watch is not None:
        walker.watch.note(cls, constructor, arguments, keywords)
    if isinstance(constructor, Function):
        walker.call_function(constructor, [instance, *arguments], keywords)
        return instance
    fields = fields_of(cls)
    for position, (name, field) in enumerate(fields.items()):
        if name in keywords or position < len(arguments):
            instance.attributes[name] = keywords.get(name, arguments[position] if position < len(arguments) else None)
        else:
            instance.attributes[name] = _field_default(walker, field)
    if not fields:
        init_base(walker, instance, arguments, keywords)
    elif isinstance(after := find_in_class(cls, "__post_init__"), Function):
        walker.call_function(after, [instance], {})
    return instance


def _field_default(walker: Walker, field: ast.AnnAssign) -> Any:
    if isinstance(field.value, ast.Call) and dotted_name(field.value.func).rpartition(".")[2] == "field":
        for keyword in field.value.keywords:
            if keyword.arg == "default":
                return walker.evaluate(keyword.value, Frame({}))
            if keyword.arg == "default_factory":
                return walker.call(walker.evaluate(keyword.value, Frame({})), [], {})
        return UNKNOWN
    return walker.evaluate(field.value, Frame({})) if field.value else UNKNOWN


def init_base(walker: Walker, instance: Instance, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """Do what the `__init__` of an imported base class does: make the instance the layer that the class extends."""
    for dotted in instance.cls.external_bases():
        is_distribution = dotted.startswith("torch.distributions.")
        layer = (
            distributions.made(dotted.rpartition(".")[2], arguments, keywords)
            if is_distribution
            else layers.build(walker, dotted, arguments, keywords)
        )
        if layer is not None:
            instance.base = layer
            return
