"""The clean backward: gradients to None, one backward, read once. Reading costs two passes over each gradient."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter

from .measuring import Gradient, entries, norms, read_gradients
from .outcome import NamedParameter, leaves_below


@dataclass
class ParameterFacts:
    """One parameter, what the backward left in it (`None`: nothing arrived), and that for each loss by its name.

    `name`, `tensor` and what follows are read off the parameter when the facts are made.
    """

    parameter: NamedParameter
    gradient: Gradient | None = None
    by_loss: dict[str, Gradient | None] = field(default_factory=dict)
    weight_norm: float | None = None
    weight_rms: float = 0.0
    name: str = field(init=False)
    tensor: torch.Tensor = field(init=False)
    requires_grad: bool = field(init=False)
    is_lazy: bool = field(init=False)
    dimensions: int = field(init=False)

    def __post_init__(self) -> None:
        self.name, self.tensor = self.parameter.name, self.parameter.tensor
        self.requires_grad = self.tensor.requires_grad
        plain = type(self.tensor) is nn.Parameter  # the usual one first: torch's own test is slow
        self.is_lazy = not plain and isinstance(self.tensor, UninitializedParameter)
        self.dimensions = 0 if self.is_lazy else self.tensor.dim()


def clean_backward(
    parameters: Sequence[NamedParameter],
    losses: Mapping[str, torch.Tensor],
    *,
    keep_graph: bool,
    scale: float | None = None,
    earlier: Sequence[ParameterFacts] = (),
    reread: Container[str] | None = None,
) -> list[ParameterFacts]:
    """Run one backward for each loss and read every parameter's gradient.

    `keep_graph` keeps what a further backward needs, at the price of memory and of up to a fifth of the time. Losses
    without a graph are passed over. With a `scale`, each loss is multiplied by it, and so is what is read. Afterwards
    each `.grad` is that of the sum of the losses. Raises what autograd raises.

    Where `earlier` facts have the sizes of weights, these hold; and so do the gradients that they have, unscaled, of
    other names than those to `reread`, if only there is a gradient again.
    """
    facts = _facts(parameters, earlier)
    trusted = {} if reread is None else {fact.name: fact for fact in earlier if fact.name not in reread}
    sums: list[torch.Tensor | None] = [None] * len(facts)
    names = list(losses)
    with torch.enable_grad():
        for name, loss in losses.items():
            for fact in facts:
                fact.tensor.grad = None
            if loss.requires_grad:
                if scale is not None:  # by a product: passing grad_tensors makes torch import sympy (1 s)
                    loss = loss * scale
                with _kept_from_hooks(facts):
                    loss.backward(retain_graph=keep_graph or name != names[-1])  # type: ignore[no-untyped-call]
            gradients = [fact.tensor.grad for fact in facts]
            known = [trusted[f.name].by_loss.get(name) if f.name in trusted else None for f in facts]
            for fact, gradient in zip(facts, _read(gradients, known), strict=True):
                fact.by_loss[name] = gradient
            if len(losses) > 1:
                sums = [_add(total, gradient) for total, gradient in zip(sums, gradients, strict=True)]
    if len(losses) == 1:
        for fact in facts:
            fact.gradient = fact.by_loss[names[0]]
        return facts
    known = [trusted[fact.name].gradient if fact.name in trusted else None for fact in facts]
    for fact, total, gradient in zip(facts, sums, _read(sums, known), strict=True):
        fact.tensor.grad, fact.gradient = total, gradient
    return facts


def read_as_left(parameters: Sequence[NamedParameter], losses: Mapping[str, torch.Tensor]) -> list[ParameterFacts]:
    """Read the gradients that the probe's own backward left, without running another."""
    facts = _facts(parameters)
    for fact, gradient in zip(facts, read_gradients([fact.tensor.grad for fact in facts]), strict=True):
        fact.gradient = gradient
        fact.by_loss = dict.fromkeys(losses, gradient)
    return facts


def as_before(
    parameters: Sequence[NamedParameter], losses: Mapping[str, torch.Tensor], earlier: Sequence[ParameterFacts]
) -> list[ParameterFacts] | None:
    """The facts of an `earlier` call of the same probe for the parameters of this one, without a backward.

    `None` where the losses reach others than those that had a gradient: then only a backward can tell.
    """
    reached = {name: {id(leaf) for leaf in leaves_below([loss])} for name, loss in losses.items()}
    known = {fact.name: fact for fact in earlier}
    facts = _facts(parameters, earlier)
    for fact in facts:
        old = known[fact.name]
        if any((old.by_loss[name] is None) is (id(fact.tensor) in leaves) for name, leaves in reached.items()):
            return None
        fact.gradient, fact.by_loss = old.gradient, old.by_loss
    return facts


def is_finite(loss: torch.Tensor) -> bool:
    """Whether a loss is a finite number."""
    return bool(torch.isfinite(loss.detach()).all())


def _facts(parameters: Sequence[NamedParameter], earlier: Sequence[ParameterFacts] = ()) -> list[ParameterFacts]:
    facts = [ParameterFacts(p) for p in parameters]
    known = {fact.name: fact for fact in earlier}
    for fact in facts:
        if fact.name in known:
            fact.weight_norm, fact.weight_rms = known[fact.name].weight_norm, known[fact.name].weight_rms
    real = [fact for fact in facts if fact.name not in known and not fact.is_lazy and not fact.tensor.is_meta]
    for fact, norm in zip(real, norms([entries(fact.tensor) for fact in real]), strict=True):
        fact.weight_norm = norm
        fact.weight_rms = norm / math.sqrt(max(fact.tensor.numel(), 1))
    return facts


@contextmanager
def _kept_from_hooks(facts: Sequence[ParameterFacts]) -> Iterator[None]:
    """Give back the gradients that the user's hooks drop once they have arrived, as an optimizer step in one does."""
    kept: list[tuple[torch.Tensor, torch.Tensor | None]] = []

    def keep(tensor: torch.Tensor) -> None:
        kept.append((tensor, tensor.grad))

    hooked = [hooks for fact in facts if (hooks := getattr(fact.tensor, "_post_accumulate_grad_hooks", None))]
    for hooks in hooked:
        users = dict(hooks)
        hooks.clear()  # to come first
        hooks.update({keep: keep} | users)
    try:
        yield
    finally:
        for hooks in hooked:
            hooks.pop(keep, None)
        for tensor, gradient in kept:
            if tensor.grad is None:
                tensor.grad = gradient


def _read(gradients: Sequence[torch.Tensor | None], known: Sequence[Gradient | None]) -> Iterator[Gradient | None]:
    """Read gradients; of one that is there and known, what is known."""
    holds = [gradient is not None and one is not None for gradient, one in zip(gradients, known, strict=True)]
    read = read_gradients([None if held else gradient for gradient, held in zip(gradients, holds, strict=True)])
    return (one if held else new for one, new, held in zip(known, read, holds, strict=True))


def _add(total: torch.Tensor | None, gradient: torch.Tensor | None) -> torch.Tensor | None:
    if total is None or gradient is None:
        return gradient if total is None else total
    return total + gradient
