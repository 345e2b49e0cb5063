"""Runs on save, where the user has set `run = "onSave"` for the folder of a probe.

Saving a file runs the probes in it, and those whose last run loaded it, or looked for it in vain. Each is run once,
however many files are saved together; a run that still goes on is replaced. A file that is saved unchanged counts as
well: what else the probe reads, such as its data, nobody follows, and saving is how a user says "again".

Only the user's saving in the editor does this. What others do to files on disk, such as a checkout, a formatter or
another editor, makes findings stale and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradflow_lsp.annotate.board import ProbeKey, file_key

if TYPE_CHECKING:
    from gradflow_lsp.server.runs import Run
    from gradflow_lsp.server.session import Session


def saved(session: Session, path: str) -> None:
    """Run the probes that a saved file concerns."""
    for run in session.runs.going_on():
        run.saved_meanwhile.add(file_key(path))
    concerned = {(shown.report.path, shown.report.function) for shown in session.board.over(path)}
    concerned |= {run.probe for run in session.runs.all() if run.shown and run.shown.depends_on(path)}
    concerned |= {(path, probe.function) for probe in session.probes_in(path)}
    for file, function in {ProbeKey.of(*probe): probe for probe in sorted(concerned)}.values():
        _run(session, file, function)


def ended(session: Session, run: Run) -> None:
    """Run a probe anew whose run read files that have been saved with another text since."""
    shown = session.board.of(run.request.path, run.request.function)
    if shown is not None and run.saved_meanwhile & shown.differing:
        _run(session, run.request.path, run.request.function)


def _run(session: Session, path: str, function: str) -> None:
    if session.settings.of(path).run == "onSave":
        for probe in session.probes_in(path):
            if probe.function == function:
                session.runs.start_unless_about_to(path, probe)
