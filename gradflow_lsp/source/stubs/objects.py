"""Attributes, items, calls, loops and truth of whatever the walker holds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from . import arguments as choosing
from . import builtin_calls, distributions, externals, layers, needs, operations, shaping
from .descent import depending_on
from .guesses import Fields
from .program import dotted_name
from .values import (
    UNKNOWN,
    Bound,
    ClassValue,
    External,
    Fix,
    Frame,
    Function,
    Instance,
    Items,
    Layer,
    Method,
    Misfit,
    Nothing,
    Partial,
    Record,
    Shape,
    Super,
    Tensor,
    Unknown,
    origin_of,
)

if TYPE_CHECKING:
    from .walker import Walker

_MOST_ITEMS = 2_000
_MODULE_METHODS = {
    *("parameters", "named_parameters", "modules", "named_modules", "children", "named_children", "apply", "to"),
    *("double", "float", "half", "cuda", "cpu", "train", "eval", "requires_grad_", "register_buffer", "add_module"),
    *("register_parameter", "register_module", "state_dict", "load_state_dict", "get_submodule", "zero_grad"),
    *("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook", "save_hyperparameters"),
}


# classes


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


def _instantiate(walker: Walker, cls: ClassValue, arguments: list[Any], keywords: dict[str, Any]) -> Any:
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
        layer = layers.build(walker, dotted, arguments, keywords)
        if layer is not None:
            instance.base = layer
            return


# calls


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
            return _instantiate(walker, callee, arguments, keywords)
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
                    return walker.call_function(method, [callee, *arguments], keywords)
            if callee.base is not None:
                return layers.apply(walker, callee.base, arguments, keywords)
    origin = origin_of(callee)
    if origin is not None and origin.what == "value" and not isinstance(callee, (Tensor, Nothing)):
        raise Misfit("something that can be called is needed", _callables(walker, origin.key, arguments))
    if isinstance(callee, Nothing):
        raise Misfit("an optional argument is called", _callables(walker, callee.key, arguments))
    return depending_on(UNKNOWN, [*arguments, *keywords.values()])


def _callables(walker: Walker, key: Any, arguments: list[Any]) -> list[Fix]:
    return [Fix(key, "guess", guess) for guess in choosing.callables(walker.program, key, arguments)]


def _call_method(walker: Walker, owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if isinstance(owner, Layer) and owner.kind == "Distribution":
        return owner["sample"]
    if isinstance(owner, Tensor):
        return operations.method(walker, owner, name, arguments, keywords)
    if isinstance(owner, (Layer, Instance, Super)):
        return layers.module_method(walker, owner, name, arguments, keywords)
    if isinstance(owner, Record):
        return _record_method(walker, owner, name, arguments)
    return builtin_calls.method(walker, owner, name, arguments, keywords)


def _record_method(walker: Walker, record: Record, name: str, arguments: list[Any]) -> Any:
    if name in ("get", "pop") and arguments and isinstance(arguments[0], str):
        key = (*record.key, arguments[0])
        return walker.value_at(key) if key in walker.guesses or len(arguments) == 1 else arguments[1]
    if name == "copy":
        return record
    if name in ("values", "keys", "items") and walker.guesses.get(record.key) == Fields("numbering"):
        return range(walker.count(record)) if name == "values" else UNKNOWN
    return UNKNOWN


# attributes


def attribute(walker: Walker, owner: Any, name: str) -> Any:
    """Return `owner.name`."""
    match owner:
        case Instance():
            return _instance_attribute(walker, owner, name)
        case ClassValue():
            return _class_attribute(owner, name)
        case Super(me=me, owner=after):
            return _super_attribute(me, after, name)
        case External(dotted=dotted):
            return externals.attribute(f"{dotted}.{name}")
        case Layer(kind="Distribution"):
            return distributions.attribute(owner, name)
        case Layer():
            found = layers.attribute(owner, name)
            return (
                Method(owner, name)
                if isinstance(found, Unknown) and name in _MODULE_METHODS | layers.METHODS
                else found
            )
        case Tensor():
            return operations.attribute(owner, name)
        case Record():
            if name in ("get", "items", "keys", "values", "pop", "copy"):
                return Method(owner, name)
            if walker.guesses.get(owner.key) in (Fields("mapping"), Fields("numbering")):
                raise Misfit("an attribute is read", [Fix(owner.key, "record")])
            return walker.value_at((*owner.key, name))
        case Nothing(key=key):
            raise Misfit(f"an optional argument is used without being given (.{name})", [Fix(key, "given")])
        case Function() | Bound() | Method():
            return UNKNOWN
    if builtin_calls.has_method(owner, name):
        return Method(owner, name)
    if isinstance(owner, tuple) and name in ("values", "indices") and len(owner) == 2:
        return owner[name == "indices"]
    origin = origin_of(owner)
    if origin is not None and origin.what == "value" and not isinstance(owner, Items):
        raise Misfit(f"an attribute {name!r} is read", [Fix(origin.key, "record")])
    if isinstance(owner, Items):
        raise Misfit(f"an attribute {name!r} is read", [Fix(owner.origin.key, "record")])
    return UNKNOWN


def _instance_attribute(walker: Walker, instance: Instance, name: str) -> Any:
    if name in instance.attributes:
        return instance.attributes[name]
    if name == "__class__":
        return instance.cls
    found = find_in_class(instance.cls, name)
    if isinstance(found, Function) and isinstance(found.node, ast.FunctionDef):
        decorators = {dotted_name(decorator).rpartition(".")[2] for decorator in found.node.decorator_list}
        if decorators & {"property", "cached_property"}:
            return walker.call_function(found, [instance], {})
        if "staticmethod" in decorators:
            return found
        return Bound(found, instance.cls if "classmethod" in decorators else instance)
    if found is not None:
        return found
    if instance.base is not None:
        inherited = layers.attribute(instance.base, name)
        if not isinstance(inherited, Unknown):
            return inherited
    if name == "training":
        return True
    return Method(instance, name) if name in _MODULE_METHODS | layers.METHODS else UNKNOWN


def _is_classmethod(node: ast.FunctionDef) -> bool:
    return any(dotted_name(decorator) == "classmethod" for decorator in node.decorator_list)


def _class_attribute(cls: ClassValue, name: str) -> Any:
    if name == "__name__":
        return cls.name
    found = find_in_class(cls, name)
    if isinstance(found, Function) and isinstance(found.node, ast.FunctionDef) and _is_classmethod(found.node):
        return Bound(found, cls)
    if found is None and name == "apply" and isinstance(forward := find_in_class(cls, "forward"), Function):
        return Bound(forward, UNKNOWN)  # an autograd function: `ctx` comes first
    return UNKNOWN if found is None else found


def _super_attribute(me: Any, after: ClassValue, name: str) -> Any:
    cls = me.cls if isinstance(me, Instance) else me
    found = find_in_class(cls, name, after)
    if isinstance(found, Function):
        return Bound(found, me)
    return Method(Super(me, after), name) if found is None and isinstance(me, Instance) else found


def set_attribute(walker: Walker, owner: Any, name: str, value: Any) -> None:
    """Do `owner.name = value`."""
    if isinstance(owner, Instance):
        owner.attributes[name] = value
        if owner.base is not None and isinstance(value, (Layer, Instance)) and owner.base.kind in layers.CONTAINERS:
            owner.base.children[name] = value
    elif isinstance(owner, Layer):
        (owner.children if owner.kind in layers.CONTAINERS else owner.config)[name] = value
    elif isinstance(owner, ClassValue):
        owner.attributes[name] = value


# items


def item(walker: Walker, owner: Any, index: Any) -> Any:
    """Return `owner[index]`."""
    match owner:
        case Tensor():
            return shaping.index(owner, index)
        case Instance(base=Layer() as layer) | (Layer() as layer) if layer.kind in layers.CONTAINERS:
            return layers.child(layer, index)
        case Instance():
            method = find_in_class(owner.cls, "__getitem__")
            fields = list(owner.attributes.values())
            if isinstance(method, Function):
                return walker.call_function(method, [owner, index], {})
            return fields[index] if isinstance(index, int) and -len(fields) <= index < len(fields) else UNKNOWN
        case ClassValue():
            member = owner.attributes.get(index) if isinstance(index, str) else None
            return member if isinstance(member, Instance) else owner
        case External():
            return owner
        case Record():
            if isinstance(index, str):
                if walker.guesses.get(owner.key) == Fields():
                    raise Misfit("a mapping is needed", [Fix(owner.key, "mapping")])
                return walker.value_at((*owner.key, str(index)))
            raise Misfit("a sequence is needed", [Fix(owner.key, "sequence")])
        case Nothing(key=key):
            raise Misfit("an optional argument is used without being given", [Fix(key, "given")])
    if isinstance(owner, dict):
        if not isinstance(index, (str, int, float, tuple, Instance)) or index in owner:
            return owner.get(index, UNKNOWN) if not isinstance(index, (Unknown, list, dict)) else UNKNOWN
        origin = origin_of(index)
        if origin is not None:
            raise Misfit(f"there is no entry {index!r}", [Fix(origin.key, "value", key) for key in owner])
        return UNKNOWN
    origin = origin_of(owner)
    if isinstance(index, str) and origin is not None:
        raise Misfit("a mapping is needed", [Fix(origin.key, "mapping")])
    if isinstance(owner, (list, tuple, str, range)):
        return _sequence_item(owner, index)
    if origin is not None and origin.what == "value":
        length = max(index + 1, 2) if isinstance(index, int) and index >= 0 else 2
        raise Misfit("a sequence is needed", [Fix(origin.key, "sequence", length)])
    return depending_on(UNKNOWN, [owner])


def _sequence_item(owner: Any, index: Any) -> Any:
    if isinstance(index, slice):
        try:
            part = owner[index]
        except (TypeError, ValueError):
            return UNKNOWN
        return Shape.of(owner.tensor)[index] if isinstance(owner, Shape) else part
    if not isinstance(index, int):
        return UNKNOWN
    if -len(owner) <= index < len(owner):
        return owner[index]
    needed = index + 1 if index >= 0 else -index
    if isinstance(owner, Items):
        raise Misfit("a sequence is too short", [Fix(owner.origin.key, "length", needed)])
    if isinstance(owner, Shape):
        raise Misfit("a tensor has too few axes", [needs.rank_fix(owner.tensor, needed)])
    return UNKNOWN


def set_item(owner: Any, index: Any, value: Any) -> None:
    """Do `owner[index] = value`."""
    if isinstance(owner, Instance) and owner.base is not None:
        owner = owner.base
    if isinstance(owner, Layer):
        owner.children[str(index)] = value
        return
    if isinstance(owner, dict) and isinstance(index, (str, int, float, tuple)):
        owner[index] = value
    if isinstance(owner, list) and isinstance(index, int) and -len(owner) <= index < len(owner):
        owner[index] = value


def contains(walker: Walker, container: Any, value: Any) -> bool | None:
    """Return `value in container`, or `None` where that cannot be told."""
    if isinstance(container, Record):
        return isinstance(value, str) and (*container.key, str(value)) in walker.guesses
    if isinstance(container, Instance) and container.base is not None:
        container = container.base
    if isinstance(container, Layer):
        return str(value) in container.children
    if isinstance(container, ClassValue):
        return any(value is member for member in container.attributes.values())
    if not isinstance(container, (list, tuple, set, dict, str, range)) or isinstance(value, (Unknown, Tensor, Record)):
        return None
    try:
        found = value in container
    except TypeError:
        return None
    return True if found else (None if any(isinstance(one, Unknown) for one in container) else False)


# loops and truth


def iterate(walker: Walker, value: Any) -> list[Any] | None:
    """Return the elements of `value`, or `None` where they cannot be told."""
    if isinstance(value, Instance):
        if value.base is not None and value.base.kind in layers.CONTAINERS:
            value = value.base
        elif isinstance(method := find_in_class(value.cls, "__iter__"), Function):
            return iterate(walker, walker.call_function(method, [value], {}))
        else:
            return list(value.attributes.values()) if fields_of(value.cls) else None
    if isinstance(value, Layer):
        return layers.elements(value)
    if isinstance(value, ClassValue):
        members = [one for one in value.attributes.values() if isinstance(one, Instance) and one.cls is value]
        return members or None
    if isinstance(value, Tensor):
        return shaping.rows(value)
    if isinstance(value, (list, tuple, range, dict, set, str)):
        return list(value) if len(value) <= _MOST_ITEMS else None
    if isinstance(value, Nothing):
        raise Misfit("an optional argument is looped over without being given", [Fix(value.key, "sequence")])
    if isinstance(value, Record):
        return None
    origin = origin_of(value)
    if origin is not None and origin.what == "value":
        raise Misfit("a sequence is needed", [Fix(origin.key, "sequence")])
    return None


def truth(value: Any) -> bool | None:
    """Return whether `value` counts as true, or `None` where that cannot be told."""
    if value is None or isinstance(value, Nothing):
        return False
    if isinstance(value, (bool, int, float, str, list, tuple, dict, set, range)):
        return bool(value)
    if isinstance(value, (Function, Bound, ClassValue, Record, External)):
        return True
    if isinstance(value, Layer):
        return bool(value.children) if value.kind in layers.CONTAINERS else True
    return True if isinstance(value, Instance) else None
