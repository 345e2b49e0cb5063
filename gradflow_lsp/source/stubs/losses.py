"""Which part of a model's output becomes the loss, so that a gradient reaches every layer and nothing cancels out.

The sum or mean of an output is no loss: of a softmax it is a constant. The distance to a random target never is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from .classes import fields_of
from .code_values import Instance, Layer
from .program import FunctionNode
from .values import Tensor, Unknown

_MOST_NAMES = 5
_LOSS_CALL = re.compile(r"loss|cross_entropy|criterion")
_LOSS_NAME = re.compile(r"(^|_)loss(es)?$|^(nll|elbo|energy)$")


@dataclass(frozen=True)
class Leaf:
    """One tensor of an output, and the expression that gives it."""

    expression: str
    tensor: Tensor
    is_distribution: bool = False
    is_loss: bool = False


@dataclass
class Reading:
    """How the output is taken apart: the target of the call, the tensors in it, and those that make the loss."""

    target: str = "out"
    leaves: list[Leaf] = field(default_factory=list)
    chosen: list[Leaf] = field(default_factory=list)
    is_loss: bool = False
    over: str = ""
    """An expression to loop over where there are too many tensors to name, e.g. `out.values()`."""
    is_known: bool = True


def read_output(output: Any, forward: FunctionNode | None, quoted: Any) -> Reading:
    """Return how to make a loss of `output`; `quoted` writes a string literal."""
    reading = Reading()
    if isinstance(output, Unknown):
        reading.is_known = False
        reading.chosen = [Leaf("out", Tensor(None))]
        return reading
    names = _returned_names(forward, len(output)) if isinstance(output, (tuple, list)) else []
    if names:
        for name, part in zip(names, output, strict=True):
            reading.leaves += _leaves(name, part, quoted)
    else:
        reading.leaves = list(_leaves("out", output, quoted))
    reading.chosen = _enough(reading.leaves) or [leaf for leaf in reading.leaves if leaf.tensor.is_float][:1]
    losses = [leaf for leaf in reading.leaves if leaf.tensor.shape == () and leaf.tensor.is_float and leaf.tensor.reach]
    named = [leaf for leaf in losses if _LOSS_NAME.search(re.split(r"\W+", leaf.expression.strip("])'\""))[-1])]
    best = max(named or losses, key=lambda leaf: len(leaf.tensor.reach), default=None)
    total = frozenset[int]().union(*(leaf.tensor.reach for leaf in reading.leaves))
    if best is not None and best.tensor.reach == total:
        reading.chosen, reading.is_loss = [best], True
    elif best is not None and named:
        others = [leaf for leaf in reading.chosen if leaf.tensor.reach - best.tensor.reach]
        reading.chosen, reading.is_loss = [replace(best, is_loss=True), *others], not others
    used = " ".join(leaf.expression for leaf in reading.chosen)
    if names:
        reading.target = ", ".join(name if re.search(rf"\b{name}\b", used) else "_" for name in names)
    elif _can_be_looped_over(output) and (reading.chosen == reading.leaves or len(reading.chosen) > 3):
        reading.over = "out.values()" if isinstance(output, dict) else "out"
    return reading


def _can_be_looped_over(output: Any) -> bool:
    parts = list(output.values()) if isinstance(output, dict) else output if isinstance(output, (list, tuple)) else []
    return bool(parts) and all(isinstance(one, Tensor) and one.is_float and one.reach for one in parts)


def _leaves(expression: str, value: Any, quoted: Any) -> Iterator[Leaf]:
    if isinstance(value, Tensor):
        yield Leaf(expression, value)
    elif isinstance(value, Instance) and value.base is not None and value.base.kind == "Distribution":
        yield from _leaves(expression, value.base, quoted)
    elif isinstance(value, Layer) and value.kind == "Distribution":
        yield Leaf(expression, value["sample"], is_distribution=True)
    elif isinstance(value, (tuple, list)):
        for position, part in enumerate(value):
            yield from _leaves(f"{expression}[{position}]", part, quoted)
    elif isinstance(value, dict):
        for key, part in value.items():
            written = quoted(key) if isinstance(key, str) else _plain(key, quoted)
            yield from _leaves(f"{expression}[{written}]", part, quoted)
    elif isinstance(value, Instance) and fields_of(value.cls):
        for name, part in value.attributes.items():
            yield from _leaves(f"{expression}.{name}", part, quoted)


def _plain(key: Any, quoted: Any) -> str:
    if isinstance(key, tuple):
        return "(" + ", ".join(quoted(part) if isinstance(part, str) else repr(part) for part in key) + ")"
    return repr(int(key) if isinstance(key, int) else key)


def _enough(leaves: list[Leaf]) -> list[Leaf]:
    """Return the tensors that together reach everything, leaving out those that add nothing."""
    chosen: list[Leaf] = []
    reached: frozenset[int] = frozenset()
    for leaf in leaves:
        if leaf.tensor.is_float and leaf.tensor.reach - reached:
            chosen.append(leaf)
            reached |= leaf.tensor.reach
    return [
        leaf
        for leaf in chosen
        if leaf.tensor.reach - frozenset[int]().union(*(o.tensor.reach for o in chosen if o is not leaf))
    ] or chosen[:1]


def _returned_names(forward: FunctionNode | None, count: int) -> list[str]:
    """Return names for the parts of a tuple: those the function itself returns them by, where they are names."""
    if not 1 < count <= _MOST_NAMES:
        return []
    plain = [f"out{position + 1}" for position in range(count)]
    names = plain
    for node in ast.walk(forward) if forward is not None else ():
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == count:
            found = [_name_of(part) or name for part, name in zip(node.value.elts, plain, strict=True)]
            names = max(names, found, key=lambda some: len(set(some) - set(plain)))
    if names == plain and count > 2:
        return []
    return names if len(set(names)) == count else plain


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            return name
        case ast.Call(func=ast.Attribute(attr=name)) if _LOSS_CALL.search(name):
            return "loss"
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner)):
            return _name_of(inner)
    return ""
