"""`.detach()` and `.data`: taken out, or the change in place that they allowed written as an ordinary one."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix
from .stores import read_back
from .syntax import around, called, function_of, mentions, method_name, positional, receiver, simple_statement, tight

_LEAVES = ("numpy", "__array__")
"""What a tensor that needs a gradient refuses."""
_OPERATORS = {"+=": "+", "-=": "-", "*=": "*", "/=": "/", "@=": "@", "**=": "**"}
_OUT_OF_PLACE = ("add_", "sub_", "mul_", "div_", "clamp_", "masked_fill_", "addcmul_", "index_add_", "index_copy_")


def detach(code: Code) -> Iterator[Fix]:
    """Take the detach out."""
    for call in code.method_calls("detach", "detach_"):
        if called(code.names, call) != "torch.detach" and not positional(call):
            yield from _drop(code, call, ".detach()")
            return
    for call in code.within("call"):
        if called(code.names, call) in ("torch.detach", "torch.Tensor.detach") and len(positional(call)) == 1:
            yield Fix(titles.remove("torch.detach()"), (code.swap(call, tight(positional(call)[0])),), preferred=True)
            return
    yield from _detach_of_each(code)


def data_access(code: Code) -> Iterator[Fix]:
    """Take the `.data` out."""
    found = [node for node in code.within("attribute") if text_of(node.child_by_field_name("attribute")) == "data"]
    if len(found) == 1:
        yield from _drop(code, found[0], ".data")


def _drop(code: Code, link: Node, what: str) -> Iterator[Fix]:
    """Take one link out of a chain, unless something then refuses the tensor or a store keeps the whole graph."""
    value, statement = receiver(link), simple_statement(link)
    if value is None or _is_straight_through(link) or _goes_to_numpy(code, link):
        return
    if statement is not None and (target := _changed_in_place(link)) is not None:
        found = [*_out_of_place(code, link, target, statement, what)]
        yield from found or read_back(code, statement)
        return
    if _is_stored_into_a_slice(link):
        yield from read_back(code, statement) if statement is not None else ()
        return
    wrapper = _variable_around(code, link)
    stores = _later_stores(link, statement)
    title = titles.remove_but_store(what, text_of(stores[0])) if stores else titles.remove(what)
    if statement is not None and _is_nothing_else(link, value, statement):
        change = code.delete(statement)
    elif wrapper is not None:
        change, title = code.swap(wrapper, tight(value)), titles.write_instead(text_of(value))
    else:
        change = code.drop_last_part(link)
    cut = [code.replace(mention.end_byte, mention.end_byte, ".detach()") for mention in stores]
    yield Fix(title, (change, *cut), preferred=not _is_state(link, value))


def _is_state(link: Node, value: Node) -> bool:
    """Tell whether a value is carried from step to step: cut off, that keeps one step's graph out of the next."""
    if value.type == "attribute" or any(around(link, "for_statement", "while_statement")):
        return True
    assignment = next(around(link, "assignment"), None)
    target = assignment.child_by_field_name("left") if assignment is not None else None
    return target is not None and target.type in ("attribute", "subscript")


def _later_stores(link: Node, statement: Node | None) -> list[Node]:
    """Return where the value is written into a tensor that outlives the call: there the cut is still needed."""
    assignment = statement.named_children[0] if statement is not None and statement.named_child_count else None
    scope = function_of(link)
    target = assignment.child_by_field_name("left") if assignment is not None else None
    if statement is None or scope is None or target is None or target.type != "identifier":
        return []
    found = {
        mention.start_byte: mention
        for node in descendants(scope)
        if node.start_byte >= statement.end_byte and _writes_into_an_attribute(node)
        for mention in mentions(node, text_of(target))
        if mention.parent is None or not text_of(mention.parent).endswith((".detach", ".data"))
    }
    return list(found.values())


def _writes_into_an_attribute(node: Node) -> bool:
    name = method_name(node)
    if name.endswith("_") and not name.endswith("__"):
        value = receiver(node)
        return value is not None and value.type == "attribute"
    left = node.child_by_field_name("left") if node.type in ("assignment", "augmented_assignment") else None
    if left is None:
        return False
    if left.type == "attribute":
        return node.type == "augmented_assignment"
    value = left.child_by_field_name("value")
    return left.type == "subscript" and value is not None and value.type == "attribute"


def _is_nothing_else(link: Node, value: Node, statement: Node) -> bool:
    """Tell whether a statement does nothing once the link is gone: `x = x.detach()`, or `x.detach_()` alone."""
    inner = statement.named_children[0] if statement.named_child_count else None
    if statement.type != "expression_statement" or inner is None:
        return False
    if inner == link:
        return True
    is_assignment = inner.type == "assignment" and inner.child_by_field_name("right") == link
    return is_assignment and text_of(inner.child_by_field_name("left")) == text_of(value)


