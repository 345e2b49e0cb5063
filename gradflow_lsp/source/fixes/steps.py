"""Functions that are flat nearly everywhere: the gradient is led past them, or a draw is written so that it has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix
from .syntax import (
    arguments,
    around,
    called,
    function_of,
    keyword,
    mentions,
    method_name,
    positional,
    receiver,
    simple_statement,
    tight,
)

_STEPS = ("round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "bernoulli", "poisson")
_FAR = ("sign", "sgn", "clamp", "clip", "clamp_min", "clamp_max", "hardtanh")
"""Those whose result may be far from their input."""
_DIVISIONS = ("div", "divide", "true_divide")
_PLAIN = (
    "identifier", "attribute", "integer", "float", "binary_operator", "unary_operator", "parenthesized_expression",
)  # fmt: skip
"""What costs nothing to write twice."""
_LAZY = (
    "lambda", "conditional_expression", "boolean_operator", "list_comprehension", "dictionary_comprehension",
    "set_comprehension", "generator_expression", "assert_statement",
)  # fmt: skip
"""What may never evaluate a part of it, or evaluates it many times."""


def zero_derivative(code: Code) -> Iterator[Fix]:
    """Write a step so that its gradient is that of its input: `x + (round(x) - x).detach()`."""
    for call in code.within("call"):
        name, value = _of_torch(code, call)
        if name in _STEPS and value is not None:
            yield from straight_through(code, call, value, name)
        elif name in _DIVISIONS and value is not None:
            divisor = next(iter(_after(call, value)), None)
            if divisor is not None and keyword(call, "rounding_mode") is not None:
                yield from _division(code, call, value, divisor)
        elif called(code.names, call) == "torch.normal":
            yield from _drawn_anew(code, call)
        else:
            continue
        return


def _of_torch(code: Code, call: Node) -> tuple[str, Node | None]:
    """Return the name of a function of torch, and its first argument, or what its method is called on."""
    name = called(code.names, call)
    if name.startswith("torch."):
        return name.rpartition(".")[2], next(iter(positional(call)), None)
    if name.startswith(("math.", "numpy.")):
        return "", None
    if code.names.is_imported(receiver(call)) or text_of(receiver(call)) in ("self", "cls", "super()"):
        return "", None
    return method_name(call), receiver(call) if method_name(call) else None


def _after(call: Node, value: Node) -> list[Node]:
    """Return the positional arguments that follow what a function works on."""
    return [one for one in positional(call) if one != value]


def straight_through(
    code: Code, step: Node, value: Node, function: str, smooth: Callable[[str], str] = str
) -> Iterator[Fix]:
    """Lead the gradient of `value` past a step; `smooth` writes what stands for the step where it has a slope."""
    title = titles.straight_through(function)
    if all(node.type in _PLAIN for node in (value, *descendants(value))):
        text = _past(text_of(step), smooth(tight(value)), function)
        yield Fix(title, (code.swap(step, _in_its_place(step, text)),))
        return
    statement, scope = simple_statement(step), function_of(step)
    if statement is None or scope is None or any(node.type in _LAZY for node in _between(step, statement)):
        return
    if code.data[code.line_start(statement.start_byte) : statement.start_byte].strip():
        return
    if any(one.type == "named_expression" and one.end_byte <= step.start_byte for one in descendants(statement)):
        return  # the value may be made of that
    name = next(name for name in ("smooth", *(f"smooth_{n}" for n in range(2, 100))) if not mentions(scope, name))
    start, end = value.start_byte - step.start_byte, value.end_byte - step.start_byte
    data = code.data[step.start_byte : step.end_byte]
    stepped = (data[:start] + name.encode() + data[end:]).decode("utf-8", "surrogatepass")
    written = tight(value) if "\n" in text_of(value) or "\r" in text_of(value) else text_of(value)
    before = f"{name} = {written}{code.newline(statement.start_byte)}{code.indent(statement.start_byte)}"
    after = _in_its_place(step, _past(stepped, smooth(name), function))
    if statement.start_byte == step.start_byte:
        yield Fix(title, (code.swap(step, before + after),))
    else:
        inserted = code.replace(statement.start_byte, statement.start_byte, before)
        yield Fix(title, (inserted, code.swap(step, after)))


def _past(step: str, x: str, function: str) -> str:
    """Return the value of a step with the gradient of `x`: also where `x` is so large that a sum would round it off."""
    return f"{x} - {x}.detach() + {step}.detach()" if function in _FAR else f"{x} + ({step} - {x}).detach()"


def _in_its_place(step: Node, text: str) -> str:
    """Return a sum that stands where a step stood, in parentheses where something binds more tightly."""
    holder = step.parent.type if step.parent is not None else ""
    return f"({text})" if holder.endswith("_operator") or holder in ("attribute", "subscript", "await") else text


def _between(node: Node, end: Node) -> Iterator[Node]:
    """Yield what holds a node up to and with `end`."""
    for parent in around(node):
        yield parent
        if parent == end:
            return


def _division(code: Code, step: Node, value: Node, divisor: Node) -> Iterator[Fix]:
    """Lead the gradient past a division that rounds, as that of one that does not."""
    if all(node.type in _PLAIN for node in (divisor, *descendants(divisor))):
        yield from straight_through(code, step, value, method_name(step), lambda x: f"{x} / {tight(divisor)}")


def _drawn_anew(code: Code, call: Node) -> Iterator[Fix]:
    """Draw from a normal distribution by the way that has a derivative in its mean and its width."""
    by_name = [keyword(call, name) for name in ("mean", "std")[len(positional(call)) :]]
    values = [*positional(call), *(one.child_by_field_name("value") for one in by_name if one is not None)]
    if len(values) == 2 == len(arguments(call)):
        spelled, imports = code.names.spell("torch.distributions.Normal")
        mean, std = map(text_of, values)
        yield Fix(titles.SAMPLE, (*imports, code.swap(call, f"{spelled}({mean}, {std}).rsample()")))
