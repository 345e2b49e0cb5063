"""The shapes that the patterns of `einops` make: `rearrange(x, "b (h w) c -> b c h w", h=8)`."""

from __future__ import annotations

import re
from typing import Any

from . import needs
from .code_values import Layer
from .shaping import merged, product
from .values import UNKNOWN, Fix, Misfit, Tensor

_TOKEN = re.compile(r"\(([^()]*)\)|(\.\.\.|\w+)")

_Group = list[str]
"""The axes that make one axis of a tensor; `["..."]` stands for any number of axes."""


def call(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call `rearrange`, `reduce` or `repeat`, or make one of the layers `Rearrange` and `Reduce`."""
    if name in ("Rearrange", "Reduce"):
        return Layer(
            name, {"pattern": arguments[0] if arguments else keywords.pop("pattern", UNKNOWN), "sizes": keywords}
        )
    x, pattern = ([*arguments, UNKNOWN, UNKNOWN])[:2]
    if name not in ("rearrange", "reduce", "repeat") or not isinstance(x, Tensor):
        return UNKNOWN
    return rearranged(x, keywords.pop("pattern", pattern), keywords)


def rearranged(x: Tensor, pattern: Any, given: dict[str, Any]) -> Any:
    """Return the tensor that a pattern makes of `x`; `given` are sizes by the names in the pattern."""
    if not isinstance(pattern, str) or "->" not in pattern or x.shape is None:
        return UNKNOWN
    left, right = (_groups(side) for side in pattern.split("->", 1))
    sizes: dict[str, Any] = {name: size for name, size in given.items() if isinstance(size, int)}
    middle = len(x.shape) - len(left) + 1
    if "..." in [name for group in left for name in group]:
        at = left.index(["..."])
        spread = [[f"...{position}"] for position in range(middle)]
        left = [*left[:at], *spread, *left[at + 1 :]]
        right = [one for group in right for one in (spread if group == ["..."] else [group])]
    if len(left) != len(x.shape):
        raise Misfit(f"a pattern of {len(left)} axes for a tensor of {len(x.shape)}", [needs.rank_fix(x, len(left))])
    for group, size in zip(left, x.shape, strict=True):
        _match(group, size, sizes)
    shape = tuple(_size(group, sizes) for group in right)
    return x.computed(shape, offset=len(right) - len(left))


def _groups(side: str) -> list[_Group]:
    return [match[1].split() if match[2] is None else [match[2]] for match in _TOKEN.finditer(side)]


def _match(group: _Group, size: int | None, sizes: dict[str, Any]) -> None:
    """Learn the sizes of a group's axes from the size of the axis they make."""
    open_names = [name for name in group if name not in sizes and not name.isdigit()]
    rest = product(int(name) if name.isdigit() else sizes[name] for name in group if name not in open_names)
    if size is None or not isinstance(rest, int) or rest < 1:
        return
    if len(open_names) == 1:
        if size % rest:
            raise Misfit(f"an axis of {size} is split by {rest}", needs.value_fixes(size, rest * 4))
        sizes[open_names[0]] = size if rest == 1 else size // rest
    elif not open_names and size != rest:
        raise Misfit(f"an axis of {size} should have {rest}", _fixes(group, size, rest, sizes))


def _fixes(group: _Group, size: int, wanted: int, sizes: dict[str, Any]) -> list[Fix]:
    fixes = needs.value_fixes(size, wanted)
    return fixes + (needs.value_fixes(sizes.get(group[0]), size) if len(group) == 1 else [])


def _size(group: _Group, sizes: dict[str, Any]) -> int | None:
    return merged(*(int(name) if name.isdigit() else sizes.get(name) for name in group))
