"""Probability distributions: only what they depend on matters, since any of them can score its own sample."""

from __future__ import annotations

from typing import Any

from .code_values import Layer, Method
from .descent import depending_on
from .values import Tensor


def made(arguments: list[Any], keywords: dict[str, Any]) -> Layer:
    """Return a distribution over parameters, or made from other distributions."""
    parts = [part["sample"] if isinstance(part, Layer) else part for part in [*arguments, *keywords.values()]]
    first = next((part for part in parts if isinstance(part, Tensor)), Tensor(None))
    return Layer("Distribution", {"sample": depending_on(first.computed(first.shape, "float32"), parts)})


def attribute(distribution: Layer, name: str) -> Any:
    """Return a statistic of a distribution, or a method that gives a tensor."""
    statistics = ("mean", "stddev", "variance", "mode", "loc", "scale", "logits", "probs", "base_dist")
    if name == "base_dist":
        return distribution
    return distribution["sample"] if name in statistics else Method(distribution, name)
