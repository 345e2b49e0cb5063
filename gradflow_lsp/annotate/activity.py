"""Every sentence about what is being done: about runs while they go on, and about probes that are being written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gradflow_lsp.annotate.words import STATUS, counted
from gradflow_lsp.probe.report import ProbeReport

STAGES: Mapping[str, str] = {
    "queued": "waiting",
    "import": "importing the file",
    "probe": "running the probe",
    "backward": "running backward",
    "explain": "looking for causes",
}
"""What a run is doing, by stage."""

RUN = "Run gradient probe"
CANCEL = "Cancel"


def run_of(path: str, function: str, *, among: int = 1) -> str:
    """Return the title of a run; of one `among` several that were asked for together, with its file."""
    name = "" if function == "gradflow_probe" else f" {function}"
    return f"Gradient probe{name}" + (f" in {Path(path).name}" if among > 1 else "")


def running(stage: str) -> str:
    """Return what a lens says while a run goes on."""
    return f"Gradient probe: {STAGES[stage]}…"


def cancelled(before: str | None) -> str:
    """Return what a lens says after a cancelled run; `before` is the outcome that is still shown."""
    return STATUS["cancelled"] if before is None else f"{STATUS['cancelled']}; before: {before}"


def failed(reports: Sequence[ProbeReport], out_of: int) -> str:
    """Return the sentence that of some runs, `out_of` in all, these did not get to a report on the model."""
    first = reports[0]
    name, why = f"{first.function} in {Path(first.path).name}", first.error.message if first.error else ""
    if len(reports) == 1:
        return f"{name} {STATUS[first.status]}: {why}"
    return f"{len(reports)} of {out_of} gradient probes could not run. The first, {name}: {why}"


def insert_probe(class_name: str) -> str:
    """Return the title of the action that writes a probe."""
    return f"Insert gradient probe for {class_name}"


WRITING = "writing it"
"""What is done first for a probe that is to be inserted."""
INSERTED, NOT_INSERTED = "inserted", "not inserted"
EDITED_MEANWHILE = (
    "The file was edited while its gradient probe was written and tried, so nothing was inserted. Try again."
)
NOT_IN_A_FILE = "the document is not saved in a file."
RUNS_NOTHING = "this editor asked for no run."
REFUSED = "The editor did not apply the edit that inserts the gradient probe. Try again."


def trying(number: int) -> str:
    """Return what is being done with a written probe: the `number` of the trial counts from 1."""
    return "trying it" if number == 1 else f"mending it, trial {number}"


def probe_for(class_name: str) -> str:
    """Return the title of the work on a new probe."""
    return f"Gradient probe for {class_name}"


def reaches(reached: int, learning: int) -> str:
    """Return the outcome of trying a new probe that runs."""
    return f"it runs, and {reached} of {counted(learning, 'parameter')} get a gradient"


def inserted_untried(class_name: str, why: str) -> str:
    """Return that a probe was inserted as it was written; `why` is a sentence, with its full stop."""
    return f"The gradient probe for {class_name} was inserted without trying it: {why}"


def inserted_failing(class_name: str, error: str) -> str:
    """Return that a probe was inserted that does not run yet; `error` is a sentence, with its full stop."""
    return f"The gradient probe for {class_name} was inserted, but it does not run yet: {error} Complete it by hand."
