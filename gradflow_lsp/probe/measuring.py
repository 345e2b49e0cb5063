"""Sizes of many tensors at once: small ones of a kind are measured side by side.

A call into torch costs more than the few entries of a bias, and models have thousands of those.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

_SMALL = 4096
"""Entries up to which tensors are laid end to end and measured together; copying larger ones would not pay."""

_CHUNK = 1 << 17
"""Entries that are measured while the processor's cache holds them; summed up apart, they also keep more digits."""


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


@torch.no_grad()
def read_gradients(gradients: Sequence[torch.Tensor | None]) -> list[Gradient | None]:
    """Read gradients of any dtype, dense or sparse; `None` stays `None`."""
    values = [entries(gradient) for gradient in gradients if gradient is not None]
    sizes = iter(_measure(values))
    return [None if gradient is None else _gradient(gradient, *next(sizes)) for gradient in gradients]


@torch.no_grad()
def norms(tensors: Sequence[torch.Tensor]) -> list[float]:
    """The 2-norms of whole tensors."""
    return [norm for _, norm, _ in _measure(tensors, count=False)]


def entries(tensor: torch.Tensor) -> torch.Tensor:
    """The stored entries of a tensor: all of a dense one, the touched ones of a sparse one; those of a byte as floats.

    Torch measures neither integers nor floats of eight bits.
    """
    if tensor.dtype.itemsize > 1 and (tensor.is_floating_point() or tensor.is_complex()):
        return tensor.coalesce().values() if tensor.is_sparse else tensor
    return tensor.float()


def _gradient(gradient: torch.Tensor, values: torch.Tensor, norm: float, nonzero: float) -> Gradient:
    numel = gradient.numel()
    finite = math.isfinite(norm)
    if (norm == 0.0 and nonzero) or norm == math.inf:  # the squares left the range of float32
        exact = torch.complex128 if values.is_complex() else torch.float64
        norm = float(torch.linalg.vector_norm(values, dtype=exact))
        finite = bool(torch.isfinite(values).all())
    return Gradient(norm, norm / math.sqrt(numel or 1), (numel - nonzero) / numel if numel else 0.0, finite)


def _measure(tensors: Sequence[torch.Tensor], count: bool = True) -> list[tuple[torch.Tensor, float, float]]:
    """Each tensor with its 2-norm and, where they are to be counted, the number of its entries that are not zero."""
    measured: list[tuple[torch.Tensor, float, float]] = [(tensor, 0.0, 0.0) for tensor in tensors]
    small: list[int] = []
    for index, tensor in enumerate(tensors):
        if is_small(tensor):
            small.append(index)
        else:
            measured[index] = (tensor, *_measure_large(tensor, count))
    if small:
        some = [tensors[index] for index in small]
        joined = side_by_side(some)
        found = norms_side_by_side(joined, some)
        counts = _sums(joined.ne_(0), some).tolist() if count else found
        for index, norm, nonzero in zip(small, found, counts, strict=True):
            measured[index] = (tensors[index], norm, nonzero)
    return measured


def _measure_large(tensor: torch.Tensor, count: bool) -> tuple[float, float]:
    """The 2-norm of one tensor and, if it is to be counted, the number of its entries that are not zero."""
    if tensor.dtype is not torch.float32 or not tensor.is_contiguous() or not tensor.is_cpu:
        return float(_norm(tensor)), float(torch.count_nonzero(tensor)) if count else 0.0
    values = tensor.view(-1)
    squares = nonzero = 0.0
    for chunk in torch.split(values, _CHUNK) if len(values) > _CHUNK else (values,):  # a slow call on its own
        squares += float(torch.dot(chunk, chunk))
        if count:
            nonzero += _count_nonzero(chunk)
    return math.sqrt(squares), nonzero


def _count_nonzero(values: torch.Tensor) -> int:
    """How many entries are not zero; where none is, their reciprocals tell in less time than a count takes."""
    if math.isfinite(float(values.reciprocal().sum())):
        return len(values)
    return int(torch.count_nonzero(values))


def is_small(tensor: torch.Tensor) -> bool:
    """Whether a tensor is one of those that are laid side by side: of float32, on the CPU, with few entries."""
    return tensor.dtype is torch.float32 and 0 < tensor.numel() <= _SMALL and tensor.is_cpu


def side_by_side(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """The entries of all, one tensor after the other."""
    return torch.cat([tensor if tensor.ndim == 1 else tensor.flatten() for tensor in tensors])


def norms_side_by_side(values: torch.Tensor, tensors: Sequence[torch.Tensor]) -> list[float]:
    """The 2-norms of stretches of `values` that are as long as each of the tensors."""
    norms: list[float] = _sums(values.to(torch.float64, copy=True).square_(), tensors).sqrt().tolist()
    return norms


def _sums(values: torch.Tensor, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """The sums of stretches of `values` that are as long as each of the tensors."""
    lengths = torch.tensor([tensor.numel() for tensor in tensors])
    in_one_go = getattr(torch, "segment_reduce", None)  # in beta; without it the same takes three times as long
    if in_one_go is not None:
        sums: torch.Tensor = in_one_go(values, "sum", lengths=lengths)
        return sums
    owners = torch.arange(len(lengths)).repeat_interleave(lengths)
    return torch.zeros(len(lengths), dtype=values.dtype).index_add_(0, owners, values)


def _norm(values: torch.Tensor) -> torch.Tensor:
    """Half precision is summed up in float32, as it would overflow."""
    wide = torch.float32 if values.dtype in (torch.float16, torch.bfloat16) else None
    norm: torch.Tensor = torch.linalg.vector_norm(values, dtype=wide)
    return norm
