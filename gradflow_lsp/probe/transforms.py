"""The transforms of `torch.func`: inside, tensors wrap others, and only these know of grad."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import torch

_ENDS = {
    "torch._functorch.vmap": ("_add_batch_dim", "_remove_batch_dim"),
    "torch._functorch.eager_transforms": ("_wrap_for_grad", "_unwrap_for_grad"),
}
"""Where a tensor goes into a transform or comes out of it, and becomes another one; private to torch."""

OnConversion = Callable[[torch.Tensor, torch.Tensor, FrameType], None]
"""Told of a tensor that goes in or out, of the one that it becomes, and of the frame in which it does."""


def watch_transforms(on_conversion: OnConversion) -> Callable[[], None]:
    """Tell of all that goes into the transforms and comes out of them. Returns the call that ends it."""
    modules = [(sys.modules.get(module), names) for module, names in _ENDS.items()]
    kept = [
        (module, name, getattr(module, name)) for module, names in modules for name in names if hasattr(module, name)
    ]

    def followed(original: Callable[..., Any]) -> Callable[..., Any]:
        def convert(tensor: Any, *args: Any) -> Any:
            result = original(tensor, *args)
            if isinstance(tensor, torch.Tensor) and isinstance(result, torch.Tensor):
                on_conversion(tensor, result, sys._getframe(1))
            return result

        return convert

    def undo() -> None:
        for module, name, original in kept:
            setattr(module, name, original)

    for module, name, original in kept:
        setattr(module, name, followed(original))
    return undo


def requires_grad_inside(tensor: torch.Tensor) -> bool:
    """Whether a tensor requires grad, or one that it wraps does."""
    return any(each.requires_grad for each in _unwrapping(tensor))


def bare(tensor: torch.Tensor) -> torch.Tensor:
    """The innermost tensor that one wraps, or itself: of a wrapping one no value can be read."""
    *_, innermost = _unwrapping(tensor)
    return innermost


def _unwrapping(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield a tensor, the one that it wraps, and so on; where torch does not let them be unwrapped, itself alone."""
    functorch: Any = getattr(torch._C, "_functorch", None)
    is_wrapper = getattr(functorch, "is_functorch_wrapped_tensor", None)
    unwrapped = getattr(functorch, "get_unwrapped", None)
    yield tensor
    while is_wrapper and unwrapped and is_wrapper(tensor):
        tensor = unwrapped(tensor)
        yield tensor
