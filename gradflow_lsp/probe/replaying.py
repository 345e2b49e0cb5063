"""The escape test: whether a zero gradient appears once the parameters that do learn have moved a little.

A zero-initialised gate, head or low-rank factor starves what lies behind it only until its own first step; two zeros in
a row, a dead activation or a mask do so for ever. To tell them apart the probe is called again with every parameter
that has a usable gradient moved a small normalised step against it, before the first forward. On eight published models
with 735 such zeros by design, all moved after one replay; dead units, doubled zeros and all-zero stacks never did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.nn.parameter import UninitializedParameter

from .backward import ParameterFacts, clean_backward
from .definitions import Definitions
from .explaining import changes_when_scaled
from .outcome import Outcome
from .verdicts import NOISE_CHANGE, judge

STEP = 0.01
"""How far a parameter is moved, relative to its own size."""

SMALLEST_STEP = 1e-3
"""The least root mean square of a step, so that parameters at zero move too."""

GROWTH = 30.0
"""A vanishing gradient that grows by more than this was waiting; in stacks of saturated layers it stays as it was."""

REPLAYS = 2
"""One replay opens one gate; some designs close two in a row (a zero head behind zero-initialised modulation)."""


class NotReplayed(Exception):
    """The probe could not be repeated, so nothing is known. The message says what it did instead."""


@dataclass
class _Moved:
    """New values: of what each call of the probe creates, by its order; and of what is there for all calls."""

    created: dict[int, torch.Tensor] = field(default_factory=dict)
    lasting: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)


def wake(
    facts: Sequence[ParameterFacts],
    asleep: Sequence[str],
    definitions: Definitions,
    call: Callable[[Definitions], Outcome],
) -> set[str]:
    """Return which of the `asleep` parameters get a usable gradient after at most `REPLAYS` small steps of the others.

    A gradient that was there but vanishing counts only after the first step: with more, anything grows at last.
    `definitions` saw the first call; `call` runs the probe once more under fresh ones. Raises `NotReplayed`.
    """
    before = {fact.name: fact.gradient.rms if fact.gradient else 0.0 for fact in facts}
    awake: set[str] = set()
    for replay in range(REPLAYS):
        still = set(asleep) - awake
        moved = _moved([fact for fact in facts if fact.name not in still], definitions)
        if not moved.created and not moved.lasting:
            break
        facts, definitions, woken = _replay(moved, call, {name: before[name] for name in asleep})
        awake |= {name for name in woken if replay == 0 or not before[name]}
        if awake == set(asleep):
            break
    return awake


def _grew(before: float, after: ParameterFacts) -> bool:
    gradient = after.gradient
    return gradient is not None and gradient.finite and gradient.rms > GROWTH * before


def _moved(facts: Sequence[ParameterFacts], definitions: Definitions) -> _Moved:
    moved = _Moved()
    for fact in facts:
        gradient, place = fact.tensor.grad, definitions.order(fact.tensor)
        usable = fact.gradient is not None and fact.gradient.finite and not fact.gradient.is_zero
        if gradient is None or not usable or _is_expanded(fact.tensor):
            continue
        dense = gradient.to_dense() if gradient.is_sparse else gradient
        size = float(torch.linalg.vector_norm(dense))
        if not size or not math.isfinite(size):
            continue
        length = max(STEP * fact.weight_rms, SMALLEST_STEP) * math.sqrt(dense.numel())
        value = fact.tensor.detach() - dense * (length / size)
        if place is None:
            moved.lasting.append((fact.tensor, value))
        else:
            moved.created[place] = value
    return moved


def _is_expanded(tensor: torch.Tensor) -> bool:
    """Whether several entries are one and the same number in memory, so that nothing can be written into them."""
    sizes = zip(tensor.shape, tensor.stride(), strict=True) if tensor.layout is torch.strided else ()
    return any(size > 1 and not step for size, step in sizes)


def _replay(
    moved: _Moved, call: Callable[[Definitions], Outcome], asleep: Mapping[str, float]
) -> tuple[list[ParameterFacts], Definitions, set[str]]:
    """Call the probe with moved parameters; return what it shows, and which of those `asleep`, by their size, woke."""
    definitions = Definitions.unlocated()
    injection = _Injection(definitions, moved.created)
    handle = register_module_forward_pre_hook(injection)
    before = [(tensor, tensor.detach().clone()) for tensor, _ in moved.lasting]
    try:
        _write(moved.lasting)
        outcome = call(definitions)
        if not injection.done and not moved.lasting:
            raise NotReplayed("no module was called in which the parameters could be moved first")
        facts = clean_backward(outcome.parameters(), outcome.losses, keep_graph=True)
        return facts, definitions, _woken(facts, outcome, asleep)
    except NotReplayed:
        raise
    except (Exception, SystemExit) as error:
        raise NotReplayed(f"it raised {type(error).__name__}") from error
    finally:
        handle.remove()
        _write(before)


def _woken(facts: Sequence[ParameterFacts], outcome: Outcome, asleep: Mapping[str, float]) -> set[str]:
    after = {fact.name: fact for fact in facts}
    if not set(asleep) <= set(after):
        raise NotReplayed("it built a model with other parameters")
    judged = judge(facts)
    grown = [after[name] for name, size in asleep.items() if _grew(size, after[name]) and not judged[name].bad]
    noise = changes_when_scaled(outcome.losses, facts, grown) if grown else {}
    return {fact.name for fact in grown if noise.get(fact.name, 0.0) < NOISE_CHANGE}


@torch.no_grad()
def _write(values: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    for tensor, value in values:
        tensor.copy_(value)


class _Injection:
    """Writes the moved values into the parameters just before they are first used.

    Values that an initialiser overwrites afterwards, or that a lazy layer has no room for yet, are written at the next
    call of a module that holds them.
    """

    def __init__(self, definitions: Definitions, moved: Mapping[int, torch.Tensor]) -> None:
        self.done = False
        self._definitions = definitions
        self._moved = moved
        self._versions: dict[int, int] = {}

    def __call__(self, module: nn.Module, arguments: Any) -> None:
        parameters = list(module.parameters()) if self.done else list(self._definitions.parameters())
        for parameter in parameters:
            place = self._definitions.order(parameter)
            value = None if place is None else self._moved.get(place)
            if value is None or isinstance(parameter, UninitializedParameter) or value.shape != parameter.shape:
                continue
            if self._versions.get(id(parameter)) != getattr(parameter, "_version", 0):
                with torch.no_grad():
                    parameter.copy_(value)
                self._versions[id(parameter)] = getattr(parameter, "_version", 0)
                self.done = True
