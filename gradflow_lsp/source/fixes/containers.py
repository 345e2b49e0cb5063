"""Lists, sets and dicts of layers and parameters: written as those of torch, which register what is in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix, Replacement
from .keeping import Kept
from .syntax import arguments, attributes, called, class_of, function_of, keyword, mentions, method_name, receiver

_SETS = ("set", "set_comprehension")
_LISTS = ("list", "tuple", "list_comprehension", *_SETS)
_DICTS = ("dictionary", "dictionary_comprehension")
_MAKERS = {"list": "List", "tuple": "List", "set": "List", "dict": "Dict", "collections.OrderedDict": "Dict"}
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


def in_containers(code: Code, kept: Kept, paths: Sequence[Sequence[str]], leaf: bool) -> Iterator[Fix]:
    """Make each list or dict on the way to what was made one of torch's; `paths` are the keys of that way."""
    if not all(_may_be_a_key(key) for path in paths for key in path):
        return
    levels = [[kept.value]]
    for _ in paths[0][1:]:
        levels.append([item for display in levels[-1] for item in _items(display)])
    kind = "Parameter" if leaf else "Module"
    changes: dict[Replacement, None] = {}
    for depth, (key, displays) in enumerate(zip(paths[0], levels, strict=True)):
        container = container_of(key)
        own_kind = kind if depth == len(levels) - 1 else "Module"
        spelled, imports = code.names.spell(f"torch.nn.{own_kind}{container}")
        if not displays or any(_shape(code, display) != container for display in displays):
            return
        if depth == 0 and not _is_used_as(code, own_kind + container, kept):
            return
        if not all(_may_be_a_key(text_of(key)) for display in displays for key in _keys(kept, display)):
            return
        changes.update(dict.fromkeys(imports))
        for display in displays:
            changes.update(dict.fromkeys(_registered(code, display, spelled)))
    changes.update(dict.fromkeys(_appended(code, kept)))
    if not _holds_constants(code, kept) if leaf else _holds_only_layers(code, kept, len(levels)):
        outer = f"nn.{'Module' if len(levels) > 1 else kind}{container_of(paths[0][0])}"
        yield Fix(titles.keep_in("parameters" if leaf else "layers", outer), tuple(changes), preferred=True)


def container_of(key: str) -> str:
    """Return what has such a key."""
    return "Dict" if key[:1] in ('"', "'") else "List"


def _may_be_a_key(key: str) -> bool:
    return container_of(key) == "List" or ("." not in key and key[1:-1] not in ("", *_REFUSED_KEYS))


def _registered(code: Code, display: Node, spelled: str) -> Iterator[Replacement]:
    """Yield what makes a container one of torch's: anew where it is empty, else around it."""
    is_empty = display.type in ("list", "dictionary") and not display.named_children
    if is_empty or (called(code.names, display) in _MAKERS and text_of(display).endswith("()")):
        yield code.swap(display, f"{spelled}()")
    else:
        yield from code.wrap(display, f"{spelled}(")


def _is_set(value: Node) -> bool:
    return value.type in _SETS or text_of(value.child_by_field_name("function")) == "set"


def _appended(code: Code, kept: Kept) -> Iterator[Replacement]:
    """Yield what turns `self.layers.add(…)` of a set into the append() of a list."""
    owner = class_of(kept.assignment)
    for mention in attributes(owner, kept.name) if owner is not None and _is_set(kept.value) else ():
        link = mention.parent
        method = link.child_by_field_name("attribute") if link is not None and link.type == "attribute" else None
        if method is not None and text_of(method) == "add":
            yield code.swap(method, "append")


def _items(display: Node) -> list[Node]:
    """Return the values that a container is written with; of `x=a` in a dict(), that one."""
    if display.type == "keyword_argument":
        return [value for value in [display.child_by_field_name("value")] if value is not None]
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


def _keys(kept: Kept, value: Node) -> list[Node]:
    """Return the strings that a dict is written with as its keys."""
    pairs = [pair for display in _displays(kept, value) for pair in display.named_children if pair.type == "pair"]
    keys = [pair.child_by_field_name("key") for pair in pairs]
    return [key for key in keys if key is not None and key.type == "string"]


def _is_used_as(code: Code, container: str, kept: Kept) -> bool:
    """Tell whether everything that is done with the attribute can be done with a container of torch."""
    for mention in _uses(code, kept):
        link = mention.parent
        if link is not None and link.type == "augmented_assignment" and _is_set(kept.value):
            return False  # a union, or a difference
        if link is not None and link.type == "binary_operator" and container.endswith("Dict"):
            return False
        if link is None or link.type != "attribute" or receiver(link) != mention:
            continue
        method = text_of(link.child_by_field_name("attribute"))
        if method not in _ALLOWED[container] and not (method == "add" and _is_set(kept.value)):
            return False
    return True


