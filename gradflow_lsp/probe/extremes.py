"""How far the inputs of activations reached: the number that proves an activation dead."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import torch

from .measuring import entries
from .ops import Op
from .transforms import bare

_ACTIVATIONS = frozenset(
    {
        *("relu", "relu6", "leaky_relu", "prelu", "threshold", "clamp", "clip", "clamp_min", "clamp_max", "hardtanh"),
        *("hardsigmoid", "hardswish", "hardshrink", "softshrink", "softplus", "elu", "gelu", "silu", "sigmoid", "tanh"),
        *("minimum", "maximum"),
    }
)


class Extremes:
    """Notes the smallest and the largest input of every activation, by the operation's index in the trace.

    To be set as a `Tracer`'s `on_op`.
    """

    def __init__(self) -> None:
        self.of: dict[int, tuple[float, float]] = {}

    def __call__(self, op: Op, inputs: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor]) -> None:
        """Look at one operation."""
        if op.grad_off and isinstance(inputs[0] if inputs else None, torch.nn.Parameter):
            return  # a parameter that is being initialised
        if op.name.strip("_") in _ACTIVATIONS and inputs and inputs[0].is_floating_point() and inputs[0].numel():
            with suppress(RuntimeError):  # inside vmap, where torch does not let them be read
                low, high = torch.aminmax(entries(bare(inputs[0].detach())))
                self.of[op.index] = (float(low), float(high))
