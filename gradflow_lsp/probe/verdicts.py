"""From facts to verdicts: the only place with thresholds.

Sizes are judged by the root mean square of a gradient, relative to the largest of the same loss (`relative`) and to the
parameter's own size (`update`), since an absolute size says nothing: healthy models at initialisation span ten decades.
The numbers were chosen on about a hundred hand-made models that were also trained for 400 steps: below `relative` 1e-8
neither SGD nor Adam (whose eps of 1e-8 takes over there) moves a layer any more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
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

NOISE_RELATIVE = 3e-5
NOISE_RELATIVE_HALF = 1e-1
"""Rounding noise is looked for below this share of the largest gradient; half precision rounds more coarsely.
Behind a norm of one value 1.8e-5 was seen, and no more than 1e-5 on another processor."""

SUSPICIOUS_RELATIVE = 3e-6
SUSPICIOUS_RELATIVE_HALF = 1e-3
"""Below this share a healthy verdict is worth a second look. Of 61 published models 5 have such gradients, here as at
1e-6; 10 would at 5e-6. How large mere noise gets depends on the processor: 2e-6 was seen behind a norm of one value."""

NOISE_CHANGE = 0.1
"""A true gradient scales with the loss to 3e-6 (0.02 at worst); rounding noise is drawn anew and changes by 0.67."""

CANCELLED = 5e-6
"""A sum of which no more than this share is left cancels itself: 2.2e-7 at most for rounding noise in real models.
In coarser formats one epsilon is left at most (measured: 2.8e-4 in bfloat16, 3.7e-5 in half); of true sums 0.14."""


@dataclass(frozen=True)
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


_HEALTHY, _INVARIANT = Judgement("healthy"), Judgement("healthy", invariant=True)
_MECHANICAL: tuple[Verdict, ...] = ("frozen", "missing", "zero", "nonfinite")
_JUDGEMENTS: dict[Verdict, Judgement] = {"healthy": _HEALTHY, **{v: Judgement(v) for v in _MECHANICAL}}


def judge(facts: Sequence[ParameterFacts], explained: Explained | None = None) -> dict[str, Judgement]:
    """Judge every parameter, by name. Without a second backward, rounding noise is only told by the sibling weight."""
    explained = explained or Explained()
    judgements = {fact.name: _JUDGEMENTS[mechanical(fact)] for fact in facts}
    for loss in facts[0].by_loss if facts else ():
        for name, judgement in _by_size(facts, loss, explained).items():
            if judgements[name] is _HEALTHY:
                judgements[name] = judgement
    _forgive_self_cancelling_zeros(facts, judgements, explained)
    return judgements


def suspicious(facts: Sequence[ParameterFacts], judgements: Mapping[str, Judgement]) -> list[ParameterFacts]:
    """The parameters that a second look could say more about."""
    small = {name for loss in facts[0].by_loss for name in _small(facts, loss)} if facts else set()
    return [
        fact
        for fact in facts
        if fact.gradient is not None
        and (judgements[fact.name].bad or (fact.name in small and not judgements[fact.name].invariant))
    ]


def watched(facts: Sequence[ParameterFacts], judgements: Mapping[str, Judgement]) -> list[ParameterFacts]:
    """The parameters to ask about once a second look is taken: the suspicious, and what could be mere noise."""
    asked = suspicious(facts, judgements)
    if not asked:
        return []
    names = {fact.name for fact in asked}
    low = {name for loss in facts[0].by_loss for name in _small(facts, loss, NOISE_RELATIVE)}
    return [f for f in facts if f.name in names or (f.name in low and judgements[f.name] is _HEALTHY)]


def mechanical(fact: ParameterFacts) -> Verdict:
    """The verdict by what is there, whatever its size: `frozen`, `missing`, `zero`, `nonfinite`, else `healthy`."""
    if not fact.requires_grad:
        return "frozen"
    verdict: Verdict = "missing"
    for gradient in fact.by_loss.values():
        if gradient is None:
            continue
        if not gradient.finite:
            return "nonfinite"
        if gradient.zero_fraction < 1.0:
            verdict = "healthy"
        elif verdict == "missing":
            verdict = "zero"
    return verdict


def _usable(facts: Sequence[ParameterFacts], loss: str) -> list[tuple[ParameterFacts, Gradient]]:
    """The parameters with a finite, non-zero gradient of this loss."""
    pairs = ((fact, fact.by_loss.get(loss)) for fact in facts if fact.requires_grad)
    return [(fact, g) for fact, g in pairs if g is not None and g.finite and not g.is_zero]


def _small(facts: Sequence[ParameterFacts], loss: str, limit: float = 0.0) -> list[str]:
    """The parameters below the suspicious share of the largest gradient of one loss, or below `limit`."""
    usable = _usable(facts, loss)
    largest = max((g.rms for _, g in usable), default=0.0)
    return [fact.name for fact, g in usable if g.rms <= max(_suspicious_relative(fact), limit) * largest]


def _by_size(facts: Sequence[ParameterFacts], loss: str, explained: Explained) -> dict[str, Judgement]:
    """The parameters that are not plainly healthy by the sizes of one loss's gradients."""
    usable = _usable(facts, loss)
    if not usable:
        return {}
    updates = [g.rms / max(fact.weight_rms, WEIGHT_FLOOR) for fact, g in usable]
    exploding = max(updates) >= EXPLODING_UPDATE
    vanished = max(updates) < VANISHED_MODEL_UPDATE
    too_large = EXPLODING_NEIGHBOUR_UPDATE if exploding else EXPLODING_UPDATE
    largest = max(
        (g.rms for (_, g), update in zip(usable, updates, strict=True) if update < too_large), default=math.inf
    )
    noisy = {fact.name for fact, g in usable if _is_noise(fact, g.rms / largest, explained)}
    noisy |= _beside_noise(usable, noisy, largest, explained)
    live = _live_weights(usable, noisy, largest)
    judgements = {}
    for (fact, gradient), update in zip(usable, updates, strict=True):
        relative = gradient.rms / largest
        if update >= too_large:
            judgements[fact.name] = Judgement("exploding")
        elif fact.dimensions <= 1 and gradient.rms < REDUNDANT_TO_SIBLING * live.get(fact.parameter.module, 0.0):
            judgements[fact.name] = _INVARIANT
        elif fact.name in noisy:
            harmless = cancels(fact, explained)
            judgements[fact.name] = _INVARIANT if harmless else Judgement("vanishing", noise=True)
        elif vanished or _vanishes(relative, update):
            judgements[fact.name] = Judgement("vanishing")
    return judgements


