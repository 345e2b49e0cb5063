"""One operation of a forward pass, as the trace keeps it; and what is known of torch functions by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import torch

from .grad_mode import Switch
from .sites import Site

EXITS = frozenset(
    {"numpy", "tolist", "item", "__array__"} | {f"__{t}__" for t in ("float", "int", "bool", "index", "format")}
)
"""Tensor methods whose result is no tensor, so that its value goes on outside autograd."""

SHAPE_FROM_ALL = frozenset(
    [f"{what}_like" for what in ("zeros", "ones", "empty", "rand", "randn", "randint", "full")]
    + [f"new_{what}" for what in ("zeros", "ones", "empty", "full")]
)
"""Functions that take shape, type and device of a tensor, and nothing of its value."""

FIRST_ALONE = frozenset({"view_as", "expand_as", "reshape_as", "type_as", "to", "__deepcopy__"})
"""Functions that pass the first tensor on, and take no values of others: a shape or a type, or a memo of copies."""

CREATES_ZEROS = frozenset({"zeros", "zeros_like", "new_zeros"})
"""Functions that make a tensor of zeros."""

FROM_PYTHON = frozenset({"tensor", "as_tensor", "asarray", "from_numpy", "full", "scalar_tensor"})
"""Functions that make a tensor of Python values."""

_CONTAINERS = (list, tuple, dict)


class Op:
    """One operation of the forward pass.

    `name` and `function` say what ran: a torch function, or a custom `autograd.Function`, whose own operations are then
    `inner`. `inputs` and `outputs` are tokens of tensors; `grad_outputs` are the outputs that require grad, `discrete`
    those of an integer or boolean type. `needs_grad` says that an input required grad, `grad_off` that grad was off,
    and `switch` what had switched it off. `behind` has the outputs that were changed behind autograd's back, with how:
    by `data` or `detach`. `first_node` and `end_node` bound the sequence numbers of the autograd nodes
    that it made. `opaque` says that it is TorchScript: what it does inside is not seen.
    """

    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    grad_outputs: tuple[int, ...] = ()
    discrete: tuple[int, ...] = ()
    needs_grad = False
    grad_off = False
    opaque = False
    switch: Switch | None = None
    inner: list[Op] | None = None
    behind: Mapping[int, str] = MappingProxyType({})

    def __init__(self, index: int, name: str, function: Any, site: Site | None, first_node: int) -> None:
        self.index = index
        self.name = name
        self.function = function
        self.site = site
        self.first_node = self.end_node = first_node

    def __repr__(self) -> str:
        return f"<{self.index} {self.name} {self.inputs} -> {self.outputs}>"


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in nested lists, tuples and dicts."""
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, torch.Tensor):
            yield item
        elif isinstance(item, _CONTAINERS):
            yield from tensors_in(item)


def results_of(name: str, result: Any, arguments: tuple[Any, ...]) -> list[torch.Tensor] | None:
    """The tensors that a torch function gave or changed; `None` where it did neither nor let a value leave autograd."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, _CONTAINERS):
        return list(tensors_in(result)) or ([] if name in EXITS else None)
    if name == "__setitem__":
        return [arguments[0]]
    return [] if name in EXITS else None


def values_read(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any] | None) -> list[torch.Tensor]:
    """The tensors whose values a torch function read: all that it was given, but for mere donors of a shape."""
    if name in SHAPE_FROM_ALL:
        return []
    if name in FIRST_ALONE:
        return [arguments[0]] if arguments and isinstance(arguments[0], torch.Tensor) else []
    inputs: list[torch.Tensor] = []
    for argument in arguments:
        if isinstance(argument, torch.Tensor):
            inputs.append(argument)
        elif isinstance(argument, _CONTAINERS):
            inputs += tensors_in(argument)
    if keywords:
        inputs += tensors_in(keywords)
    return inputs
