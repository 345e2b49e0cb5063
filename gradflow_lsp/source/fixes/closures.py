"""Layers that only a lambda holds: the function that returns it returns a module of its own instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix
from .keeping import can_register, is_taken, of_assignment
from .names import bound
from .syntax import called, function_of, mentions

_REGISTERED = re.compile(r"torch\.nn\.[A-Z]\w*")


def as_module(code: Code, parameters: Sequence[str]) -> Iterator[Fix]:
    """Make a module of `return lambda x: layer(x)`, where a module keeps what the function returns."""
    made, factory = code.node, function_of(code.node) if code.node is not None else None
    body = factory.child_by_field_name("body") if factory is not None else None
    if made is None or factory is None or body is None or factory.parent is None or factory.parent.type != "module":
        return
    last = body.named_children[-1]
    function = last.named_children[0] if last.type == "return_statement" and last.named_child_count else None
    name, kept = text_of(factory.child_by_field_name("name")), _kept_as(code, factory)
    held = [*_held(code, body, function)] if function is not None and function.type == "lambda" else []
    if function is None or len(kept) != 1 or not held or mentions(function, "self") or mentions(function, "super"):
        return
    if not all(re.search(rf"(?:^|\.){kept[0]}\.(?:{'|'.join(held)})(?:\.|$)", one) for one in parameters):
        return
    if any(is_taken(one) for one in held) or not {*held}.isdisjoint(bound(function)):
        return
    title = "".join(part.capitalize() for part in kept[0].split("_"))
    if not title.isidentifier() or re.search(rf"\b{title}\b", code.text):
        return
    spelled, imports = code.names.spell("torch.nn.Module")
    text = _module(code, last, title, spelled, held, function)
    yield Fix(titles.return_module(name), (*imports, code.swap(last, text)))


def _kept_as(code: Code, factory: Node) -> list[str]:
    """Return the attributes that modules of the file keep the results of a function as; none if one cannot be told."""
    name = text_of(factory.child_by_field_name("name"))
    found: list[str] = []
    for top in code.top_level():
        for use in mentions(top, name):
            call = use.parent
            if use == factory.child_by_field_name("name"):
                continue
            kept = of_assignment(call.parent) if call is not None and call.parent is not None else None
            if kept is None or kept.value != call or not can_register(kept):
                return []
            found.append(kept.name)
    return found


def _held(code: Code, body: Node, function: Node) -> Iterator[str]:
    """Yield the names of the layers and parameters that a function made and its lambda uses."""
    for step in body.named_children:
        assignment = step.named_children[0] if step.type == "expression_statement" and step.named_child_count else None
        target = assignment.child_by_field_name("left") if assignment is not None else None
        value = assignment.child_by_field_name("right") if assignment is not None else None
        is_used = target is not None and target.type == "identifier" and mentions(function, text_of(target))
        if is_used and _REGISTERED.fullmatch(called(code.names, value)):
            yield text_of(target)


def _module(code: Code, last: Node, title: str, base: str, held: list[str], function: Node) -> str:
    """Return the class that does what a lambda does, and the statement that returns one."""
    given, expression = function.child_by_field_name("parameters"), function.child_by_field_name("body")
    assert expression is not None
    text = code.data[expression.start_byte : expression.end_byte]
    uses = [
        node for name in held for node in (expression, *descendants(expression)) if node in mentions(function, name)
    ]
    for use in sorted(uses, key=lambda node: node.start_byte, reverse=True):
        at = use.start_byte - expression.start_byte
        text = text[:at] + b"self." + text[at:]
    one = code.indent(last.start_byte)
    lines = [
        f"class {title}({base}):",
        f"{one}def __init__(self):",
        f"{one * 2}super().__init__()",
        *(f"{one * 2}self.{name} = {name}" for name in held),
        "",
        f"{one}def forward({', '.join(filter(None, ('self', text_of(given))))}):",
        f"{one * 2}return {text.decode('utf-8', 'surrogatepass')}",
        "",
        f"return {title}()",
    ]
    newline = code.newline(last.start_byte)
    return newline.join(line if at == 0 or not line else f"{one}{line}" for at, line in enumerate(lines))
