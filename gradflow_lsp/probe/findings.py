"""What is to be said of the probe or its losses as a whole, rather than of a parameter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .causes.evidence import Evidence, Explanation
from .causes.nonfinite import forward_birth, made_in_forward
from .report import Finding, Location, Seconds

_SLOW_IMPORT = 5.0
"""Seconds: what large packages take to import, on a slow disk, and more than a person waits for gladly."""


def about_losses(
    evidence: Evidence, causes: Sequence[Explanation], returned_at: Callable[[], Location]
) -> list[Finding]:
    """Say which losses have no graph or are not finite, and whether the probe ran backward itself.

    `returned_at` says where the probe returns; it reads the file, so it is asked only where there is something to say.
    """
    findings: list[Finding] = []
    several = len(evidence.outcome.losses) > 1
    for name, loss in evidence.outcome.losses.items():
        called = f"The loss {name}" if several else "The loss"
        if not loss.requires_grad:
            findings.append(Finding("loss-without-graph", "warning", _without_graph(called, causes), returned_at()))
        if not math.isfinite(evidence.loss_values[name]):
            findings.append(_nonfinite(called, evidence.loss_values[name], evidence, returned_at()))
    backwards = evidence.own_backwards
    if backwards:
        location = evidence.at(backwards[-1].site).location
        if not evidence.read_as_left:
            message = "The probe ran backward itself. Those gradients were set aside for the returned loss's."
            findings.append(Finding("backward-in-probe", "information", message, location))
        elif any(backward.accumulates for backward in backwards):
            message = (
                f"The probe ran backward {len(backwards)} times without zeroing gradients in between: "
                "the numbers are sums. Return the loss and leave backward out."
            )
            findings.append(Finding("accumulated-gradients", "warning", message, location))
        else:
            message = (
                "The probe ran backward itself, so its own gradients were read. Return the loss; it is run for you."
            )
            findings.append(Finding("backward-in-probe", "information", message, location))
    return findings


def slow_import(file: str, seconds: Seconds) -> list[Finding]:
    """Say that importing the file takes long, where that is most of the run."""
    if seconds.import_ < _SLOW_IMPORT or seconds.import_ < seconds.total / 2:
        return []
    message = (
        f"Importing {file} took {seconds.import_:.1f} s of the run's {seconds.total:.1f} s. "
        "Move what takes long into functions: at its top level, it is done again in every run."
    )
    return [Finding("slow-import", "information", message)]


def not_confirmed(reason: str, location: Location) -> Finding:
    """Say that a further call of the probe, which would have confirmed the verdicts, did not come about."""
    return Finding("not-confirmed", "information", f"Not confirmed by calling the probe again: {reason}.", location)


def _without_graph(called: str, causes: Sequence[Explanation]) -> str:
    cut = max(causes, key=lambda c: len(c.parameters), default=None)
    sentence = f"{called} has no graph: no gradient can reach any parameter."
    if cut is None or cut.kind in ("not-called", "frozen", "unregistered", "unknown"):
        return f"{sentence} Compute it from the model's output with differentiable operations."
    return f"{sentence} It is cut off at line {cut.location.line}: {cut.message}"


def _nonfinite(called: str, value: float, evidence: Evidence, returned_at: Location) -> Finding:
    birth = forward_birth(evidence)
    what = f"{called} is {'NaN' if math.isnan(value) else 'infinite'}."
    if birth is None:
        return Finding("nonfinite-loss", "error", what, returned_at)
    message = f"{what} {made_in_forward(evidence, birth)}"
    return Finding("nonfinite-loss", "error", message, evidence.place(birth).location)