def _uses(code: Code, kept: Kept) -> list[Node]:
    """Return every mention of the attribute but those by which other classes call their own."""
    owner = class_of(kept.assignment)
    return [
        mention
        for top in code.top_level()
        for mention in attributes(top, kept.name)
        if class_of(mention) == owner or text_of(receiver(mention)) != "self"
    ]


def _holds_only_layers(code: Code, kept: Kept, depth: int) -> bool:
    """Tell whether all that is put into a container is layers; nothing else may be in one of torch's.

    The report found a layer in it: where everything in it is made by one and the same function, all of it is.
    """
    level = [kept.value]
    for _ in range(depth):
        level = [item for one in level for display in _displays(kept, one) for item in _items(display)]
    scope = function_of(kept.assignment)
    is_named = kept.value.type == "identifier" and scope is not None
    local = mentions(scope, text_of(kept.value)) if is_named and scope is not None else []
    for use in (*_uses(code, kept), *local):
        put = _put_in(kept, use)
        if put is None or (put and use in local and use.start_byte > kept.assignment.end_byte):
            return False  # a list of torch's is a copy, which would not get it
        level += put
    makers = {text_of(item.child_by_field_name("function")) for item in level}
    return (len(makers) == 1 and "" not in makers) or all(_is_layer(code, item) for item in level)


def _holds_constants(code: Code, kept: Kept) -> bool:
    """Tell whether a container also gets tensors that do not learn: a ParameterList would make parameters of them."""
    level = [item for display in _displays(kept, kept.value) for item in _items(display)]
    level += [item for use in _uses(code, kept) for item in _put_in(kept, use) or ()]
    torchs = [item for item in level if called(code.names, item).startswith("torch.")]
    return any(
        not called(code.names, item).startswith("torch.nn.") and keyword(item, "requires_grad") is None
        for item in torchs
    )


def _displays(kept: Kept, value: Node) -> Iterator[Node]:
    """Yield the lists and dicts that are written in an expression: `[a] * 3`, `list((a, b))`, and behind a name."""
    if value.type in (*_LISTS, *_DICTS):
        yield value
    elif value.type == "binary_operator" or text_of(value.child_by_field_name("function")) in _MAKERS:
        for one in arguments(value) or value.named_children:
            yield from [one] if one.type == "keyword_argument" else _displays(kept, one)
    elif value.type == "identifier" and (scope := function_of(kept.assignment)) is not None:
        for node in descendants(scope):
            right = node.child_by_field_name("right") if node.type == "assignment" else None
            if right is not None and text_of(node.child_by_field_name("left")) == text_of(value):
                yield from _displays(kept, right)


def _items_of(kept: Kept, value: Node | None) -> list[Node] | None:
    """Return what is in a list that another gets all of; `None` where that is not written."""
    if value is not None and value.type == "generator_expression":
        return _items(value)
    displays = [*_displays(kept, value)] if value is not None else []
    return [item for display in displays for item in _items(display)] if displays else None


def _put_in(kept: Kept, use: Node) -> list[Node] | None:
    """Return what a mention of a container puts into it; `None` where that cannot be told."""
    holder = use.parent
    if holder is None:
        return []
    if holder.type == "subscript" and holder.child_by_field_name("value") == use:
        assignment = holder.parent
        value = assignment.child_by_field_name("right") if assignment is not None else None
        is_put = assignment is not None and assignment.child_by_field_name("left") == holder
        return [value] if is_put and value is not None and value.type not in (*_LISTS, *_DICTS) else []
    if holder.type == "augmented_assignment" and holder.child_by_field_name("left") == use:
        value = holder.child_by_field_name("right")
        return _items_of(kept, value)
    call = holder.parent if holder.type == "attribute" and receiver(holder) == use else None
    given, method = arguments(call) if call is not None else [], method_name(call)
    if method == "extend":
        return _items_of(
            kept, given[0] if given else call.child_by_field_name("arguments") if call is not None else None
        )
    return given[-1:] if method in ("append", "add", "insert") else []


def _is_layer(code: Code, item: Node) -> bool:
    """Tell whether an expression makes a layer by its looks: it calls a class, and not one that stands alone."""
    last = called(code.names, item).rpartition(".")[2]
    is_class = last[:1].isupper() and last != "Parameter"
    return item.type == "none" or (is_class and not re.search(rf"\bclass\s+{last}\s*:", code.text))
