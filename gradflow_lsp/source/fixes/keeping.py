"""What a module keeps under a name of its own, and whether it could register it there."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from ..parsing import descendants, text_of
from .syntax import around, class_of, function_of, method_name, receiver

_OF_MODULES = {
    "T_destination", "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children", "compile", "cpu",
    "cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer", "get_extra_state",
    "get_parameter", "get_submodule", "half", "ipu", "load_state_dict", "modules", "mtia", "named_buffers",
    "named_children", "named_modules", "named_parameters", "parameters", "register_buffer", "register_module",
    "register_parameter", "requires_grad_", "set_extra_state", "set_submodule", "share_memory", "state_dict", "to",
    "to_empty", "train", "training", "type", "xpu", "zero_grad",
}  # fmt: skip


def is_taken(name: str, owner: Node | None = None) -> bool:
    """Tell whether an attribute of this name would hide, or be hidden by, one of every module's, or one of a class."""
    methods = {
        text_of(node.child_by_field_name("name"))
        for node in (descendants(owner) if owner is not None else ())
        if node.type == "function_definition"
    }
    return name in _OF_MODULES or name in methods


@dataclass(frozen=True)
class Kept:
    """The assignment `self.<name> = <value>` through which a module keeps what was made."""

    name: str
    assignment: Node
    value: Node


def kept_by(made: Node) -> Kept | None:
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
            return of_assignment(holder) or _first_value(made, left)
        if method_name(holder) in ("append", "insert", "extend", "add"):
            return _first_value(made, receiver(holder))
        if holder.type in ("function_definition", "lambda", "class_definition", "block"):
            return None
    return None


def of_assignment(assignment: Node) -> Kept | None:
    """Return what an assignment makes a module keep, `None` if that is nothing."""
    left, value = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    if left is None or value is None or left.type != "attribute" or text_of(receiver(left)) != "self":
        return None
    return Kept(text_of(left.child_by_field_name("attribute")), assignment, value)


def _first_value(made: Node, container: Node | None) -> Kept | None:
    """Return where a container that is filled later is kept: `self.maps = {}`, or `self.layers = layers`."""
    owner, scope = class_of(made), function_of(made)
    if container is None or owner is None or scope is None:
        return None
    for node in descendants(owner if container.type == "attribute" else scope):
        kept = of_assignment(node) if node.type == "assignment" else None
        if kept is None or kept.value.type == "none":
            continue
        is_it = kept.assignment.child_by_field_name("left") if container.type == "attribute" else kept.value
        if text_of(is_it) == text_of(container):
            return kept
    return None


def can_register(kept: Kept) -> bool:
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
        for one in [of_assignment(node)]
        if one is not None and one.name == kept.name
    ]
    return all(value is not None and value.type == "none" for value in others)
