"""What is looked up in, put into and found in whatever the walker holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import indexing, layers, modules, needs
from .classes import find_in_class
from .code_values import ClassValue, External, Function, Instance, Layer
from .descent import depending_on
from .guesses import Fields
from .values import UNKNOWN, Fix, Items, Misfit, Nothing, Record, Shape, Tensor, Unknown, origin_of

if TYPE_CHECKING:
    from .walker import Walker


def item(walker: Walker, owner: Any, index: Any) -> Any:
    """Return `owner[index]`."""
    match owner:
        case Tensor():
            return indexing.index(owner, index)
        case Instance(base=Layer() as layer) | (Layer() as layer) if layer.kind in layers.CONTAINERS:
            return modules.child(layer, index)
        case Instance():
            method = find_in_class(owner.cls, "__getitem__")
            fields = list(owner.attributes.values())
            if isinstance(index, str):
                return owner.attributes.get(index, UNKNOWN)
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
                as_mapping(walker, owner)
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


def as_mapping(walker: Walker, record: Record) -> None:
    """Raise a misfit where a record is used as a mapping and is none."""
    if walker.guesses.get(record.key) == Fields():
        raise Misfit("a mapping is needed", [Fix(record.key, "mapping")])


def _sequence_item(owner: Any, index: Any) -> Any:
    if isinstance(index, slice):
        try:
            part = owner[index]
        except (TypeError, ValueError):
            return UNKNOWN
        return owner.sliced(index) if isinstance(owner, Shape) else part
    if not isinstance(index, int):
        return UNKNOWN
    if -len(owner) <= index < len(owner):
        return owner[index]
    needed = needs.at_least(index)
    if isinstance(owner, Items):
        raise Misfit("a sequence is too short", [Fix(owner.origin.key, "length", needed)])
    if isinstance(owner, Shape):
        raise Misfit("a tensor has too few axes", [needs.rank_fix(owner.tensor, needed - owner.more)])
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
    origin = origin_of(container)
    if origin is not None and origin.what == "value" and isinstance(container, (int, float, Nothing)):
        raise Misfit("a sequence is needed", [Fix(origin.key, "sequence")])
    if not isinstance(container, (list, tuple, set, dict, str, range)) or isinstance(value, (Unknown, Tensor, Record)):
        return None
    try:
        found = value in container
    except TypeError:
        return None
    return True if found else (None if any(isinstance(one, Unknown) for one in container) else False)
