"""From facts to verdicts: the only place with thresholds.

Sizes are judged by the root mean square of a gradient, relative to the largest of the same loss (`relative`) and to the
parameter's own size (`update`), since an absolute size says nothing: healthy models at initialisation span ten decades.
The numbers were chosen on about a hundred hand-made models that were also trained for 400 steps: below `relative` 1e-8
neither SGD nor Adam (whose eps of 1e-8 takes over there) moves a layer any more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .backward import ParameterFacts
from .explaining import Explained
from .measuring import Gradient
from .report import Verdict

VANISHING_RELATIVE = 1e-8
VANISHING_UPDATE = 1e-6
VANISHED_MODEL_UPDATE = 1e-9
EXPLODING_UPDATE = 1e6
EXPLODING_NEIGHBOUR_UPDATE = 1e4
WEIGHT_FLOOR = 0.1
"""A weight counts as at least this large: zero-initialised ones would make every update ratio infinite."""

REDUNDANT_TO_SIBLING = 1e-3
"""A live bias gets the sum of what its weight gets times the inputs; only cancellation makes it this much smaller.
In 119 real models 168 redundant biases lie below 3e-5 and 2,514 others above 2e-2."""

NOISE_RELATIVE = 1e-5
NOISE_RELATIVE_HALF = 1e-1
"""Rounding noise is looked for below this share of the largest gradient; half precision rounds more coarsely."""

NOISE_CHANGE = 0.1
"""A true gradient scales with the loss to 3e-6 (0.02 at worst); rounding noise is drawn anew and changes by 0.67."""

CANCELLED = 5e-6
"""A sum of which no more than this share is left cancels itself: 2.2e-7 at most for rounding noise in real models."""


@dataclass
class Judgement:
    """The verdict on one parameter.

    `invariant` says that its gradient is mathematically zero and that this is harmless, `noise` that what arrived at it
    is itself only rounding noise.
    """

    verdict: Verdict
    invariant: bool = False
    noise: bool = False

    @property
    def bad(self) -> bool:
        """Whether something is wrong that has a cause to be looked for."""
        return self.verdict not in ("healthy", "frozen", "reached")


def judge(facts: Sequence[ParameterFacts], explained: Explained | None = None) -> dict[str, Judgement]:
    """Judge every parameter, by name. Without a second backward, rounding noise is only told by the sibling weight."""
    explained = explained or Explained()
    judgements = {fact.name: _mechanical(fact) for fact in facts}
    for loss in {name for fact in facts for name in fact.by_loss}:
        for name, judgement in _by_size(facts, loss, explained).items():
            if judgements[name].verdict == "healthy":
                judgements[name] = judgement
    _forgive_self_cancelling_zeros(facts, judgements, explained)
    return judgements


def suspicious(facts: Sequence[ParameterFacts], judgements: Mapping[str, Judgement]) -> list[ParameterFacts]:
    """The parameters that a second look could say more about."""
    small = {name for loss in {n for f in facts for n in f.by_loss} for name in _small(facts, loss)}
    return [
        fact
        for fact in facts
        if fact.gradient is not None
        and (judgements[fact.name].bad or (fact.name in small and not judgements[fact.name].invariant))
    ]


def _mechanical(fact: ParameterFacts) -> Judgement:
    gradients = [g for g in fact.by_loss.values() if g is not None]
    if not fact.tensor.requires_grad:
        return Judgement("frozen")
    if not gradients:
        return Judgement("missing")
    if not all(g.finite for g in gradients):
        return Judgement("nonfinite")
    if all(g.is_zero for g in gradients):
        return Judgement("zero")
    return Judgement("healthy")


def _usable(facts: Sequence[ParameterFacts], loss: str) -> list[tuple[ParameterFacts, Gradient]]:
    """The parameters with a finite, non-zero gradient of this loss."""
    pairs = ((fact, fact.by_loss.get(loss)) for fact in facts if fact.tensor.requires_grad)
    return [(fact, g) for fact, g in pairs if g is not None and g.finite and not g.is_zero]


def _small(facts: Sequence[ParameterFacts], loss: str) -> list[str]:
    usable = _usable(facts, loss)
    largest = max((g.rms for _, g in usable), default=0.0)
    return [fact.name for fact, g in usable if g.rms <= _noise_relative(fact) * largest]


def _by_size(facts: Sequence[ParameterFacts], loss: str, explained: Explained) -> dict[str, Judgement]:
    usable = _usable(facts, loss)
    if not usable:
        return {}
    largest = max(g.rms for _, g in usable)
    updates = {fact.name: g.rms / max(fact.weight_rms, WEIGHT_FLOOR) for fact, g in usable}
    exploding = max(updates.values()) >= EXPLODING_UPDATE
    usual = [g.rms for f, g in usable if not exploding or updates[f.name] < EXPLODING_NEIGHBOUR_UPDATE]
    largest = max(usual, default=largest)
    vanished = max(updates.values()) < VANISHED_MODEL_UPDATE
    noisy = {
        f.name
        for f, g in usable
        if explained.changes.get(f.name, 0.0) >= NOISE_CHANGE and _relative(g, largest) <= _noise_relative(f)
    }
    siblings = _weights_by_module(usable)
    judgements = {}
    for fact, gradient in usable:
        relative, update = _relative(gradient, largest), updates[fact.name]
        weights = [(w, g) for w, g in siblings[fact.parameter.module] if w is not fact]
        live = [g.rms for w, g in weights if w.name not in noisy]
        if update >= (EXPLODING_NEIGHBOUR_UPDATE if exploding else EXPLODING_UPDATE):
            judgements[fact.name] = Judgement("exploding")
        elif fact.tensor.dim() <= 1 and live and gradient.rms < REDUNDANT_TO_SIBLING * max(live):
            judgements[fact.name] = Judgement("healthy", invariant=True)
        elif fact.name in noisy:
            cancels = explained.cancellation.get(fact.name, 1.0) <= CANCELLED
            judgements[fact.name] = (
                Judgement("healthy", invariant=True) if cancels else Judgement("vanishing", noise=True)
            )
        elif vanished or (relative < VANISHING_RELATIVE and update < VANISHING_UPDATE):
            judgements[fact.name] = Judgement("vanishing")
        else:
            judgements[fact.name] = Judgement("healthy")
    return judgements


def _relative(gradient: Gradient, largest: float) -> float:
    return gradient.rms / largest if largest else math.inf


def _noise_relative(fact: ParameterFacts) -> float:
    return NOISE_RELATIVE_HALF if fact.tensor.dtype.itemsize == 2 else NOISE_RELATIVE


def _weights_by_module(
    usable: Iterable[tuple[ParameterFacts, Gradient]],
) -> defaultdict[str, list[tuple[ParameterFacts, Gradient]]]:
    """The parameters of two or more dimensions of each module."""
    weights: defaultdict[str, list[tuple[ParameterFacts, Gradient]]] = defaultdict(list)
    for fact, gradient in usable:
        if fact.tensor.dim() >= 2:
            weights[fact.parameter.module].append((fact, gradient))
    return weights


def _forgive_self_cancelling_zeros(
    facts: Sequence[ParameterFacts], judgements: dict[str, Judgement], explained: Explained
) -> None:
    """A bias whose gradient sums to exactly 0 while its weight learns cancels itself: the layer loses nothing."""
    live = {f.parameter.module for f in facts if f.tensor.dim() >= 2 and judgements[f.name].verdict == "healthy"}
    for fact in facts:
        if (
            judgements[fact.name].verdict == "zero"
            and fact.name in explained.cancellation
            and fact.parameter.module in live
        ):
            judgements[fact.name] = Judgement("healthy", invariant=True)
