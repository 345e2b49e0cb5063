"""The methods of Python's own values: strings, lists, dicts and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import shaping
from .values import UNKNOWN

if TYPE_CHECKING:
    from .walker import Walker

_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        {
            *(
                "lower",
                "upper",
                "strip",
                "lstrip",
                "rstrip",
                "split",
                "rsplit",
                "startswith",
                "endswith",
                "replace",
                "join",
            ),
            *("format", "isdigit", "index", "find", "count", "title", "partition", "rpartition", "capitalize"),
        }
    ),
    list: frozenset(
        (
            "append",
            "extend",
            "insert",
            "pop",
            "remove",
            "reverse",
            "index",
            "count",
            "copy",
            "sort",
            "clear",
            "astype",
            "tolist",
        )
    ),
    tuple: frozenset(("index", "count", "numel")),
    dict: frozenset(("items", "keys", "values", "get", "pop", "update", "setdefault", "copy", "clear")),
    set: frozenset(("add", "update", "discard", "remove", "union", "copy")),
    int: frozenset(("bit_length",)),
    float: frozenset(("is_integer",)),
}


def has_method(owner: Any, name: str) -> bool:
    """Say whether a container or other plain value has a method that `method` can call."""
    return any(isinstance(owner, kind) and name in names for kind, names in _METHODS.items())


def method(walker: Walker, owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a method of a plain value."""
    if name in ("astype", "tolist"):  # an array of numpy is held as the list of its elements
        return owner
    if name == "numel":
        return shaping.product(owner)
    if name in ("extend", "update", "union") and arguments and isinstance(owner, (list, set)):
        values = walker.iterate(arguments[0])
        arguments = [values or []]
    if isinstance(owner, str) and any(not isinstance(one, (str, int, list, tuple)) for one in arguments):
        return UNKNOWN
    if name == "format" and ":" in owner:
        return UNKNOWN
    if name == "sort":
        return None
    try:
        result = getattr(owner, name)(*arguments, **keywords)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError):
        return UNKNOWN
    if isinstance(owner, dict) and name in ("items", "keys", "values"):
        return list(result)
    return UNKNOWN if isinstance(result, str) and len(result) > 20_000 else result