def _goes_to_numpy(code: Code, link: Node) -> bool:
    """Tell whether numpy gets the value, which refuses a tensor that needs a gradient."""
    calls = [call for call in around(link, "call") if call.start_byte <= link.start_byte]
    return any(
        method_name(call) in _LEAVES or called(code.names, call).startswith(("numpy.", "scipy.", "torch.from_numpy"))
        for call in calls
    )


def _is_straight_through(link: Node) -> bool:
    """Tell whether a detach carries the gradient past `q`: `z + (q - z).detach()`, `z - z.detach() + q.detach()`."""
    outer, value = link.parent, receiver(link)
    if outer is None or value is None or outer.type != "binary_operator":
        return False
    sides = [outer.child_by_field_name(side) for side in ("left", "right")]
    operator = text_of(outer.child_by_field_name("operator"))
    if operator == "-":
        return sides[1] == link and text_of(sides[0]) == text_of(value)
    if operator != "+":
        return False
    inner = value.named_children[0] if value.type == "parenthesized_expression" else None
    is_of_difference = text_of(inner.child_by_field_name("operator")) == "-" if inner is not None else False
    others = {text_of(side) for side in sides}
    if inner is not None and is_of_difference and text_of(inner.child_by_field_name("right")) in others:
        return True
    return any(_is_nought(side) for side in sides if side is not None and side != link)


def _is_nought(difference: Node) -> bool:
    """Tell whether an expression is `z - z.detach()`: nothing but a gradient."""
    if difference.type == "parenthesized_expression":
        difference = difference.named_children[0]
    left, right = difference.child_by_field_name("left"), difference.child_by_field_name("right")
    is_difference = text_of(difference.child_by_field_name("operator")) == "-"
    return is_difference and method_name(right) == "detach" and text_of(right and receiver(right)) == text_of(left)


def _changed_in_place(link: Node) -> Node | None:
    """Return the call, or the assignment, that writes through the link: `x.data += y`, `x.detach().add_(y)`."""
    parent = link.parent
    place: Node = link
    if parent is not None and parent.type == "subscript" and parent.child_by_field_name("value") == link:
        place = parent
    holder = place.parent
    if holder is not None and holder.type in ("assignment", "augmented_assignment"):
        return holder if holder.child_by_field_name("left") == place else None
    outer = holder.parent if holder is not None and holder.type == "attribute" else None
    name = method_name(outer)
    return outer if name.endswith("_") and name != "requires_grad_" else None


def _out_of_place(code: Code, link: Node, change: Node, statement: Node, what: str) -> Iterator[Fix]:
    """Write a change of a local tensor without the way around autograd; other tensors may be leaves, or be kept."""
    value = receiver(link)
    if value is None or value.type != "identifier" or statement.named_children[0] != change:
        return
    name = text_of(value)
    if change.type == "assignment":
        if change.child_by_field_name("left") != link:  # a slice of it
            yield Fix(titles.remove(what), (code.drop_last_part(link),), preferred=True)
        return
    if change.type == "augmented_assignment":
        left, right = change.child_by_field_name("left"), change.child_by_field_name("right")
        operator = _OPERATORS.get(text_of(change.child_by_field_name("operator")))
        if left == link and right is not None and operator is not None:
            text = f"{name} = {name} {operator} {tight(right)}"
            yield Fix(titles.write_instead(text), (code.swap(change, text),), preferred=True)
        return
    if method_name(change) in _OUT_OF_PLACE and receiver(change) == link:
        method = method_name(change).removesuffix("_")
        given = text_of(change.child_by_field_name("arguments"))
        title = titles.write_instead(f"{name} = {name}.{method}(…)")
        yield Fix(title, (code.swap(change, f"{name} = {name}.{method}{given}"),), preferred=True)


def _is_stored_into_a_slice(link: Node) -> bool:
    """Tell whether the value goes into a part of an attribute's tensor, which would keep every step's graph alive."""
    for assignment in around(link, "assignment"):
        left = assignment.child_by_field_name("left")
        value = left.child_by_field_name("value") if left is not None and left.type == "subscript" else None
        if left is not None and value is not None and value.type == "attribute":
            return any(node.type == "slice" for node in descendants(left))
    return False


def _variable_around(code: Code, link: Node) -> Node | None:
    """Return the old `Variable(x.data)` around a link, which cuts the value off once more."""
    call = next(around(link, "call"), None)
    if call is None or called(code.names, call) not in ("torch.autograd.Variable", "torch.autograd.variable.Variable"):
        return None
    return call if positional(call) == [link] else None


def _detach_of_each(code: Code) -> Iterator[Fix]:
    """Take the map out of `list(map(torch.detach, outputs))`."""
    for call in code.within("call"):
        given = positional(call)
        is_map = called(code.names, call) == "map" and len(given) == 2
        if is_map and code.names.meaning(given[0]) in ("torch.detach", "torch.Tensor.detach"):
            yield Fix(titles.remove("map(torch.detach, …)"), (code.swap(call, tight(given[1])),), preferred=True)
