"""Probability distributions: what can be drawn from one, how it scores that, and what both depend on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from . import needs
from .code_values import Layer, Method
from .descent import depending_on
from .values import Dims, Fix, Misfit, Tensor

_STATISTICS = ("mean", "stddev", "variance", "mode", "loc", "scale", "logits", "probs", "concentration", "rate")
_OVER_A_ROW = ("Categorical", "OneHotCategorical", "MultivariateNormal", "LowRankMultivariateNormal", "Dirichlet")
"""The kinds that score a whole row of what their parameters have in the last axis."""


def made(kind: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Return a distribution over parameters, or made from other distributions; of two, their divergence."""
    given = [*arguments, *keywords.values()]
    parts = [part["sample"] if isinstance(part, Layer) else part for part in given]
    first = next((part for part in parts if isinstance(part, Tensor)), Tensor(None))
    base = next((part for part in given if isinstance(part, Layer)), None)
    scored = base["scored"] if base is not None else first.shape
    if base is None and kind in _OVER_A_ROW and first.shape:
        scored = first.shape[:-1]
    if kind == "Independent" and scored is not None:
        axes = keywords.get("reinterpreted_batch_ndims", arguments[1] if len(arguments) > 1 else 1)
        scored = scored[: len(scored) - axes] if isinstance(axes, int) else None
    if kind == "kl_divergence":
        return depending_on(Tensor(scored), parts)
    drawn = first.computed(first.shape, "float32")
    if kind == "Categorical":
        drawn = first.computed(scored, "int64", None if scored is None else -1)
    elif base is not None:
        drawn = base["drawn"]
    kept = {"scored": scored, "drawn": drawn, "sample": first.computed(first.shape, "float32")}
    return Layer("Distribution", {name: depending_on(one, parts) for name, one in kept.items()})


def attribute(distribution: Layer, name: str) -> Any:
    """Return a statistic of a distribution, or a method that gives a tensor."""
    if name == "base_dist":
        return distribution
    return distribution["sample"] if name in _STATISTICS else Method(distribution, name)


def method(distribution: Layer, name: str, arguments: list[Any]) -> Any:
    """Call a method: what is drawn by `sample` takes no gradient, by `rsample` it does."""
    drawn: Tensor = distribution["drawn"]
    if name == "rsample":
        return drawn
    if name == "sample":
        return replace(drawn, reach=frozenset()) if not arguments else Tensor(None, drawn.dtype)
    scored: Dims | None = distribution["scored"]
    for value in arguments[:1] if name in ("log_prob", "cdf") else ():
        if isinstance(value, Tensor):
            _could_be_drawn(value, distribution)
    return depending_on(Tensor(scored), [distribution["sample"], *arguments])


def _could_be_drawn(value: Tensor, distribution: Layer) -> None:
    """Raise a misfit where an input that is to be scored is not as what is drawn."""
    drawn: Tensor = distribution["drawn"]
    if not value.source or drawn.shape is None or value.shape is None:
        return
    if len(value.shape) != len(drawn.shape):
        sizes = tuple(int(size) for size in drawn.shape if size is not None)
        fix = Fix(value.source, "dims", sizes) if len(sizes) == len(drawn.shape) else None
        raise Misfit("something else is scored than what is drawn", [fix])
    for axis, size in enumerate(drawn.shape):
        needs.axis(value, axis, size, "a score")
    if drawn.dtype == "int64":
        options = distribution["sample"].shape
        needs.ids(value, options[-1] if options else None, "a score")
