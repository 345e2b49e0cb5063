"""What is to be said of the probe or its losses as a whole, rather than of a parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .causes.evidence import Evidence, Explanation
from .report import Finding, Location


def about_losses(evidence: Evidence, causes: Sequence[Explanation], returned_at: Location) -> list[Finding]:
    """Say which losses have no graph or are not finite, and whether the probe ran backward itself."""
    findings: list[Finding] = []
    several = len(evidence.outcome.losses) > 1
    for name, loss in evidence.outcome.losses.items():
        called = f"The loss {name}" if several else "The loss"
        if not loss.requires_grad and not evidence.tracer.backwards:
            findings.append(Finding("loss-without-graph", "warning", _without_graph(called, causes), returned_at))
        if not math.isfinite(float(loss.detach())):
            findings.append(_nonfinite(called, float(loss.detach()), causes, returned_at))
    backwards = evidence.tracer.backwards
    if backwards:
        site = backwards[-1]
        location = evidence.probe_location if site is None else site.location()
        if evidence.tracer.accumulated:
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


def not_confirmed(count: int, reason: str, location: Location) -> Finding:
    """Say that zero starts could not be told from stuck ones."""
    these = "This zero or vanishing gradient" if count == 1 else f"These {count} zero or vanishing gradients"
    message = f"{these} may be a planned start; that was not confirmed, because {reason}."
    return Finding("not-confirmed", "information", message, location)


def _without_graph(called: str, causes: Sequence[Explanation]) -> str:
    cut = max(causes, key=lambda c: len(c.parameters), default=None)
    sentence = f"{called} has no graph: no gradient can reach any parameter."
    if cut is None or cut.kind in ("not-called", "frozen", "unregistered", "unknown"):
        return f"{sentence} Compute it from the model's output with differentiable operations."
    return f"{sentence} It is cut off at line {cut.location.line}: {cut.message}"


def _nonfinite(called: str, value: float, causes: Sequence[Explanation], returned_at: Location) -> Finding:
    first = next((c for c in causes if c.kind == "nonfinite-op"), None)
    what = "NaN" if math.isnan(value) else "infinite"
    where = "" if first is None else f" {first.message}"
    location = returned_at if first is None else first.location
    return Finding("nonfinite-loss", "error", f"{called} is {what}.{where}", location)
