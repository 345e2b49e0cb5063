"""Layers and tensors that a module keeps where it cannot see them, and layers that it keeps for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from ..parsing import descendants, statements, text_of
from . import titles
from .code import Code, arguments, around, attributes, called, class_of, function_of, keyword, method_name, receiver
from .edits import Fix, Replacement

_LISTS = ("list", "tuple", "list_comprehension")
_DICTS = ("dictionary", "dictionary_comprehension")
_MAKERS = {"list": "List", "tuple": "List", "dict": "Dict", "collections.OrderedDict": "Dict"}
_ALLOWED = {
    "ModuleList": {"append", "extend", "insert", "pop"},
    "ParameterList": {"append", "extend"},
    "ModuleDict": {"items", "keys", "values", "update", "pop", "clear"},
    "ParameterDict": {"items", "keys", "values", "update", "pop", "clear", "get", "setdefault", "popitem"},
}
"""What the containers of torch can do of what lists and dicts can."""
_REFUSED_KEYS = {
    "apply", "buffers", "children", "clear", "compile", "cpu", "cuda", "double", "eval", "float", "forward", "half",
    "items", "keys", "modules", "parameters", "pop", "to", "train", "training", "type", "update", "values",
}  # fmt: skip
"""Keys that an nn.ModuleDict refuses: each would hide one of its own attributes."""

_WALKS = re.compile(r"\b(?:named_)?(?:children|modules)\(|\b_modules\b")
"""How layers are called without being named."""


@dataclass(frozen=True)
class _Kept:
    """The assignment `self.<name> = <value>` through which a module keeps what was made."""

    name: str
    assignment: Node
    value: Node


def unregistered(code: Code, parameters: Sequence[str]) -> Iterator[Fix]:
    """Register what a module keeps; `parameters` are the paths at which the report found it."""
    made = code.node
    kept = _kept(made) if made is not None else None
    if made is not None and kept is not None:
        yield from _registering(code, kept, parameters)


def unregistered_by_name(text: str, parameters: Sequence[str]) -> Iterator[Fix]:
    """Register what a module keeps in the container that the paths name, wherever its layers were made."""
    names = {match[1] if (match := re.search(r"(\w+)\[", parameter)) else "" for parameter in parameters}
    places = [
        statement.span(node)
        for statement in statements(text)
        for node in descendants(statement.node)
        if node.type == "assignment" and (kept := _of_assignment(node)) and kept.value.type != "none"
        if kept.name in names
    ]
    code = Code.at(text, places[0]) if len(names) == len(places) == 1 else None
    kept = _of_assignment(code.node) if code is not None and code.node is not None else None
    if code is not None and kept is not None:
        yield from _registering(code, kept, parameters)


def _registering(code: Code, kept: _Kept, parameters: Sequence[str]) -> Iterator[Fix]:
    if not _can_register(kept):
        return
    found = [place for place in (_place(parameter, kept.name) for parameter in parameters) if place is not None]
    if len({(tuple(map(_container_of, keys)), leaf) for keys, leaf in found}) != 1:
        return
    keys, leaf = found[0]
    if keys:
        yield from _in_containers(code, kept, [keys for keys, _ in found], leaf)
    elif leaf:
        yield from _as_parameter(code, kept)


def _place(parameter: str, name: str) -> tuple[list[str], bool] | None:
    """Return the keys that lead on from an attribute, and whether the parameter itself lies there: no layer's."""
    key = r"\[(?:\"[^\"]*\"|'[^']*'|[^\]]*)\]"
    found = re.search(rf"(?:^|\.){re.escape(name)}((?:{key})*)(\..*)?$", parameter)
    if found is None:
        return None
    return [one[1:-1] for one in re.findall(key, found[1])], found[2] is None


def _container_of(key: str) -> str:
    """Return what has such a key."""
    return "Dict" if key[:1] in ('"', "'") else "List"


def _kept(made: Node) -> _Kept | None:
    """Return how a module keeps something: itself, in a container, or in one that is filled item by item."""
    for holder in around(made):
        left = holder.child_by_field_name("left")
        if holder.type == "augmented_assignment":
            return _first_value(made, left)
        if holder.type == "assignment":
            if left is None:
                return None
            if left.type == "subscript":  # self.maps[key] = …
                return _first_value(made, left.child_by_field_name("value"))
            return _of_assignment(holder) or _first_value(made, left)
        if method_name(holder) in ("append", "insert", "extend"):
            return _first_value(made, receiver(holder))
        if holder.type in ("function_definition", "lambda", "class_definition", "block"):
            return None
    return None


