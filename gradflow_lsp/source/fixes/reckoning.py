"""Where a number goes that was taken out of a tensor, and whether the tensor would do there."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import text_of
from .code import Code
from .edits import Replacement
from .syntax import called, function_of, is_chained, mentions, simple_statement
from .wraps import PARAMETER, WRAPS, unwrapping

_ARITHMETIC = ("+", "-", "*", "/", "**", "+=", "-=", "*=", "/=")
TRANSPARENT = ("binary_operator", "parenthesized_expression", "unary_operator")
"""What an operand of some arithmetic may stand in."""


def reckoned_with(code: Code, number: Node) -> list[Replacement] | None:
    """Return what unwraps the results of a number, if all that is done with it but wrapping is arithmetic.

    There a tensor of one element does what a number does. `None` where the number may be needed as one.
    """
    changes: list[Replacement] = []
    names: set[str] = set()
    pending = [(number, True)]  # whether what stands there was a number
    while pending:
        node, was_number = pending.pop()
        top = _expression(node)
        is_number = was_number and all(_is_number(other) for other in _operands(node, top))
        holder = top.parent
        wrap = holder.parent if holder is not None and holder.type == "argument_list" else None
        if wrap is not None and called(code.names, wrap) in (*WRAPS, *PARAMETER):
            change = unwrapping(code, wrap)
            if change is None:
                return None
            changes += change
        elif holder is not None and holder.type in ("assignment", "augmented_assignment"):
            if is_chained(holder):
                return None
            reads = uses(holder)
            if is_number and not reads:
                return None
            if text_of(holder.child_by_field_name("left")) not in names:
                names.add(text_of(holder.child_by_field_name("left")))
                pending += [(use, is_number) for use in reads]
        elif is_number:
            return None
    return list(dict.fromkeys(changes))


def uses(assignment: Node) -> list[Node]:
    """Return where a function reads the name that an assignment binds."""
    target, scope = assignment.child_by_field_name("left"), function_of(assignment)
    if target is None or target.type != "identifier" or scope is None or simple_statement(assignment) is None:
        return []
    return [use for use in mentions(scope, text_of(target)) if not _is_target(use)]


def _operands(node: Node, top: Node) -> Iterator[Node]:
    """Yield what a node is reckoned with up to the whole expression."""
    while node != top and node.parent is not None:
        yield from (child for child in node.parent.named_children if child != node)
        node = node.parent


def _is_number(node: Node) -> bool:
    """Tell whether an operand is a number by its looks."""
    is_length = node.type == "call" and text_of(node.child_by_field_name("function")) == "len"
    return node.type in ("integer", "float") or is_length


def _expression(node: Node) -> Node:
    """Return the whole arithmetic that a node takes part in."""
    while node.parent is not None and node.parent.type in TRANSPARENT:
        operator = node.parent.child_by_field_name("operator")
        if operator is not None and text_of(operator) not in _ARITHMETIC:
            break
        node = node.parent
    return node


def _is_target(use: Node) -> bool:
    holder = use.parent
    is_assignment = holder is not None and holder.type in ("assignment", "augmented_assignment")
    return holder is not None and is_assignment and holder.child_by_field_name("left") == use
