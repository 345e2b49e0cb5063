"""The clean backward: gradients to None, one backward, read once. Reading costs two passes over each gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch.nn.parameter import is_lazy

from .outcome import NamedParameter


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


@dataclass
class ParameterFacts:
    """One parameter, what the backward left in it (`None`: nothing arrived), and that for each loss by its name."""

    parameter: NamedParameter
    gradient: Gradient | None = None
    by_loss: dict[str, Gradient | None] = field(default_factory=dict)
    weight_norm: float | None = None
    weight_rms: float = 0.0

    @property
    def name(self) -> str:
        """The parameter's name in the report."""
        return self.parameter.name

    @property
    def tensor(self) -> torch.Tensor:
        """The parameter itself."""
        return self.parameter.tensor


def clean_backward(parameters: Sequence[NamedParameter], losses: Mapping[str, torch.Tensor]) -> list[ParameterFacts]:
    """Run one backward for each loss and read every parameter's gradient; the graph is kept for a second look.

    Afterwards each `.grad` is that of the sum of the losses. Losses without a graph are passed over. Raises what
    autograd raises.
    """
    facts = [ParameterFacts(p) for p in parameters]
    sums: list[torch.Tensor | None] = [None] * len(facts)
    with torch.enable_grad():
        for name, loss in losses.items():
            for fact in facts:
                fact.tensor.grad = None
            if loss.requires_grad:
                loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]
            for i, fact in enumerate(facts):
                gradient = fact.tensor.grad
                fact.by_loss[name] = None if gradient is None else read_gradient(gradient)
                if len(losses) > 1 and gradient is not None:
                    before = sums[i]
                    sums[i] = gradient if before is None else before + gradient
    for fact, total in zip(facts, sums, strict=True):
        if len(losses) > 1:
            fact.tensor.grad = total
        _read(fact, next(iter(fact.by_loss.values())) if len(losses) == 1 else None)
    return facts


def read_as_left(parameters: Sequence[NamedParameter], losses: Mapping[str, torch.Tensor]) -> list[ParameterFacts]:
    """Read the gradients that the probe's own backward left, without running another."""
    facts = [ParameterFacts(p) for p in parameters]
    for fact in facts:
        _read(fact, None)
        fact.by_loss = dict.fromkeys(losses, fact.gradient)
    return facts


def read_gradient(gradient: torch.Tensor) -> Gradient:
    """Read one gradient, dense or sparse, of any dtype."""
    values = floating(entries(gradient))
    numel = max(gradient.numel(), 1)
    norm = float(torch.linalg.vector_norm(values, dtype=_wide(values)))
    zeros = gradient.numel() - int(torch.count_nonzero(values))
    if (norm == 0.0 and zeros < gradient.numel()) or norm == math.inf:  # squares left the range of float32
        norm = float(
            torch.linalg.vector_norm(values, dtype=torch.float64 if not values.is_complex() else torch.complex128)
        )
    finite = math.isfinite(norm) or bool(torch.isfinite(values).all())
    return Gradient(norm, norm / math.sqrt(numel), zeros / numel if gradient.numel() else 0.0, finite)


def is_finite(loss: torch.Tensor) -> bool:
    """Whether a loss is a finite number."""
    return bool(torch.isfinite(loss.detach()).all())


def entries(tensor: torch.Tensor) -> torch.Tensor:
    """The stored entries of a tensor: all of a dense one, the touched ones of a sparse one."""
    detached = tensor.detach()
    return detached.coalesce().values() if detached.is_sparse else detached


def floating(values: torch.Tensor) -> torch.Tensor:
    """The same values in a type that has norms: integer parameters have none of their own."""
    return values if values.is_floating_point() or values.is_complex() else values.float()


def _read(fact: ParameterFacts, known: Gradient | None) -> None:
    tensor = fact.tensor
    if tensor.grad is not None:
        fact.gradient = known or read_gradient(tensor.grad)
    if not is_lazy(tensor) and not tensor.is_meta:
        values = floating(entries(tensor))
        fact.weight_norm = float(torch.linalg.vector_norm(values, dtype=_wide(values)))
        fact.weight_rms = fact.weight_norm / math.sqrt(max(tensor.numel(), 1))


def _wide(values: torch.Tensor) -> torch.dtype | None:
    return torch.float32 if values.dtype in (torch.float16, torch.bfloat16) else None
