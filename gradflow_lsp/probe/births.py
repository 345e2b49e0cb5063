"""Where the forward pass first made NaN or Inf: found by looking at every result of one more call of the probe."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from .measuring import entries
from .ops import Op
from .transforms import bare

_Test = Callable[[torch.Tensor], torch.Tensor]

_CONSTANTS = frozenset({"masked_fill", "masked_fill_", "full", "full_like", "fill_", "where", "tensor", "__setitem__"})
"""Functions by which people write an infinity on purpose, as into a mask."""


class Births:
    """Notes the operations that made NaN or Inf out of values without any, in the order of the trace.

    To be set as a `Tracer`'s `on_op`. `nan` and `inf` hold the indices of operations.
    """

    def __init__(self) -> None:
        self.nan: list[int] = []
        self.inf: list[int] = []
        self._with_nan: set[int] = set()
        self._with_inf: set[int] = set()

    def __call__(self, op: Op, inputs: Iterable[torch.Tensor], outputs: Iterable[torch.Tensor]) -> None:
        """Look at one operation."""
        changed = {id(tensor) for tensor in outputs}
        unchanged = [tensor for tensor in inputs if id(tensor) not in changed]  # the others hold the result by now
        had_nan, has_nan = _spread(torch.isnan, self._with_nan, op, unchanged, outputs)
        had_inf, has_inf = _spread(torch.isinf, self._with_inf, op, unchanged, outputs)
        if has_nan and not had_nan:
            self.nan.append(op.index)
        elif has_inf and not had_inf and not had_nan and op.name not in _CONSTANTS:
            self.inf.append(op.index)


def _spread(
    test: _Test, known: set[int], op: Op, inputs: Iterable[torch.Tensor], outputs: Iterable[torch.Tensor]
) -> tuple[bool, bool]:
    """Say whether such values went into an operation and came out of it; note what came out among the `known`."""
    went_in = not known.isdisjoint(op.inputs) or any(_has(test, tensor) for tensor in inputs)
    came_out = any(_has(test, tensor) for tensor in outputs)
    if came_out:
        known.update(op.outputs)
    return went_in, came_out


def _has(test: _Test, tensor: torch.Tensor) -> bool:
    if not (tensor.is_floating_point() or tensor.is_complex()) or tensor.is_meta or not tensor.numel():
        return False
    try:
        return bool(test(entries(bare(tensor.detach()))).any())
    except RuntimeError:  # inside vmap, where torch does not let them be read
        return False
