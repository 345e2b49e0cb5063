"""Torch's own layers, which build themselves out of a tracer's sight: nothing that they do there is the user's.

They make up most of what happens while a model is built, and a mode costs something at each step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

_current_mode: Callable[[], object] = getattr(torch.overrides, "_get_current_function_mode", lambda: None)
"""The mode that sees the next call; where torch does not say, layers are built in sight."""


def build_unseen(mode: TorchFunctionMode, built: Callable[[nn.Module], None]) -> Callable[[], None]:
    """Take `mode` off while a layer of exactly one of torch's classes builds itself, and tell `built` of it after.

    A class derived from one may run the user's code while it is built, and stays in sight. Returns the call that ends
    this.
    """
    constructors = [(kind, vars(kind)["__init__"]) for kind in _constructing()]
    for kind, init in constructors:
        kind.__init__ = _unseen(init, mode, built)

    def put_back() -> None:
        for kind, init in constructors:
            kind.__init__ = init

    return put_back


def _unseen(init: Callable[..., None], mode: TorchFunctionMode, built: Callable[[nn.Module], None]) -> Any:
    own = _layers()

    @wraps(init)
    def build(layer: nn.Module, *args: Any, **kwargs: Any) -> None:
        if type(layer) not in own or _current_mode() is not mode:
            init(layer, *args, **kwargs)
            return
        TorchFunctionMode.__exit__(mode, None, None, None)  # type: ignore[no-untyped-call]
        try:
            init(layer, *args, **kwargs)
        finally:
            TorchFunctionMode.__enter__(mode)  # type: ignore[no-untyped-call]
        built(layer)

    return build


@cache
def _layers() -> frozenset[type]:
    """Torch's modules that make parameters or buffers of their own."""
    modules = [kind for kind in vars(nn.modules).values() if isinstance(kind, type) and issubclass(kind, nn.Module)]
    return frozenset([nn.MultiheadAttention, *(kind for kind in modules if hasattr(kind, "reset_parameters"))])


@cache
def _constructing() -> list[Any]:
    """The classes whose constructors run when one of these is built."""
    bases = dict.fromkeys(base for kind in _layers() for base in kind.__mro__)
    return [base for base in bases if base not in (nn.Module, object) and "__init__" in vars(base)]
