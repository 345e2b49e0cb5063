"""Values that a module stores and reads back: the store keeps its cut, what reads on takes the value itself."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import text_of
from . import titles
from .code import Code
from .edits import Fix, Replacement
from .syntax import (
    arguments,
    attributes,
    called,
    function_of,
    has_comments,
    keyword,
    mentions,
    method_name,
    positional,
    receiver,
    tight,
)


def read_back(code: Code, statement: Node, outer: Node | None = None) -> Iterator[Fix]:
    """Keep what a statement stores in an attribute under a local name too, and read that from there on.

    `outer` is the statement before which the value can be reckoned with grad: the `with` around, or the store itself.
    """
    outer, inner = outer or statement, statement.named_children[0] if statement.named_child_count else None
    place = _stored_in(inner) if inner is not None else None
    scope = function_of(statement)
    if place is None or inner is None or scope is None or outer.parent != scope.child_by_field_name("body"):
        return
    name = text_of(place.child_by_field_name("attribute"))
    later = [one for one in attributes(scope, name) if text_of(one) == text_of(place)]
    reads = [one for one in later if one.start_byte >= outer.end_byte]
    if not reads or mentions(scope, name) or any(map(_is_written, reads)):
        return
    made = _made_for(code, inner, place, name)
    if made is not None:
        value, stored = made
        line = f"{name} = {value}{code.newline(outer.start_byte)}{code.indent(outer.start_byte)}"
        before = code.replace(outer.start_byte, outer.start_byte, line)
        yield Fix(titles.read_local(name), (before, *stored, *(code.swap(read, name) for read in reads)))


def _stored_in(store: Node) -> Node | None:
    """Return the attribute of `self` that a store fills as a whole."""
    place: Node | None = None
    if method_name(store) == "copy_" and len(arguments(store)) == 1:
        place = receiver(store)
        if (
            place is not None
            and place.type == "attribute"
            and text_of(place.child_by_field_name("attribute")) == "data"
        ):
            place = receiver(place)
    elif store.type == "call" and (out := keyword(store, "out")) is not None:
        place = out.child_by_field_name("value")
    elif store.type == "assignment":
        left = store.child_by_field_name("left")
        if (
            left is not None
            and left.type == "subscript"
            and text_of(left.child_by_field_name("subscript")) in (":", "...")
        ):
            place = left.child_by_field_name("value")
    is_own = place is not None and place.type == "attribute" and text_of(receiver(place)) == "self"
    return place if is_own else None


def _made_for(code: Code, store: Node, place: Node, name: str) -> tuple[str, list[Replacement]] | None:
    """Return how the stored value is written by itself, and what the store becomes."""
    out = keyword(store, "out")
    if out is not None:
        function = text_of(store.child_by_field_name("function"))
        given = positional(store)
        is_plain = len(given) + 1 == len(arguments(store)) and not has_comments(store)
        if not called(code.names, store).startswith("torch.") or not is_plain:
            return None
        written = f"{function}({', '.join(map(text_of, given))})"
        return written, [code.swap(store, f"{text_of(place)}.copy_({name})")]
    value = store.child_by_field_name("right") or next(iter(positional(store)), None)
    while value is not None and method_name(value) == "detach":
        value = receiver(value)
    if value is None or "\n" in text_of(value):
        return None
    return f"{tight(value)}.expand_as({text_of(place)})", [code.swap(value, name)]


def _is_written(use: Node) -> bool:
    """Tell whether a mention writes into what it names."""
    holder = use.parent
    if holder is not None and holder.type == "subscript" and holder.child_by_field_name("value") == use:
        use, holder = holder, holder.parent
    if holder is None or holder.type == "attribute":
        name = method_name(holder.parent) if holder is not None else ""
        return name.endswith("_") or text_of(holder).endswith(".data")
    is_assigned = holder.type in ("assignment", "augmented_assignment") and holder.child_by_field_name("left") == use
    return is_assigned or (holder.type == "keyword_argument" and text_of(holder.child_by_field_name("name")) == "out")
