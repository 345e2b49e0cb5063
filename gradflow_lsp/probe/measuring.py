"""Sizes of many tensors at once: small ones of a kind are measured side by side.

A call into torch costs more than the few entries of a bias, and models have thousands of those.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

_SMALL = 4096
"""Entries up to which tensors are measured together: the signs of larger ones would take memory."""


@dataclass
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
    return _each(tensors, lambda values: torch.linalg.vector_norm(values, dtype=_wide(values)), _norms_at_once)


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
    return _each(tensors, torch.count_nonzero, _nonzeros_at_once)


def _each(
    tensors: Sequence[torch.Tensor],
    one: Callable[[torch.Tensor], torch.Tensor],
    at_once: Callable[[list[torch.Tensor]], Sequence[torch.Tensor]] | None,
) -> list[float]:
    """Measure every tensor: the small plain ones together, where torch can do that, the others one by one."""
    measured = [0.0] * len(tensors)
    together: list[int] = []
    for index, tensor in enumerate(tensors):
        if at_once is not None and tensor.dtype is torch.float32 and tensor.numel() <= _SMALL and tensor.is_cpu:
            together.append(index)
        else:
            measured[index] = float(one(tensor))
    if at_once is not None and together:
        values = torch.stack(list(at_once([tensors[index] for index in together]))).tolist()
        for index, value in zip(together, values, strict=True):
            measured[index] = value
    return measured


_foreach_norm: Callable[..., Sequence[torch.Tensor]] | None = getattr(torch, "_foreach_norm", None)
_foreach_sign: Callable[..., list[torch.Tensor]] | None = getattr(torch, "_foreach_sign", None)


def _nonzeros_of(tensors: list[torch.Tensor]) -> Sequence[torch.Tensor]:
    assert _foreach_norm is not None and _foreach_sign is not None
    return _foreach_norm(_foreach_sign(tensors), 1)


_norms_at_once = _foreach_norm
_nonzeros_at_once = _nonzeros_of if _foreach_norm is not None and _foreach_sign is not None else None


def _wide(values: torch.Tensor) -> torch.dtype | None:
    return torch.float32 if values.dtype in (torch.float16, torch.bfloat16) else None