def _of_assignment(assignment: Node) -> _Kept | None:
    left, value = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    if left is None or value is None or left.type != "attribute" or text_of(receiver(left)) != "self":
        return None
    return _Kept(text_of(left.child_by_field_name("attribute")), assignment, value)


def _first_value(made: Node, container: Node | None) -> _Kept | None:
    """Return where a container that is filled later is kept: `self.maps = {}`, or `self.layers = layers`."""
    owner, scope = class_of(made), function_of(made)
    if container is None or owner is None or scope is None:
        return None
    for node in descendants(owner if container.type == "attribute" else scope):
        kept = _of_assignment(node) if node.type == "assignment" else None
        if kept is None or kept.value.type == "none":
            continue
        is_it = kept.assignment.child_by_field_name("left") if container.type == "attribute" else kept.value
        if text_of(is_it) == text_of(container):
            return kept
    return None


def _can_register(kept: _Kept) -> bool:
    """Tell whether the owner is a module that is set up by then, and holds nothing else under that name."""
    owner, scope = class_of(kept.assignment), function_of(kept.assignment)
    bases = owner.child_by_field_name("superclasses") if owner is not None else None
    if owner is None or scope is None or bases is None or text_of(bases) in ("()", "(object)", "(ABC)"):
        return False
    if text_of(scope.child_by_field_name("name")) == "__init__" and not any(
        method_name(node) == "__init__" and node.end_byte <= kept.assignment.start_byte for node in descendants(scope)
    ):
        return False
    others = [
        node.child_by_field_name("right")
        for node in descendants(owner)
        if node.type == "assignment" and node != kept.assignment
        for one in [_of_assignment(node)]
        if one is not None and one.name == kept.name
    ]
    return all(value is not None and value.type == "none" for value in others)


def _in_containers(code: Code, kept: _Kept, paths: Sequence[Sequence[str]], leaf: bool) -> Iterator[Fix]:
    """Make each list or dict on the way to what was made one of torch's; `paths` are the keys of that way."""
    if not all(_may_be_a_key(key) for path in paths for key in path):
        return
    levels = [[kept.value]]
    for _ in paths[0][1:]:
        levels.append([item for display in levels[-1] for item in _items(display)])
    kind = "Parameter" if leaf else "Module"
    changes: dict[Replacement, None] = {}
    for depth, (key, displays) in enumerate(zip(paths[0], levels, strict=True)):
        container = _container_of(key)
        own_kind = kind if depth == len(levels) - 1 else "Module"
        spelled, imports = code.names.spell(f"torch.nn.{own_kind}{container}")
        if not displays or any(_shape(code, display) != container for display in displays):
            return
        if depth == 0 and not _is_used_as(own_kind + container, kept):
            return
        changes.update(dict.fromkeys(imports))
        for display in displays:
            changes.update(dict.fromkeys(_registered(code, display, spelled)))
    if leaf or _holds_only_layers(code, kept, len(levels)):
        outer = f"nn.{'Module' if len(levels) > 1 else kind}{_container_of(paths[0][0])}"
        yield Fix(titles.keep_in("parameters" if leaf else "layers", outer), tuple(changes), preferred=True)


def _may_be_a_key(key: str) -> bool:
    return _container_of(key) == "List" or ("." not in key and key[1:-1] not in ("", *_REFUSED_KEYS))


def _registered(code: Code, display: Node, spelled: str) -> Iterator[Replacement]:
    """Yield what makes a container one of torch's: anew where it is empty, else around it."""
    is_empty = display.type in ("list", "dictionary") and not display.named_children
    if is_empty or (called(code.names, display) in _MAKERS and text_of(display).endswith("()")):
        yield code.swap(display, f"{spelled}()")
    else:
        yield from code.wrap(display, f"{spelled}(")


def _items(display: Node) -> list[Node]:
    """Return the values that a container is written with."""
    children = [
        child for child in display.named_children if child.type not in ("comment", "for_in_clause", "if_clause")
    ]
    return [child.child_by_field_name("value") or child for child in children]


def _shape(code: Code, value: Node) -> str:
    """Return whether an expression is a list or a dict by its looks: `List`, `Dict`, or empty."""
    if value.type == "binary_operator":  # [a] * 3, [a] + [b]
        return next((shape for side in value.named_children if (shape := _shape(code, side))), "")
    if value.type == "identifier":
        scope = function_of(value)
        made = [
            node.child_by_field_name("right")
            for node in (descendants(scope) if scope is not None else ())
            if node.type == "assignment" and text_of(node.child_by_field_name("left")) == text_of(value)
        ]
        return _shape(code, made[0]) if len(made) == 1 and made[0] is not None else ""
    if value.type in _LISTS or value.type in _DICTS:
        return "List" if value.type in _LISTS else "Dict"
    return _MAKERS.get(called(code.names, value), "")


