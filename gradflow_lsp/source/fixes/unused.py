"""Layers that nothing calls: taken out, or called after all where the text shows what kept them from it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix
from .keeping import Kept, of_assignment
from .loops import fewer_rounds, return_after
from .syntax import arguments, around, attributes, called, class_of, function_of, mentions, method_name, positional

_WALKS = re.compile(r"\b(?:named_)?(?:children|modules)\(|\b_modules\b")
"""How layers are called without being named."""
_DYNAMIC = re.compile(r"""\bgetattr\((?![^,()]*,\s*["'])|\b(?:vars|attrgetter)\(|\b__dict__\b""")
"""How layers are asked for by a name that is put together."""
_CONTAINERS = ("torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.Sequential")
_ADDERS = ("add_module", "register_module")


def not_called(code: Code) -> Iterator[Fix]:
    """Delete what defines a layer, where nothing else in the file mentions it; or mend the loop that leaves it out."""
    made = code.node
    assignment = next(around(made, "assignment"), None) if made is not None else None
    kept = of_assignment(assignment) if assignment is not None else None
    if made is None:
        return
    found = [*_named_in_a_string(code, made)] if kept is None else [*_kept_for_nothing(code, kept, made)]
    container = kept.name if kept is not None else _filled_container(made)
    if not found and container:
        found = [*return_after(code, made, container)]
    yield from found or fewer_rounds(code, made, container)


def _kept_for_nothing(code: Code, kept: Kept, made: Node) -> Iterator[Fix]:
    """Delete an assignment, or one item of what it assigns."""
    statement = kept.assignment.parent
    if statement is None or statement.type != "expression_statement":
        return
    if _DYNAMIC.search(code.text) or any(node.type == "named_expression" for node in descendants(made)):
        return
    is_whole = kept.value == made or not _WALKS.search(code.text)
    if is_whole and _times_mentioned(code, kept.name) == 1:
        yield Fix(titles.remove_unused(f"self.{kept.name}"), (code.delete(statement),))
    elif kept.value != made and called(code.names, kept.value) in _CONTAINERS:
        yield from _one_item(code, kept, made)


def _times_mentioned(code: Code, name: str) -> int:
    """Return how often a file mentions an attribute, also in comments and strings; locals of that name are others."""
    words = len(re.findall(rf"\b{re.escape(name)}\b", code.text))
    return words - sum(len(mentions(top, name)) for top in code.top_level())


def _one_item(code: Code, kept: Kept, made: Node) -> Iterator[Fix]:
    """Delete an item of a list or dict of layers that are only ever asked for one by one, and never this one."""
    keys = _keys_asked_for(code, kept)
    item = made.parent if made.parent is not None and made.parent.type == "pair" else made
    display = item.parent
    if keys is None or display is None or display.type not in ("list", "dictionary", "argument_list"):
        return
    if display != kept.value.child_by_field_name("arguments") and positional(kept.value) != [display]:
        return
    written = [one for one in display.named_children if one.type != "comment"]
    if item not in written or any(one.type in ("list_splat", "dictionary_splat") for one in written):
        return
    if item.type == "pair":
        key = text_of(item.child_by_field_name("key"))
        unused = key[:1] in "\"'" and key[1:-1] not in {one[1:-1] for one in keys}
    else:
        key = str(written.index(item))
        unused = all(one.isdigit() and int(one) < written.index(item) for one in keys)  # no other moves up
    if unused:
        yield Fix(titles.remove_unused(f"self.{kept.name}[{key}]"), (code.drop_item(item),))


def _keys_asked_for(code: Code, kept: Kept) -> list[str] | None:
    """Return the literal keys with which a container is read; `None` where anything else is done with it."""
    owner = class_of(kept.assignment)
    uses = [one for one in attributes(owner, kept.name) if one.parent != kept.assignment] if owner is not None else []
    if _times_mentioned(code, kept.name) != len(uses) + 1 or not uses:
        return None
    keys = [one.parent.child_by_field_name("subscript") if one.parent is not None else None for one in uses]
    found = [text_of(key) for key in keys if key is not None and key.type in ("integer", "string")]
    return found if len(found) == len(uses) else None


def _named_in_a_string(code: Code, made: Node) -> Iterator[Fix]:
    """Delete `self.add_module("name", …)`, where nothing else mentions the name."""
    call = next(around(made, "call"), None)
    given = arguments(call) if call is not None else []
    statement = call.parent if call is not None else None
    at = 0 if method_name(call) in _ADDERS else 1
    if call is None or statement is None or statement.type != "expression_statement" or given[at + 1 :] != [made]:
        return
    is_adder = method_name(call) in _ADDERS or called(code.names, call) == "setattr"
    name = given[at]
    if is_adder and name.type == "string" and not any(one.type == "interpolation" for one in name.named_children):
        word = text_of(name)[1:-1]
        if len(re.findall(rf"\b{re.escape(word)}\b", code.text)) == 1 and not _WALKS.search(code.text):
            yield Fix(titles.remove_unused(f"self.{word}"), (code.delete(statement),))


def _filled_container(made: Node) -> str:
    """Return the name of the container that a layer is put into: `layers` for `self.layers.append(…)`."""
    for holder in around(made):
        if holder.type == "function_definition":
            break
        left = holder.child_by_field_name("left") if holder.type == "assignment" else None
        place = left.child_by_field_name("value") if left is not None and left.type == "subscript" else None
        if method_name(holder) == "append":
            function = holder.child_by_field_name("function")
            place = function.child_by_field_name("object") if function is not None else None
        if place is not None and text_of(place).startswith("self.") and function_of(place) is not None:
            return text_of(place).removeprefix("self.")
    return ""
