"""Runs on save, where the user has set `run = "onSave"` for the folder of a probe.

Saving a file runs the probes in it, and those whose last run loaded it, or looked for it in vain. Each is run once,
however many files are saved together; a run that still goes on is replaced. A file that is saved unchanged counts as
well: what else the probe reads, such as its data, nobody follows, and saving is how a user says "again".

Only the user's saving in the editor does this. What others do to files on disk, such as a checkout, a formatter or
another editor, makes findings stale and no more.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gradflow_lsp.annotate.board import ProbeKey, file_key

if TYPE_CHECKING:
    from gradflow_lsp.server.runs import Run
    from gradflow_lsp.server.session import Session


class OnSave:
    """Which probes are to be run for what was saved."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._due: dict[ProbeKey, str] = {}

    def saved(self, path: str) -> None:
        """Have the probes run that a saved file concerns, together with those of other files saved at once."""
        session = self._session
        for shown in session.board.over(path):
            self._want(shown.report.path, shown.report.function)
        for probe in session.probes_in(path):
            self._want(path, probe.function)
        for run in session.runs.going_on():
            run.saved_meanwhile.add(file_key(path))

    def ended(self, run: Run) -> None:
        """Have a probe run anew whose run read files that have been saved with another text since."""
        shown = self._session.board.of(run.request.path, run.request.function)
        if shown is not None and run.saved_meanwhile & shown.differing:
            self._want(run.request.path, run.request.function)

    def _want(self, path: str, function: str) -> None:
        if self._session.settings.of(path).run == "onSave":
            if not self._due:
                asyncio.get_running_loop().call_soon(self._start)
            self._due.setdefault(ProbeKey.of(path, function), path)

    def _start(self) -> None:
        due, self._due = self._due, {}
        for key, path in sorted(due.items()):
            for probe in self._session.probes_in(path):
                if probe.function == key.function:
                    self._session.runs.start(path, probe)
