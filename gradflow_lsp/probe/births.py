"""Where the forward pass first made NaN or Inf: found by looking at every result of one more call of the probe."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from .ops import Op

_CONSTANTS = frozenset({"masked_fill", "masked_fill_", "full", "full_like", "fill_", "where", "tensor", "__setitem__"})
"""Functions by which people write an infinity on purpose, as into a mask."""


class Births:
    """Notes the operations that made NaN or Inf out of values without any, in the order of the trace.

    To be set as a `Tracer`'s `on_op`. `nan` and `inf` hold the indices of operations.
    """

    def __init__(self) -> None:
        self.nan: list[int] = []
        self.inf: list[int] = []

    def __call__(self, op: Op, inputs: Iterable[torch.Tensor], outputs: Iterable[torch.Tensor]) -> None:
        """Look at one operation."""
        if not any(_has(torch.isnan, t) or _has(torch.isinf, t) for t in outputs):
            return
        if any(_has(torch.isnan, t) for t in outputs) and not any(_has(torch.isnan, t) for t in inputs):
            self.nan.append(op.index)
        elif op.name not in _CONSTANTS and not any(_has(torch.isnan, t) or _has(torch.isinf, t) for t in inputs):
            self.inf.append(op.index)


def _has(test: Callable[[torch.Tensor], torch.Tensor], tensor: torch.Tensor) -> bool:
    if not (tensor.is_floating_point() or tensor.is_complex()) or tensor.is_meta or not tensor.numel():
        return False
    return bool(test(tensor.detach()).any())
