"""Which expressions made the layer that a call calls, as far as the file tells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from .code import Code
from .syntax import (
    arguments,
    around,
    attributes,
    called,
    class_of,
    function_of,
    keyword,
    mentions,
    method_name,
    positional,
    receiver,
)

_MOST = 8
"""How many steps from a name to what made it; names may go in circles."""
_DISPLAYS = ("list", "tuple")
_CHANGES = ("append", "insert", "extend", "pop", "add_module", "register_module", "reverse", "remove")
_STACKS = ("torch.nn.Sequential", "torch.nn.ModuleList")


def makers(code: Code, name: Node, depth: int = _MOST) -> list[Node]:
    """Return what a name, an attribute or an item may have been made by: one expression for each layer it can be.

    Nothing where the text does not tell all of them.
    """
    if depth == 0:
        return []
    if name.type == "attribute" and text_of(receiver(name)) == "self":
        return _of_attribute(code, name, depth)
    if name.type == "identifier":
        return _of_name(code, name, depth)
    container = name.child_by_field_name("value") if name.type == "subscript" else None
    index = name.child_by_field_name("subscript")
    if container is None or index is None or index.type == "slice":
        return [name] if name.type == "call" else []
    found = [items(code, made) for made in makers(code, container, depth - 1)]
    if re.fullmatch(r"-?\d+", text_of(index)):
        at = int(text_of(index))
        found = [[of[at]] if -len(of) <= at < len(of) else [] for of in found]
    return [made for of in found for made in of] if all(found) else []


def items(code: Code, made: Node) -> list[Node]:
    """Return the expressions that made the layers in a stack or list; nothing where the text does not tell all."""
    if made.type in _DISPLAYS:
        written = [one for one in made.named_children if one.type != "comment"]
    elif made.type == "list_comprehension":
        written = [made.named_children[0]]
    elif called(code.names, made) in _STACKS:
        written = [one for one in arguments(made) if one.type != "keyword_argument"]
        if called(code.names, made) == "torch.nn.ModuleList" and len(written) == 1:
            return items(code, written[0])
    elif made.type == "identifier":
        written = _filled(made)
    else:
        written = _of_own_stack(code, made)
    found: list[Node] = []
    for one in written:
        if one.type != "list_splat":
            found.append(one)
        elif inner := items(code, one.named_children[0]):
            found += inner
        else:
            return []
    return found


def _of_attribute(code: Code, name: Node, depth: int) -> list[Node]:
    owner, attribute = class_of(name), text_of(name.child_by_field_name("attribute"))
    if owner is None or _is_set_elsewhere(code, owner, attribute):
        return []
    mentioned = attributes(owner, attribute)
    values = [value for target in mentioned if (value := _assigned(target)) is not None]
    if len(values) != 1 or any(map(_is_changed, mentioned)):
        return []
    return _resolved(code, values[0], depth)


def _is_changed(use: Node) -> bool:
    """Tell whether a mention of a stack puts layers into it, or takes some out."""
    holder = use.parent
    if holder is None or holder.type == "augmented_assignment":
        return holder is not None and holder.child_by_field_name("left") == use
    if holder.type == "subscript" and holder.child_by_field_name("value") == use:
        return _assigned(holder) is not None
    return holder.type == "attribute" and method_name(holder.parent) in _CHANGES


def _is_set_elsewhere(code: Code, owner: Node, attribute: str) -> bool:
    """Tell whether code beside the class may give the attribute another value: outside of it, or in one made of it."""
    name = text_of(owner.child_by_field_name("name"))
    for top in code.top_level():
        for target in attributes(top, attribute):
            around_it = class_of(target)
            bases = around_it.child_by_field_name("superclasses") if around_it is not None else None
            is_foreign = text_of(receiver(target)) != "self" or (around_it != owner and bool(_named_among(bases, name)))
            if is_foreign and (_assigned(target) is not None or _is_changed(target)):
                return True
    return False


def _named_among(bases: Node | None, name: str) -> list[Node]:
    """Return where a list of base classes names one."""
    return mentions(bases, name) if bases is not None else []


def _assigned(target: Node) -> Node | None:
    """Return the expression that is assigned to a target, also where several are assigned at once."""
    holder = target.parent
    if holder is not None and holder.type == "assignment" and holder.child_by_field_name("left") == target:
        return holder.child_by_field_name("right")
    assignment = holder.parent if holder is not None and holder.type in ("pattern_list", "tuple_pattern") else None
    if holder is None or assignment is None or assignment.child_by_field_name("left") != holder:
        return None
    values = assignment.child_by_field_name("right")
    if values is None or values.type not in ("expression_list", "tuple"):
        return None
    at = holder.named_children.index(target)
    return values.named_children[at] if len(values.named_children) == len(holder.named_children) else None


def _resolved(code: Code, value: Node, depth: int) -> list[Node]:
    """Return what made a value: itself if it is a call, else what made the name that it is."""
    return [value] if value.type in ("call", *_DISPLAYS, "list_comprehension") else makers(code, value, depth - 1)


def _of_name(code: Code, name: Node, depth: int) -> list[Node]:
    """Return what made a local name: the items of what a loop goes through, one value, or a function's argument."""
    scope = function_of(name)
    if scope is None:
        return []
    found: list[list[Node]] = []
    for target in mentions(scope, text_of(name)):
        value = _assigned(target)
        source = _gone_through(code, target)
        if value is not None:
            found.append([target] if value.type in _DISPLAYS else _resolved(code, value, depth))
        elif source is not None:
            sources = makers(code, source, depth - 1)
            found.append([one for made in sources for one in items(code, made)])
    if not found and text_of(name) in parameters(scope):
        return given(code, scope, text_of(name))
    return found[0] if len(found) == 1 else []