def _vanishes(relative: float, update: float) -> bool:
    return relative < VANISHING_RELATIVE and update < VANISHING_UPDATE


def _is_noise(fact: ParameterFacts, relative: float, explained: Explained) -> bool:
    """Whether a small gradient is drawn anew when the loss is scaled; only a second backward can tell."""
    limit = NOISE_RELATIVE_HALF if fact.tensor.dtype.itemsize == 2 else NOISE_RELATIVE
    drawn_anew = explained.changes.get(fact.name, 0.0) >= NOISE_CHANGE
    return relative <= limit and (drawn_anew or cancels(fact, explained))


def _beside_noise(
    usable: Sequence[tuple[ParameterFacts, Gradient]], noisy: Container[str], largest: float, explained: Explained
) -> set[str]:
    """The small vectors of layers whose weight gets noise that does not cancel there.

    What a bias gets is the same signal summed up; of few numbers, another draw of noise is now and then much the same.
    """
    layers = {
        f.parameter.module for f, _ in usable if f.dimensions >= 2 and f.name in noisy and not cancels(f, explained)
    }
    beside = ((f, g) for f, g in usable if f.dimensions <= 1 and f.parameter.module in layers)
    return {f.name for f, g in beside if g.rms <= NOISE_RELATIVE * largest}


def cancels(fact: ParameterFacts, explained: Explained) -> bool:
    """Whether what arrived at a parameter was measured to cancel itself, as far as its format can tell."""
    found = explained.cancellation.get(fact.name)
    return found is not None and found.left <= max(CANCELLED, found.eps)


def _live_weights(
    usable: Iterable[tuple[ParameterFacts, Gradient]], noisy: Container[str], largest: float
) -> dict[str, float]:
    """The largest gradient, by root mean square, among the weights (of two or more dimensions) of each module.

    An exploding one is no measure, and one that vanishes beside the `largest` is not alive.
    """
    live: dict[str, float] = {}
    for fact, gradient in usable:
        update = gradient.rms / max(fact.weight_rms, WEIGHT_FLOOR)
        exploding, vanishing = update >= EXPLODING_UPDATE, _vanishes(gradient.rms / largest, update)
        if fact.dimensions >= 2 and fact.name not in noisy and not (exploding or vanishing):
            live[fact.parameter.module] = max(gradient.rms, live.get(fact.parameter.module, 0.0))
    return live


def _suspicious_relative(fact: ParameterFacts) -> float:
    return SUSPICIOUS_RELATIVE_HALF if fact.tensor.dtype.itemsize == 2 else SUSPICIOUS_RELATIVE


def _forgive_self_cancelling_zeros(
    facts: Sequence[ParameterFacts], judgements: dict[str, Judgement], explained: Explained
) -> None:
    """A parameter whose gradient sums to exactly 0 cancels itself: nothing is lost, if the rest of its layer learns."""
    weights: defaultdict[str, list[ParameterFacts]] = defaultdict(list)
    for fact in facts:
        if fact.dimensions >= 2:
            weights[fact.parameter.module].append(fact)
    for fact in facts:
        if judgements[fact.name].verdict == "zero" and cancels(fact, explained):
            others = [judgements[other.name] for other in weights[fact.parameter.module] if other is not fact]
            if not others or any(judgement.verdict == "healthy" for judgement in others):
                judgements[fact.name] = _INVARIANT
