"""What stands over a probe (run it, cancel it, how it went) and over a model class that has none (write one)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from gradflow_lsp.annotate import activity, words
from gradflow_lsp.annotate.board import Shown
from gradflow_lsp.source.outline import Outline
from gradflow_lsp.source.spans import Span


@dataclass(frozen=True)
class Lens:
    """A title over a name, and what choosing it does; `subject` is the probe's function or the class's name."""

    at: Span
    title: str
    action: Literal["run", "cancel", "showReport", "insertProbe"]
    subject: str


def lenses(
    outline: Outline, stage_of: Callable[[str], str | None], shown_of: Callable[[str], Shown | None]
) -> Iterator[Lens]:
    """Yield the lenses of a file.

    `stage_of` says what the last run of a probe is doing (a key of `activity.STAGES`), `cancelled` if it was, `None` if
    it was done or there was none; `shown_of` gives the report that is on the lines.
    """
    for probe in outline.probes:
        stage, shown = stage_of(probe.function), shown_of(probe.function)
        if stage is not None and stage in activity.STAGES:
            yield Lens(probe.name_span, activity.running(stage), "showReport", probe.function)
            yield Lens(probe.name_span, activity.CANCEL, "cancel", probe.function)
        else:
            yield Lens(probe.name_span, activity.RUN, "run", probe.function)
        outcome = _outcome(shown) if shown else None
        if stage == "cancelled":
            outcome = activity.cancelled(outcome)
        if outcome is not None:
            yield Lens(probe.name_span, outcome, "showReport", probe.function)
    if not outline.probes:
        for model in outline.classes:
            if model.is_module:
                yield Lens(model.name_span, activity.insert_probe(model.name), "insertProbe", model.name)


def _outcome(shown: Shown) -> str:
    outcome = f"{shown.outcome()}, {words.seconds(shown.report.seconds.total)}"
    return words.stale(outcome) if shown.stale else outcome