def _gone_through(code: Code, target: Node) -> Node | None:
    """Return the list whose items a loop gives a name: `layers` of `for n, layer in enumerate(layers)`."""
    holder, at = target.parent, 0
    if holder is not None and holder.type in ("pattern_list", "tuple_pattern"):
        at, target, holder = holder.named_children.index(target), holder, holder.parent
    if holder is None or holder.type not in ("for_statement", "for_in_clause"):
        return None
    source = holder.child_by_field_name("right")
    if source is None or holder.child_by_field_name("left") != target:
        return None
    if target.type not in ("pattern_list", "tuple_pattern"):
        return source
    of = positional(source)
    if called(code.names, source) == "enumerate" and of and at == 1:
        return of[0]
    return of[at] if called(code.names, source) == "zip" and at < len(of) else None


def parameters(function: Node) -> dict[str, Node | None]:
    """Return the parameters of a function, each with its default."""
    found = function.child_by_field_name("parameters")
    written = [one for one in found.named_children if one.type != "comment"] if found is not None else []
    names = [one.child_by_field_name("name") or next(iter(one.named_children), one) for one in written]
    return {text_of(name): one.child_by_field_name("value") for name, one in zip(names, written, strict=True)}


def given(code: Code, function: Node, name: str) -> list[Node]:
    """Return what the file gives a constructor for a parameter: at each call, or by default; nothing if unclear."""
    owner = class_of(function)
    if owner is None or text_of(function.child_by_field_name("name")) != "__init__":
        return []
    known = parameters(function)
    place, default = list(known).index(name) - 1, known[name]
    found: list[Node] = []
    if _is_handed_on(code, owner):
        return []
    for call in _calls(code, text_of(owner.child_by_field_name("name"))):
        if len(positional(call)) != len([one for one in arguments(call) if one.type != "keyword_argument"]):
            return []
        by_name = keyword(call, name)
        value = by_name.child_by_field_name("value") if by_name is not None else default
        value = positional(call)[place] if place < len(positional(call)) else value
        if value is None:
            return []
        found.append(value)
    return list({node.start_byte: node for node in found or ([default] if default is not None else [])}.values())


def _is_handed_on(code: Code, owner: Node) -> bool:
    """Tell whether a class is made use of but by a call: by classes made of it, or as a value."""
    own = owner.child_by_field_name("name")
    for top in code.top_level():
        for use in mentions(top, text_of(own)):
            holder = use.parent
            is_call = holder is not None and holder.child_by_field_name("function") == use
            is_type = any(node.type == "type" for node in around(use))
            is_super = holder is not None and called(code.names, holder.parent) == "super"
            if use != own and not (is_call or is_type or is_super):
                return True
    return False


def _calls(code: Code, name: str) -> Iterator[Node]:
    for top in code.top_level():
        for node in (top, *descendants(top)):
            if node.type == "call" and text_of(node.child_by_field_name("function")) == name:
                yield node


def _filled(name: Node) -> list[Node]:
    """Return all that a function puts into a list of its own; nothing where it does more with it than that."""
    scope = function_of(name)
    found: list[Node] = []
    for mention in mentions(scope, text_of(name)) if scope is not None else ():
        holder = mention.parent
        if holder is not None and holder.type == "subscript" and _assigned(holder) is not None:
            return []
        value = _assigned(mention)
        if holder is not None and holder.type == "augmented_assignment":
            value = holder.child_by_field_name("right")
        if value is not None:
            if value.type not in _DISPLAYS:
                return []
            found += [one for one in value.named_children if one.type != "comment"]
        elif holder is not None and holder.type == "attribute":
            if method_name(holder.parent) != "append" or holder.parent is None:
                return []
            found += arguments(holder.parent)
    return found


def _of_own_stack(code: Code, made: Node) -> list[Node]:
    """Return the layers that a class of the file, which is a Sequential, hands on to that."""
    owner = code.class_named(text_of(made.child_by_field_name("function")))
    bases = owner.child_by_field_name("superclasses") if owner is not None else None
    if owner is None or bases is None or len(bases.named_children) != 1:
        return []
    if code.names.meaning(bases.named_children[0]) != "torch.nn.Sequential":
        return []
    calls = [node for node in descendants(owner) if text_of(node.child_by_field_name("function")) == "super().__init__"]
    return arguments(calls[0]) if len(calls) == 1 else []
