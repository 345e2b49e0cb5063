"""Trying a written probe, and mending it by its errors, until it runs or nothing is left to try.

How a probe is run is the caller's: the search needs only what comes of it.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from gradflow_lsp.probe.report import ProbeReport
from gradflow_lsp.source.stub import ProbeStub
from gradflow_lsp.source.stub_repairs.notes import with_note, without_notes
from gradflow_lsp.source.stub_repairs.repairing import repairs

Run = Callable[[ProbeStub], Awaitable[ProbeReport]]
"""Runs a probe in the file that it was written for."""

MOST_TRIALS = 24
"""How many texts are tried, the first one included."""
SECONDS = 30.0
"""How long mending goes on, from the end of the first trial; that one takes what a run may take."""
ENOUGH = 0.9
"""A probe that reaches a larger share of the parameters that learn is taken at once."""

_FIRST = 1_000
"""Ranks before what follows any number of mended errors."""
_MENDABLE = ("probe-raised", "backward-failed", "wrong-return", "non-scalar-loss")
"""The kinds of errors that another text of the probe can avoid."""
_OF_THE_PROBE = (*_MENDABLE, "out-of-memory")
_PLACE = re.compile(r" \(line \d+\)(?=\.$)")


@dataclass(frozen=True)
class Trial:
    """A probe and the report of its run; `errors` are those of the probes that it was made from."""

    stub: ProbeStub
    report: ProbeReport
    errors: tuple[str, ...] = ()

    @property
    def mended(self) -> int:
        """How many errors were got rid of on the way to it."""
        return len(set(self.errors) - {_error_of(self.report)})

    @property
    def runs(self) -> bool:
        """Whether the probe ran to its end."""
        return self.report.status == "ok"

    @property
    def reached(self) -> tuple[int, int]:
        """How many of the parameters that require a gradient get one, and how many there are."""
        learning = [one for one in self.report.parameters if one.verdict not in ("frozen", "unregistered")]
        return sum(one.verdict != "missing" for one in learning), len(learning)

    @property
    def is_tried(self) -> bool:
        """Whether the run says anything about the probe: not where no interpreter, no torch or the file kept it off."""
        return self.runs or self._error_kind in _OF_THE_PROBE or self.report.status in ("crashed", "timeout")

    @property
    def is_settled(self) -> bool:
        """Whether no other text would do better, or none can."""
        reached, learning = self.reached
        return reached > ENOUGH * learning if self.runs else self._error_kind not in _MENDABLE

    @property
    def reason(self) -> str | None:
        """Why it did not run, in a sentence; without the line where that is one of the probe itself."""
        error, first = self.report.error, self.report.line
        if error is None:
            return None
        last = first + len(self.stub.text.splitlines())
        is_within = error.location is not None and first <= error.location.line <= last
        return _PLACE.sub("", error.message) if is_within else error.message

    @property
    def _error_kind(self) -> str | None:
        return self.report.error.kind if self.report.error else None

    @property
    def _rank(self) -> tuple[bool, float]:
        reached, learning = self.reached
        return self.runs, reached / learning if learning else self.mended

    def is_better_than(self, other: Trial) -> bool:
        """Say whether this is to be preferred; between equals, what was found first is."""
        return self._rank > other._rank


async def verified(
    stub: ProbeStub,
    run: Run,
    *,
    on_trial: Callable[[int], None] = lambda number: None,
    most: int = MOST_TRIALS,
    seconds: float = SECONDS,
) -> Trial:
    """Return the best of the probes that come of mending `stub` by the errors of its runs; it says itself how it is.

    One that runs carries no notes, one that does not carries the reason as its one note. `on_trial` is told the number
    of each trial before it begins.
    """
    on_trial(1)
    best = Trial(stub, await run(stub))
    search = _Search()
    search.go_on_from(best)
    try:
        async with asyncio.timeout(seconds):
            for number in range(2, most + 1):
                if best.is_settled or (step := search.next()) is None:
                    break
                on_trial(number)
                trial = Trial(step.stub, await run(step.stub), (*step.before.errors, _error_of(step.before.report)))
                if trial.is_better_than(best):
                    best = trial
                search.go_on_from(trial)
    except TimeoutError:
        pass
    return _noted(best)


@dataclass(frozen=True)
class _Step:
    """A text to try, made from one that was tried."""

    stub: ProbeStub
    before: Trial


class _Search:
    """What is left to try: first what follows a mended error, the most mended first; no text twice."""

    def __init__(self) -> None:
        self._left: list[tuple[tuple[bool, int, int], _Step]] = []
        self._order = itertools.count()
        self._seen: set[str] = set()

    def go_on_from(self, trial: Trial) -> None:
        """Add what may mend the error that a trial ended in; last where that error has been there before."""
        is_stuck = _error_of(trial.report) in trial.errors
        self._seen.add(trial.stub.text)
        plainer = trial.stub.plainer
        if plainer is not None and plainer not in self._seen:
            self._seen.add(plainer)
            step = _Step(replace(trial.stub, text=plainer), trial)
            heapq.heappush(self._left, ((False, -_FIRST, next(self._order)), step))
        for text in repairs(trial.stub.text, _said(trial.report)):
            if text not in self._seen:
                self._seen.add(text)
                step = _Step(replace(trial.stub, text=text), trial)
                heapq.heappush(self._left, ((is_stuck, -trial.mended, next(self._order)), step))

    def next(self) -> _Step | None:
        """Take what is to be tried next."""
        return heapq.heappop(self._left)[1] if self._left else None


def _said(report: ProbeReport) -> str:
    """Return all that is known of the error: the sentence is short, the traceback has the exception in full."""
    error = report.error
    return f"{error.message}\n{error.traceback or ''}" if error else ""


def _error_of(report: ProbeReport) -> str:
    """Return what tells an error from others: where it is, and its sentence without the numbers that repairs change."""
    error = report.error
    if error is None:
        return ""
    place = f"{error.location.line}:{error.location.column}" if error.location else ""
    return f"{place} {re.sub('[0-9]+', '', error.message)}"


def _noted(trial: Trial) -> Trial:
    text, reason = trial.stub.text, trial.reason
    if trial.runs and trial.reached[0]:
        stub = replace(trial.stub, text=without_notes(text), todo=[])
    elif trial.is_tried and reason is not None:
        stub = replace(trial.stub, text=with_note(text, reason), todo=[reason])
    else:
        stub = trial.stub
    return replace(trial, stub=stub)
