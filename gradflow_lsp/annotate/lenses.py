"""What stands over a probe (run it, cancel it, how it went) and over a model class that has none (write one)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from gradflow_lsp.annotate import words
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

    `stage_of` says what a run of a probe is doing (a key of `words.STAGES`; `None` if none goes on), `shown_of` gives
    the report of its last run.
    """
    for probe in outline.probes:
        stage, shown = stage_of(probe.function), shown_of(probe.function)
        if stage is None:
            yield Lens(probe.name_span, words.RUN, "run", probe.function)
        else:
            yield Lens(probe.name_span, words.running(stage), "showReport", probe.function)
            yield Lens(probe.name_span, words.CANCEL, "cancel", probe.function)
        if shown is not None:
            title = f"{words.outcome(shown.report)}, {words.seconds(shown.report.seconds.total)}"
            yield Lens(probe.name_span, words.stale(title) if shown.stale else title, "showReport", probe.function)
    if not outline.probes:
        for model in outline.classes:
            if model.is_module:
                yield Lens(model.name_span, words.insert_probe(model.name), "insertProbe", model.name)
