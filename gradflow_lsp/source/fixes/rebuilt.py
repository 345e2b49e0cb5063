"""Layers that each forward builds anew: built once, where the module is set up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix, Replacement
from .keeping import is_taken
from .syntax import (
    arguments,
    around,
    attributes,
    called,
    class_of,
    function_of,
    mentions,
    method_name,
    simple_statement,
)

_LAYER = re.compile(r"torch\.nn\.[A-Z]\w+")
_SCOPES = ("class_definition", "function_definition", "lambda")
_LAZY = re.compile(r"torch\.nn\.(?:Linear|Conv[123]d|ConvTranspose[123]d)")
"""The layers that torch also has with a width to be read off the first input."""


def rebuilt(code: Code) -> Iterator[Fix]:
    """Move a layer from the method that builds it for each call to the constructor."""
    made = code.call
    assignment = made.parent if made is not None else None
    statement = simple_statement(made) if made is not None else None
    method = function_of(made) if made is not None else None
    setup = _constructor(made) if made is not None else None
    if made is None or assignment is None or statement is None or method is None or setup is None:
        return
    target = assignment.child_by_field_name("left")
    if assignment.type != "assignment" or target is None or target.type != "identifier" or method == setup:
        return
    name, owner = text_of(target), class_of(made)
    uses = [use for use in mentions(method, name) if use != target]
    once = statement.parent == method.child_by_field_name("body") and uses and all(map(_is_called, uses))
    if not once or owner is None or attributes(owner, name) or is_taken(name, owner) or not _is_of_self(method, setup):
        return
    if not _LAYER.fullmatch(called(code.names, made)):
        return
    written = _written_once(code, made, setup)
    body = setup.child_by_field_name("body")
    if written is None or body is None:
        return
    layer, imports = written
    last = body.named_children[-1]
    line = f"{code.newline(last.start_byte)}{code.indent(last.start_byte)}self.{name} = {layer}"
    end = last.end_byte + len(code.rest_of_line(last.end_byte).rstrip())
    changes = [*imports, code.replace(end, end, line), code.delete(statement)]
    yield Fix(titles.build_once(name), (*changes, *(code.swap(use, f"self.{name}") for use in uses)))


def _constructor(made: Node) -> Node | None:
    """Return the constructor of the module around, if it sets the module up in plain steps."""
    owner = class_of(made)
    body = owner.child_by_field_name("body") if owner is not None else None
    for one in body.named_children if body is not None else ():
        if one.type == "function_definition" and text_of(one.child_by_field_name("name")) == "__init__":
            inner = one.child_by_field_name("body")
            steps = inner.named_children if inner is not None else []
            calls_super = any(method_name(node) == "__init__" for step in steps for node in descendants(step))
            returns = any(node.type == "return_statement" for step in steps for node in descendants(step))
            ends = bool(steps) and steps[-1].type not in ("raise_statement", "comment") and not returns
            return one if calls_super and ends else None
    return None


def _is_of_self(method: Node, setup: Node) -> bool:
    """Tell whether a method and the constructor both have the module as `self`, each on lines of its own."""
    for one in (method, setup):
        given, body = one.child_by_field_name("parameters"), one.child_by_field_name("body")
        first = given.named_children[:1] if given is not None else []
        if [text_of(name) for name in first] != ["self"] or body is None or one.parent is None:
            return False
        if body.start_point.row == one.start_point.row or class_of(one) != next(around(one, *_SCOPES), None):
            return False
    return True


def _is_called(use: Node) -> bool:
    return use.parent is not None and use.parent.type == "call" and use.parent.child_by_field_name("function") == use


def _is_bound(use: Node) -> bool:
    holder = use.parent
    is_assignment = holder is not None and holder.type in ("assignment", "augmented_assignment", "for_statement")
    return holder is not None and is_assignment and holder.child_by_field_name("left") == use


def _written_once(code: Code, made: Node, setup: Node) -> tuple[str, tuple[Replacement, ...]] | None:
    """Return how the constructor writes a layer, and what it imports for that; `None` where it lacks what it takes."""
    given = arguments(made)
    if all(_is_known(code, one, setup) for one in given):
        return text_of(made), ()
    name, function = called(code.names, made), made.child_by_field_name("function")
    is_width = given and re.fullmatch(r"\w+\.(?:size\((?:-1|1)\)|shape\[(?:-1|1)\])", text_of(given[0]))
    if not is_width or not _LAZY.fullmatch(name) or function is None or len(given) < 2:
        return None
    if not all(_is_known(code, one, setup) for one in given[1:]):
        return None
    spelled, imports = code.names.spell(name.replace("torch.nn.", "torch.nn.Lazy"))
    rest = code.data[given[1].start_byte : made.end_byte].decode("utf-8", "surrogatepass")
    return f"{spelled}({rest}", imports


def _is_known(code: Code, value: Node, setup: Node) -> bool:
    """Tell whether an expression means the same in a constructor: numbers, imports, what is set there alone."""
    owner, body = class_of(setup), setup.child_by_field_name("body")
    steps = [step for step in body.named_children if step.type == "expression_statement"] if body is not None else []
    set_up = {text_of(step.named_children[0].child_by_field_name("left")) for step in steps if step.named_children}
    for node in (value, *descendants(value)):
        if node.type == "attribute" and text_of(node.child_by_field_name("object")) == "self":
            name = text_of(node.child_by_field_name("attribute"))
            bound = [one for one in attributes(owner, name) if _is_bound(one)] if owner is not None else []
            if len(bound) != 1 or text_of(node) not in set_up:
                return False
        elif node.type == "identifier" and text_of(node) != "self":
            holder = node.parent
            is_label = holder is not None and (
                holder.child_by_field_name("attribute") == node
                or (holder.type == "keyword_argument" and holder.child_by_field_name("name") == node)
            )
            if not is_label and not code.names.is_of_the_file(text_of(node)):
                return False
    return True
