"""Calls that make a new tensor, or a parameter, of a value, and how one is taken off around it."""

from __future__ import annotations

from tree_sitter import Node

from ..parsing import text_of
from .code import Code
from .edits import Replacement
from .syntax import arguments, called, has_comments, keyword, positional, tight

WRAPS = ("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.asarray", "torch.autograd.Variable")
"""What makes a new tensor of a value."""
PARAMETER = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")
MOVES = ("device", "dtype")
"""What a wrap may say of the new tensor, and is said by `to(…)` without it."""


def inside(rewrap: Node, value: str = "") -> str | None:
    """Return what a new tensor was made of, moved to where and turned into what that said; `None` where unsure."""
    given = positional(rewrap)
    named = {text_of(one.child_by_field_name("name")) for one in arguments(rewrap) if one.type == "keyword_argument"}
    if len(given) != 1 or not named <= {"requires_grad", "dtype", "device"}:
        return None
    if has_comments(rewrap, None if value else given[0]):
        return None
    text = value or tight(given[0])
    for name in MOVES:
        written = keyword(rewrap, name)
        if written is not None:
            text += f".to({text_of(written.child_by_field_name('value'))})"
    return text


def unwrapping(code: Code, wrap: Node) -> list[Replacement] | None:
    """Return what takes a wrap off around its argument."""
    if called(code.names, wrap) not in WRAPS or inside(wrap) is None or any(keyword(wrap, n) for n in MOVES):
        return None
    [value] = positional(wrap)
    opening, closing = ("", "") if tight(value) == text_of(value) else ("(", ")")
    return [
        code.replace(wrap.start_byte, value.start_byte, opening),
        code.replace(value.end_byte, wrap.end_byte, closing),
    ]
