"""Layers and tensors that a module keeps where it cannot see them: registered where they are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from ..parsing import descendants, statements, text_of
from . import titles
from .closures import as_module
from .code import Code
from .containers import container_of, in_containers
from .edits import Fix
from .keeping import Kept, can_register, kept_by, of_assignment
from .rebuilt import rebuilt
from .syntax import arguments, called, class_of, keyword, method_name, receiver, simple_statement

_SWITCHED_ON = re.compile(r"self\.(\w+)\.requires_grad(?:_\(\)|_\(True\)|\s*=\s*True)")


def unregistered(code: Code, parameters: Sequence[str]) -> Iterator[Fix]:
    """Register what a module keeps; `parameters` are the paths at which the report found it."""
    made = code.node
    kept = kept_by(made) if made is not None else None
    if made is None:
        return
    if kept is not None:
        yield from _registering(code, kept, parameters)
    elif (found := _SWITCHED_ON.fullmatch(text_of(simple_statement(made)))) is not None:
        yield from _switched_on(code, made, found[1], parameters)
    else:
        yield from [*rebuilt(code)] or as_module(code, parameters)


def _switched_on(code: Code, made: Node, name: str, parameters: Sequence[str]) -> Iterator[Fix]:
    """Make a parameter of what a module keeps, where its grad is switched on by a statement of its own."""
    owner, statement = class_of(made), simple_statement(made)
    for node in descendants(owner) if owner is not None and statement is not None else ():
        kept = of_assignment(node) if node.type == "assignment" and node.end_byte < made.start_byte else None
        if kept is not None and kept.name == name and statement is not None:
            for fix in _registering(code, kept, parameters):
                yield replace(fix, replacements=(*fix.replacements, code.delete(statement)))
            return


def unregistered_by_name(text: str, parameters: Sequence[str]) -> Iterator[Fix]:
    """Register what a module keeps in the container that the paths name, wherever its layers were made."""
    names = {match[1] if (match := re.search(r"(\w+)\[", parameter)) else "" for parameter in parameters}
    places = [
        statement.span(node)
        for statement in statements(text)
        for node in descendants(statement.node)
        if node.type == "assignment" and (kept := of_assignment(node)) and kept.value.type != "none"
        if kept.name in names
    ]
    code = Code.at(text, places[0]) if len(names) == len(places) == 1 else None
    kept = of_assignment(code.node) if code is not None and code.node is not None else None
    if code is not None and kept is not None:
        yield from _registering(code, kept, parameters)


def _registering(code: Code, kept: Kept, parameters: Sequence[str]) -> Iterator[Fix]:
    if not can_register(kept):
        return
    found = [place for place in (_place(parameter, kept.name) for parameter in parameters) if place is not None]
    if len({(tuple(map(container_of, keys)), leaf) for keys, leaf in found}) != 1:
        return
    keys, leaf = found[0]
    if keys:
        yield from in_containers(code, kept, [keys for keys, _ in found], leaf)
    elif leaf:
        yield from _as_parameter(code, kept)


def _place(parameter: str, name: str) -> tuple[list[str], bool] | None:
    """Return the keys that lead on from an attribute, and whether the parameter itself lies there: no layer's."""
    key = r"\[(?:\"[^\"]*\"|'[^']*'|[^\]]*)\]"
    found = re.search(rf"(?:^|\.){re.escape(name)}((?:{key})*)(\..*)?$", parameter)
    if found is None:
        return None
    return [one[1:-1] for one in re.findall(key, found[1])], found[2] is None


def _as_parameter(code: Code, kept: Kept) -> Iterator[Fix]:
    """Make a parameter of the whole value, where it is reckoned from the tensor that was to learn."""
    if any(
        node.type in ("conditional_expression", "boolean_operator") for node in (kept.value, *descendants(kept.value))
    ):
        return
    if any(_is_of_a_layer(side) for side in (kept.value, *descendants(kept.value))):
        return  # its own gradient would end in the parameter
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


def _is_of_a_layer(operand: Node) -> bool:
    """Tell whether something is reckoned with what a layer has or gives: `… * self.proj.weight`."""
    if operand.parent is None or operand.parent.type != "binary_operator":
        return False
    return re.match(r"self\.\w+[.(]", text_of(operand)) is not None


def _argument(call: Node, argument: Node) -> tuple[int, int, str]:
    """Return the bytes of an argument with the comma that it brought."""
    given = arguments(call)
    at = given.index(argument)
    if at > 0:
        return given[at - 1].end_byte, argument.end_byte, ""
    return argument.start_byte, given[1].start_byte if len(given) > 1 else argument.end_byte, ""
