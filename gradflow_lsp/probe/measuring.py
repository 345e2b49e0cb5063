"""Sizes of many tensors at once: small ones of a kind are measured side by side.

A call into torch costs more than the few entries of a bias, and models have thousands of those.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

_SMALL = 4096
"""Entries up to which tensors are copied together: below it, the call that measures one costs more than the copy."""


@dataclass(frozen=True)
class Gradient:
    """What was read off one gradient tensor.

    `norm` is its 2-norm, `rms` that over the square root of its number of entries, `zero_fraction` the share of entries
    that are exactly 0. `finite` is False when any entry is NaN or infinite.
    """

    norm: float
    rms: float
    zero_fraction: float
    finite: bool

    @property
    def is_zero(self) -> bool:
        """Whether every entry is exactly 0."""
        return self.zero_fraction == 1.0


def read_gradients(gradients: Sequence[torch.Tensor | None]) -> list[Gradient | None]:
    """Read gradients of any dtype, dense or sparse; `None` stays `None`."""
    present = [g for g in gradients if g is not None]
    values = [floating(entries(g)) for g in present]
    read = iter(
        _gradient(g, v, norm, nonzero)
        for g, v, norm, nonzero in zip(present, values, norms(values), _nonzeros(values), strict=True)
    )
    return [None if g is None else next(read) for g in gradients]


def norms(tensors: Sequence[torch.Tensor]) -> list[float]:
    """The 2-norms of whole tensors; half precision is summed up in float32."""
    return _each(tensors, lambda values: torch.linalg.vector_norm(values, dim=1, dtype=_wide(values)))


def entries(tensor: torch.Tensor) -> torch.Tensor:
    """The stored entries of a tensor: all of a dense one, the touched ones of a sparse one."""
    detached = tensor.detach()
    return detached.coalesce().values() if detached.is_sparse else detached


def floating(values: torch.Tensor) -> torch.Tensor:
    """The same values in a type that has norms: integer parameters have none of their own."""
    return values if values.is_floating_point() or values.is_complex() else values.float()


def _gradient(gradient: torch.Tensor, values: torch.Tensor, norm: float, nonzero: float) -> Gradient:
    numel = max(gradient.numel(), 1)
    if (norm == 0.0 and nonzero) or norm == math.inf:  # the squares left the range of float32
        exact = torch.complex128 if values.is_complex() else torch.float64
        norm = float(torch.linalg.vector_norm(values, dtype=exact))
    finite = math.isfinite(norm) or bool(torch.isfinite(values).all())
    zeros = (gradient.numel() - nonzero) / numel if gradient.numel() else 0.0
    return Gradient(norm, norm / math.sqrt(numel), zeros, finite)


def _nonzeros(tensors: Sequence[torch.Tensor]) -> list[float]:
    return _each(tensors, lambda values: torch.count_nonzero(values, dim=1))


def _each(tensors: Sequence[torch.Tensor], measure: Callable[[torch.Tensor], torch.Tensor]) -> list[float]:
    """Measure every tensor as a row of entries; `measure` gives one number for each row of a matrix."""
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for index, tensor in enumerate(tensors):
        numel = tensor.numel()
        groups[(numel, tensor.dtype, tensor.device) if numel <= _SMALL else index].append(index)
    measured = [0.0] * len(tensors)
    for indices in groups.values():
        rows = [tensors[index].reshape(1, -1) for index in indices]
        values = measure(rows[0] if len(rows) == 1 else torch.cat(rows))
        for index, value in zip(indices, values.tolist(), strict=True):
            measured[index] = value
    return measured


def _wide(values: torch.Tensor) -> torch.dtype | None:
    return torch.float32 if values.dtype in (torch.float16, torch.bfloat16) else None
