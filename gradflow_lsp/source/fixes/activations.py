"""Functions that are flat: a relu that is always 0, and steps such as round."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import (
    Code,
    arguments,
    around,
    attributes,
    called,
    class_of,
    function_of,
    mentions,
    method_name,
    positional,
    receiver,
    simple_statement,
    tight,
)
from .edits import Fix, Replacement

_STEPS = ("round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "bernoulli")
_RELUS = ("torch.relu", "torch.nn.functional.relu")
_PLAIN = (
    "identifier", "attribute", "integer", "float", "binary_operator", "unary_operator", "parenthesized_expression",
)  # fmt: skip
"""What costs nothing to write twice."""
_LAZY = (
    "lambda", "conditional_expression", "boolean_operator", "list_comprehension", "dictionary_comprehension",
    "set_comprehension", "generator_expression", "assert_statement",
)  # fmt: skip
"""What may never evaluate a part of it, or evaluates it many times."""
_NEVER_FLAT = re.compile(r"torch\.nn\.(?:(?:Lazy)?(?:Linear|Conv\w+)|\w*Norm\w*|Dropout\w*|Flatten|\w*Pool\w*)")
"""The layers beside which a dead activation can only be a ReLU."""


def zero_derivative(code: Code) -> Iterator[Fix]:
    """Write a step function so that its gradient is that of its input: `x + (round(x) - x).detach()`."""
    for call in code.within("call"):
        name = called(code.names, call)
        if name.startswith("torch.") and name.removeprefix("torch.") in _STEPS:
            given = positional(call)
            value, function = (given[0] if given else None), name.rpartition(".")[2]
        elif method_name(call) in _STEPS and not name.startswith(("math.", "numpy.")):
            value, function = receiver(call), method_name(call)
        else:
            continue
        if value is not None:
            yield from _straight_through(code, call, value, function)
        return


def _straight_through(code: Code, call: Node, value: Node, function: str) -> Iterator[Fix]:
    title = titles.straight_through(function)
    if all(node.type in _PLAIN for node in (value, *descendants(value))):
        x = tight(value)
        yield Fix(title, (code.swap(call, _in_its_place(call, f"{x} + ({text_of(call)} - {x}).detach()")),))
        return
    statement, scope = simple_statement(call), function_of(call)
    if statement is None or scope is None or any(node.type in _LAZY for node in _between(call, statement)):
        return
    if code.data[code.line_start(statement.start_byte) : statement.start_byte].strip():
        return
    name = next(name for name in ("smooth", *(f"smooth_{n}" for n in range(2, 100))) if not mentions(scope, name))
    start, end = value.start_byte - call.start_byte, value.end_byte - call.start_byte
    data = code.data[call.start_byte : call.end_byte]
    stepped = (data[:start] + name.encode() + data[end:]).decode("utf-8", "surrogatepass")
    written = tight(value) if "\n" in text_of(value) or "\r" in text_of(value) else text_of(value)
    before = f"{name} = {written}{code.newline(statement.start_byte)}{code.indent(statement.start_byte)}"
    after = _in_its_place(call, f"{name} + ({stepped} - {name}).detach()")
    if statement.start_byte == call.start_byte:
        yield Fix(title, (code.swap(call, before + after),))
    else:
        inserted = code.replace(statement.start_byte, statement.start_byte, before)
        yield Fix(title, (inserted, code.swap(call, after)))


def _in_its_place(call: Node, text: str) -> str:
    """Return a sum that stands where a call stood, in parentheses where something binds more tightly."""
    holder = call.parent.type if call.parent is not None else ""
    return f"({text})" if holder.endswith("_operator") or holder in ("attribute", "subscript", "await") else text


def _between(node: Node, end: Node) -> Iterator[Node]:
    """Yield what holds a node up to and with `end`."""
    for parent in around(node):
        yield parent
        if parent == end:
            return


def dead_activation(code: Code) -> Iterator[Fix]:
    """Put a leaky relu in place of a dead one."""
    for call in code.within("call"):
        if called(code.names, call) in _RELUS and not _is_hinge(call):
            yield from _leaky_call(code, call, positional(call))
            return
        if method_name(call) == "relu" and not called(code.names, call).startswith("torch."):
            yield from _leaky_method(code, call)
            return
    if code.call is not None:
        yield from _leaky_layer(code, code.call)


def _is_hinge(call: Node) -> bool:
    """Tell whether a relu is a loss's own: `relu(far - near + margin).mean()`, which is 0 where all is well."""
    given, holder = positional(call), call.parent
    outer = holder.parent if holder is not None and holder.type in ("attribute", "argument_list") else None
    if not given or given[0].type != "binary_operator" or outer is None:
        return False
    return text_of(outer.child_by_field_name("function")).rpartition(".")[2] in ("mean", "sum")


def _leaky_call(code: Code, call: Node, given: list[Node]) -> Iterator[Fix]:
    name, imports = code.names.spell("torch.nn.functional.leaky_relu")
    function = call.child_by_field_name("function")
    if function is None or not given or len(given) > 2:
        return
    changes = [*imports, code.swap(function, name), *_inplace_by_name(code, given[1:])]
    yield Fix(titles.leaky("leaky_relu"), tuple(changes))


def _leaky_method(code: Code, call: Node) -> Iterator[Fix]:
    value = receiver(call)
    if value is None or arguments(call):
        return
    name, imports = code.names.spell("torch.nn.functional.leaky_relu")
    before, after = code.replace(value.start_byte, value.start_byte, f"{name}("), code.drop_last_part(call)
    yield Fix(titles.leaky("leaky_relu"), (*imports, before, Replacement(after.span, ")")))


def _leaky_layer(code: Code, call: Node) -> Iterator[Fix]:
    """Mend the layer that is called: a ReLU itself, or a stack whose only activations are such."""
    layer, owner = call.child_by_field_name("function"), class_of(call)
    if layer is None or layer.type != "attribute" or owner is None or receiver(layer) is None:
        return
    name = text_of(layer.child_by_field_name("attribute"))
    made = [
        value
        for target in attributes(owner, name)
        if (holder := target.parent) is not None
        and holder.type == "assignment"
        and holder.child_by_field_name("left") == target
        and (value := holder.child_by_field_name("right")) is not None
    ]
    relus = _relus_of(code, made[0]) if len(made) == 1 else []
    spelled, imports = code.names.spell("torch.nn.LeakyReLU")
    changes = [*imports]
    for relu in relus:
        function = relu.child_by_field_name("function")
        assert function is not None
        changes += [code.swap(function, spelled), *_inplace_by_name(code, positional(relu))]
    if relus:
        yield Fix(titles.leaky("LeakyReLU"), tuple(changes))


def _relus_of(code: Code, made: Node) -> list[Node]:
    """Return the ReLU that a layer is, or those of a stack beside which nothing in it can be flat."""
    if called(code.names, made) == "torch.nn.ReLU":
        return [made]
    layers = positional(made) if called(code.names, made) == "torch.nn.Sequential" else []
    relus = [layer for layer in layers if called(code.names, layer) == "torch.nn.ReLU"]
    plain = all(_NEVER_FLAT.fullmatch(called(code.names, layer)) for layer in layers if layer not in relus)
    return relus if plain else []


def _inplace_by_name(code: Code, given: list[Node]) -> list[Replacement]:
    """Return what names an `inplace` given by place: a leaky relu takes its slope there."""
    return [code.swap(value, f"inplace={text_of(value)}") for value in given]
