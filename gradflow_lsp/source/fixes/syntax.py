"""Questions about syntax nodes: what a call calls and is given, what holds a node, where a name is mentioned."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from ..parsing import descendants, text_of
from .names import Names

_SIMPLE = ("expression_statement", "return_statement", "assert_statement", "delete_statement", "raise_statement")
_TIGHT = (
    "identifier", "attribute", "call", "subscript", "parenthesized_expression", "list", "tuple", "dictionary", "set",
    "string", "integer", "float", "list_comprehension", "dictionary_comprehension", "true", "false", "none",
)  # fmt: skip
"""Expressions that stay one piece whatever operator stands beside them."""
_CLOSED = (
    "argument_list", "parenthesized_expression", "list", "tuple", "dictionary", "set", "string", "list_comprehension",
    "dictionary_comprehension", "set_comprehension", "generator_expression",
)  # fmt: skip
"""What has brackets, or quotes, around it."""


def last_part(node: Node) -> int:
    """Return where the last link of a chain begins: at the dot of `x.detach()` or `x.data`, else the node's start."""
    attribute = node.child_by_field_name("function") if node.type == "call" else node
    if attribute is None or attribute.type != "attribute":
        return node.start_byte
    return next(child.start_byte for child in attribute.children if child.type == ".")


def last_name(node: Node) -> int:
    """Return where the last name of a chain begins: in a chain over several lines, a range may begin behind the dot."""
    attribute = node.child_by_field_name("function") if node.type == "call" else node
    name = attribute.child_by_field_name("attribute") if attribute is not None else None
    return name.start_byte if name is not None else node.start_byte


def method_name(call: Node | None) -> str:
    """Return `detach` for `x.detach()`, empty for anything but the call of a method."""
    function = call.child_by_field_name("function") if call is not None and call.type == "call" else None
    is_method = function is not None and function.type == "attribute"
    return text_of(function.child_by_field_name("attribute")) if function is not None and is_method else ""


def receiver(call: Node) -> Node | None:
    """Return `x` of `x.detach()` or of `x.data`."""
    function = call.child_by_field_name("function") if call.type == "call" else call
    return function.child_by_field_name("object") if function is not None else None


def called(names: Names, node: Node | None) -> str:
    """Return the full name of what a call calls, empty for anything else."""
    return names.meaning(node.child_by_field_name("function")) if node is not None and node.type == "call" else ""


def arguments(call: Node) -> list[Node]:
    """Return the arguments of a call as they are written, keywords and stars among them."""
    found = call.child_by_field_name("arguments")
    if found is None or found.type != "argument_list":
        return []
    return [node for node in found.named_children if node.type != "comment"]


def positional(call: Node) -> list[Node]:
    """Return the plain positional arguments of a call; none at all where one of them is starred."""
    found = arguments(call)
    if any(node.type in ("list_splat", "dictionary_splat") for node in found):
        return []
    return [node for node in found if node.type != "keyword_argument"]


def keyword(call: Node, name: str) -> Node | None:
    """Return the keyword argument of a name, as it is written."""
    return next(
        (
            node
            for node in arguments(call)
            if node.type == "keyword_argument" and text_of(node.child_by_field_name("name")) == name
        ),
        None,
    )


def tight(node: Node) -> str:
    """Return the source of an expression in such a form that an operator or a dot may follow."""
    text = text_of(node)
    return text if node.type in _TIGHT and not goes_on(node) else f"({text})"


def has_comments(outer: Node, inner: Node | None = None) -> bool:
    """Tell whether comments would be lost with a piece of code of which only a part is kept."""
    return any(
        node.type == "comment" and (inner is None or not inner.start_byte <= node.start_byte < inner.end_byte)
        for node in descendants(outer)
    )


def goes_on(node: Node) -> bool:
    """Tell whether an expression goes on in another line without brackets of its own, as a chain of calls can."""
    if node.type in _CLOSED or node.text is None:
        return False
    for one, following in pairwise(node.children):
        between = node.text[one.end_byte - node.start_byte : following.start_byte - node.start_byte]
        if b"\n" in between or b"\r" in between:
            return True
    return any(map(goes_on, node.children))


def is_changed_in_place(scope: Node, name: str) -> bool:
    """Tell whether a piece of code writes into what a name stands for: `y += 1`, `y[0] = 1`, `y.add_(1)`."""
    for use in mentions(scope, name):
        holder = use.parent
        place = use
        if holder is not None and holder.type == "subscript" and holder.child_by_field_name("value") == use:
            place, holder = holder, holder.parent
        if holder is None:
            continue
        is_target = holder.child_by_field_name("left") == place
        if is_target and (holder.type == "augmented_assignment" or (holder.type == "assignment" and place != use)):
            return True
        method = method_name(holder.parent)
        if holder.type == "attribute" and method.endswith("_") and not method.endswith("__"):
            return True
    return False


def is_chained(assignment: Node) -> bool:
    """Tell whether one value gets several names: `a = b = x`."""
    right = assignment.child_by_field_name("right")
    is_outer = right is not None and right.type == "assignment"
    return is_outer or (assignment.parent is not None and assignment.parent.type == "assignment")


def around(node: Node, *types: str) -> Iterator[Node]:
    """Yield what holds a node, from the inside out; with types, only nodes of these."""
    parent = node.parent
    while parent is not None:
        if not types or parent.type in types:
            yield parent
        parent = parent.parent


def simple_statement(node: Node) -> Node | None:
    """Return the simple statement that a node is, or is a part of."""
    return next((one for one in (node, *around(node)) if one.type in _SIMPLE), None)


def function_of(node: Node) -> Node | None:
    """Return the innermost named function around a node."""
    return next(around(node, "function_definition"), None)


def class_of(node: Node) -> Node | None:
    """Return the innermost class around a node."""
    return next(around(node, "class_definition"), None)


def attributes(within: Node, name: str) -> list[Node]:
    """Return every mention `….name` in a piece of code."""
    return [
        node
        for node in descendants(within)
        if node.type == "attribute" and text_of(node.child_by_field_name("attribute")) == name
    ]


def mentions(within: Node, name: str) -> list[Node]:
    """Return every plain mention of a name in a piece of code."""
    return [
        node
        for node in descendants(within)
        if node.type == "identifier"
        and text_of(node) == name
        and not (node.parent is not None and node.parent.child_by_field_name("attribute") == node)
        and not (
            node.parent is not None
            and node.parent.type == "keyword_argument"
            and node.parent.child_by_field_name("name") == node
        )
    ]


def is_broken(node: Node) -> bool:
    """Tell whether the statement around a node does not parse."""
    holders = [node, *around(node)]
    statement = next((one for one in holders if one.type.endswith("_statement")), node)
    return statement.has_error or any(one.type == "ERROR" for one in holders)
