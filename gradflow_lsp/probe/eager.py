"""Compiled parts of a model run eagerly: their operations then have lines of their own, and nothing is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def running_eagerly() -> Iterator[None]:
    """Let `torch.compile` wrap as it always does, so that names are as in training, and what it gives run as written.

    The switch belongs to torch's compiler, whose import takes seconds; so it is thrown only once something is compiled.
    """
    compiling, set_stance = torch.compile, getattr(torch.compiler, "set_stance", None)
    thrown = False

    def compiled(*args: Any, **kwargs: Any) -> Any:
        nonlocal thrown
        result = compiling(*args, **kwargs)
        if set_stance is not None and not thrown:
            set_stance("force_eager")
            thrown = True
        return result

    torch.compile = compiled
    try:
        yield
    finally:
        torch.compile = compiling
        if thrown and set_stance is not None:
            set_stance("default")
