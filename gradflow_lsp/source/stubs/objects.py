"""Attributes, loops and truth of whatever the walker holds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from . import builtin_methods, distributions, externals, indexing, layers, modules, operations, words
from .classes import fields_of, find_in_class
from .code_values import Bound, ClassValue, External, Function, Instance, Layer, Method, Super
from .entry import preparing_method
from .guesses import Fields, Plain, TensorGuess
from .program import dotted_name
from .values import UNKNOWN, Fix, Items, Misfit, Nothing, Origin, Record, Size, Step, Tensor, Unknown, origin_of

if TYPE_CHECKING:
    from .walker import Walker

_MOST_ITEMS = 2_000
_MODULE_METHODS = {
    *("parameters", "named_parameters", "modules", "named_modules", "children", "named_children", "apply", "to"),
    *("double", "float", "half", "cuda", "cpu", "train", "eval", "requires_grad_", "register_buffer", "add_module"),
    *("register_parameter", "register_module", "state_dict", "load_state_dict", "get_submodule", "zero_grad"),
    *("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook", "save_hyperparameters"),
}


_OF_TENSORS = frozenset(
    (
        "shape",
        "size",
        "ndim",
        "dim",
        "to",
        "clone",
        "detach",
        "unsqueeze",
        "squeeze",
        "view",
        "reshape",
        "numel",
        "T",
        "t",
    )
)
"""What is read of tensors and seldom of other arguments of a constructor."""

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
        case Layer(kind="StandIn", guess=tuple(key)) if name not in _MODULE_METHODS | {"training", "forward"}:
            return walker.value_at((*key, name))
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
            fixes = [Fix(key, "given"), *([Fix(key, "record")] if key[0] == "model" else [])]
            raise Misfit(f"an optional argument is used without being given (.{name})", fixes)
        case Function() | Bound() | Method():
            return UNKNOWN
    if builtin_methods.has_method(owner, name):
        return Method(owner, name)
    if isinstance(owner, tuple) and name in ("values", "indices") and len(owner) == 2:
        return owner[name == "indices"]
    origin = origin_of(owner)
    if origin is not None and origin.key[0] == "model" and name in _OF_TENSORS and _may_be_tensor(owner, origin):
        matrix = Fix(origin.key, "guess", TensorGuess(("F", "F")))
        raise Misfit(f"an attribute {name!r} is read", [matrix, Fix(origin.key, "record")])
    if origin is not None and origin.what == "value" and not isinstance(owner, Items):
        raise Misfit(f"an attribute {name!r} is read", [Fix(origin.key, "record")])
    if isinstance(owner, Items):
        raise Misfit(f"an attribute {name!r} is read", [Fix(owner.origin.key, "record")])
    return UNKNOWN


def _may_be_tensor(owner: Any, origin: Origin) -> bool:
    """Say whether a number that a constructor was given may rather be a tensor: not where it is called a space."""
    return isinstance(owner, (int, float)) and not str(origin.key[-1]).endswith(("space", "env", "envs"))


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
        inherited = attribute(walker, instance.base, name)
        if not isinstance(inherited, Unknown):
            return inherited
    if name == "training":
        return True
    if name not in _MODULE_METHODS | layers.METHODS:
        unprepared(walker, instance, name)
    return Method(instance, name) if name in _MODULE_METHODS | layers.METHODS else UNKNOWN


def unprepared(walker: Walker, instance: Instance, name: str) -> None:
    """Raise a misfit where the model lacks an attribute that one of its methods sets: that is to be called first."""
    method = preparing_method(walker.program, instance.cls.name, name) if instance is walker.model else None
    if method is not None and ("first", method) not in walker.guesses:
        raise Misfit(f"{method} has to be called first", [Fix(("first", method), "value", True)])


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
        return modules.elements(value)
    if isinstance(value, ClassValue):
        members = [one for one in value.attributes.values() if isinstance(one, Instance) and one.cls is value]
        return members or None
    if isinstance(value, Tensor):
        return indexing.rows(value)
    if isinstance(value, range) and len(value) <= _MOST_ITEMS:
        return Step.through(value)
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


def tested(walker: Walker, value: Any) -> bool | None:
    """Return the truth of what a condition tests; raise a misfit for a number that is tested, and called like none."""
    origin = origin_of(value)
    if isinstance(value, Size) and origin is not None and origin.what == "value" and origin.key[0] == "model":
        name = str(origin.key[-1])
        if walker.guesses.get(origin.key) == Plain(8) and not words.names_number(name):
            raise Misfit(f"{name} is a flag", [Fix(origin.key, "value", words.flag_named(name))])
    return truth(value)


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