def _is_used_as(container: str, kept: _Kept) -> bool:
    """Tell whether everything that is done with the attribute can be done with a container of torch."""
    owner = class_of(kept.assignment)
    for mention in attributes(owner, kept.name) if owner is not None else ():
        link = mention.parent
        if link is None or link.type != "attribute" or receiver(link) != mention:
            continue
        if text_of(link.child_by_field_name("attribute")) not in _ALLOWED[container]:
            return False
    return True


def _holds_only_layers(code: Code, kept: _Kept, depth: int) -> bool:
    """Tell whether all that is put into a container is layers; nothing else may be in one of torch's.

    The report found a layer in it: where everything in it is made by one and the same function, all of it is.
    """
    owner = class_of(kept.assignment)
    level = [kept.value]
    for _ in range(depth):
        level = [item for display in level if display.type in (*_LISTS, *_DICTS) for item in _items(display)]
    filled = {f"self.{kept.name}"} | ({text_of(kept.value)} if kept.value.type == "identifier" else set())
    for node in descendants(owner) if owner is not None else ():
        if method_name(node) == "append" and text_of(receiver(node)) in filled:
            level += arguments(node)
    makers = {text_of(item.child_by_field_name("function")) for item in level}
    return (len(makers) == 1 and "" not in makers) or all(_is_layer(code, item) for item in level)


def _is_layer(code: Code, item: Node) -> bool:
    """Tell whether an expression makes a layer by its looks: it calls a class, and not one that stands alone."""
    last = called(code.names, item).rpartition(".")[2]
    is_class = last[:1].isupper() and last != "Parameter"
    return item.type == "none" or (is_class and not re.search(rf"\bclass\s+{last}\s*:", code.text))


def _as_parameter(code: Code, kept: _Kept) -> Iterator[Fix]:
    """Make a parameter of the whole value, where it is reckoned from the tensor that was to learn."""
    if any(
        node.type in ("conditional_expression", "boolean_operator") for node in (kept.value, *descendants(kept.value))
    ):
        return
    spelled, imports = code.names.spell("torch.nn.Parameter")
    changes: list[tuple[int, int, str]] = []
    for node in (kept.value, *descendants(kept.value)):
        if called(code.names, node) in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
            if len(arguments(node)) != 1:
                return
            inner = arguments(node)[0]
            bare = node == kept.value or inner.type in ("call", "identifier", "attribute")
            changes += [(node.start_byte, inner.start_byte, "" if bare else "(")]
            changes += [(inner.end_byte, node.end_byte, "" if bare else ")")]
        elif method_name(node) == "requires_grad_" and (value := receiver(node)) is not None:
            changes.append((value.end_byte, node.end_byte, ""))
        elif node.type == "call" and (flag := keyword(node, "requires_grad")) is not None:
            changes.append(_argument(node, flag))
    text = code.data[kept.value.start_byte : kept.value.end_byte]
    for start, end, new in sorted(changes, reverse=True):
        text = text[: start - kept.value.start_byte] + new.encode() + text[end - kept.value.start_byte :]
    new_value = f"{spelled}({text.decode('utf-8', 'surrogatepass')})"
    if new_value != text_of(kept.value):
        yield Fix(titles.make_parameter(kept.name), (*imports, code.swap(kept.value, new_value)), preferred=True)


def _argument(call: Node, argument: Node) -> tuple[int, int, str]:
    """Return the bytes of an argument with the comma that it brought."""
    given = arguments(call)
    at = given.index(argument)
    if at > 0:
        return given[at - 1].end_byte, argument.end_byte, ""
    return argument.start_byte, given[1].start_byte if len(given) > 1 else argument.end_byte, ""


def not_called(code: Code) -> Iterator[Fix]:
    """Delete the statement that defines a layer, where nothing else in the file mentions what it is kept as."""
    made = code.node
    assignment = next(around(made, "assignment"), None) if made is not None else None
    kept = _of_assignment(assignment) if assignment is not None else None
    statement = assignment.parent if assignment is not None else None
    if kept is None or statement is None or statement.type != "expression_statement":
        return
    is_whole = kept.value == made or not _WALKS.search(code.text)
    if is_whole and len(re.findall(rf"\b{re.escape(kept.name)}\b", code.text)) == 1:
        yield Fix(titles.remove_unused(kept.name), (code.delete(statement),))
