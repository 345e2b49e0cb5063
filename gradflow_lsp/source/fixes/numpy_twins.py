"""What of numpy torch has too, under which name, and with which arguments it does the same."""

from __future__ import annotations

from tree_sitter import Node

from ..parsing import text_of
from .syntax import arguments

_OF_EACH = (
    "abs", "absolute", "exp", "log", "log2", "log10", "sqrt", "square", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "arctan", "log1p", "expm1",
)  # fmt: skip
_FFTS = ("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft")
_SAME = (
    *_OF_EACH, *_FFTS, "mean", "sum", "prod", "cumsum", "cumprod", "stack", "clip", "matmul", "einsum", "reshape",
    "squeeze",
)  # fmt: skip
FUNCTIONS = {f"numpy.{name}": name for name in _SAME} | {"numpy.concatenate": "cat", "numpy.array": "stack"}
OF_LISTS = ("numpy.stack", "numpy.concatenate", "numpy.array")
METHODS = {name: name for name in ("mean", "sum", "prod", "cumsum", "cumprod", "reshape", "squeeze", "flatten", "clip")}
METHODS |= {"copy": "clone"}
_ALONG = ("cumsum", "cumprod")
"""What numpy does along a flattened array, where no axis is said."""
OF_ARRAYS = ("matmul", "einsum")
"""What takes several arrays."""
_MOST = {
    **dict.fromkeys(("mean", "sum", "prod", "cumsum", "cumprod", "squeeze", "stack", "concatenate"), 1),
    **dict.fromkeys(("clip", *_FFTS), 2),
}
"""How many arguments may follow the array that they work on by place."""
_OF_MANY_AXES = ("mean", "sum")
KEYWORDS = {"axis": "dim", "keepdims": "keepdim", "n": "n"}
_NAMED = {
    **dict.fromkeys(("mean", "sum", "prod"), ("axis", "keepdims")),
    **dict.fromkeys(("cumsum", "cumprod", "squeeze", "stack", "concatenate"), ("axis",)),
    **dict.fromkeys(_FFTS, ("axis", "n")),
}


def takes(function: str, behind: list[Node], call: Node) -> bool:
    """Tell whether torch takes what a function is given besides the array: numbers, axes, and whether to keep them."""
    named = {text_of(one.child_by_field_name("name")): one.child_by_field_name("value") for one in arguments(call)}
    named.pop("", None)
    axes = [*behind, *(value for name, value in named.items() if value is not None and name != "keepdims")]
    if len(behind) > _MOST.get(function, 0) or not named.keys() <= set(_NAMED.get(function, ())):
        return False
    if (function in _ALONG or "keepdims" in named) and not axes:
        return False
    is_loose = function in _OF_MANY_AXES
    return all(is_number(one) or (is_loose and one.type in ("tuple", "identifier")) for one in axes)


def is_number(node: Node) -> bool:
    """Tell whether an expression is a number by its looks."""
    if node.type == "unary_operator":
        return all(map(is_number, node.named_children))
    if node.type == "subscript":
        return text_of(node.child_by_field_name("value")).endswith(".shape") and ":" not in text_of(node)
    return node.type in ("integer", "float") or (node.type == "attribute" and text_of(node).endswith(".ndim"))
