"""How long each stage of a run takes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable

from .protocol import Stage
from .report import Seconds


class Clock:
    """Times the stages of one run, and tells of each as it begins."""

    def __init__(self, on_stage: Callable[[Stage], None]) -> None:
        self._on_stage = on_stage
        self._began = self._entered = time.perf_counter()
        self._stage: Stage | None = None
        self._spent: defaultdict[Stage | None, float] = defaultdict(float)

    def enter(self, stage: Stage) -> None:
        """End the present stage and begin the next."""
        self._leave()
        self._stage = stage
        self._on_stage(stage)

    def seconds(self) -> Seconds:
        """End the present stage and return the time spent in each, in seconds."""
        self._leave()
        spent = self._spent
        total = self._entered - self._began
        return Seconds(total, spent["import"], spent["probe"], spent["backward"], spent["explain"])

    def _leave(self) -> None:
        now = time.perf_counter()
        self._spent[self._stage] += now - self._entered
        self._entered = now
