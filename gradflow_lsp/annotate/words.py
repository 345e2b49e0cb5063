"""Every sentence that stands on a source line: diagnostics, lenses, hints and cards take their words from here.

What is wrong comes first, then where and why. Numbers are written once and alike by `number`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gradflow_lsp.probe.report import Cause, Location, ParameterReport, ProbeReport, Verdict

SHOWN_NAMES = 3
"""How many parameters a sentence names before it says `…`."""
SHOWN_CAUSES = 2

STALE = "stale: edited since the run"

WORST_FIRST: tuple[Verdict, ...] = (
    "nonfinite", "missing", "zero", "exploding", "vanishing", "unregistered", "frozen", "reached", "healthy",
)  # fmt: skip

_WHAT: dict[Verdict, str] = {
    "missing": "No gradient reaches {names}.",
    "zero": "The gradient of {names} is exactly 0.",
    "vanishing": "The gradient of {names} is too small to learn from{norm}.",
    "exploding": "The gradient of {names} is far too large{norm}.",
    "nonfinite": "The gradient of {names} is NaN or infinite.",
    "unregistered": "The loss reaches {names}, but parameters() does not list it: no optimizer will update it.",
    "frozen": "No gradient is computed for {names}: requires_grad is False.",
}

_STARVES: dict[Verdict, str] = {
    "missing": "It keeps the gradient from {names}.",
    "zero": "It makes the gradient of {names} exactly 0.",
    "vanishing": "It makes the gradient of {names} too small to learn from.",
    "exploding": "It makes the gradient of {names} far too large.",
    "nonfinite": "It makes the gradient of {names} NaN or infinite.",
    "unregistered": "It hides {names} from every optimizer.",
    "frozen": "It freezes {names}.",
}


def number(value: float | None) -> str:
    """Return a number as people read it, with at least 4 significant digits; `none` where there is none."""
    if value is None:
        return "none"
    if value == 0 or not math.isfinite(value):
        return f"{value:.6g}"
    size = abs(value)
    if size < 1e-3 or size >= 1e6:
        return f"{value:.4e}"
    return f"{value:.6f}" if size < 1 else f"{value:.6g}"


def share(fraction: float | None) -> str:
    """Return a fraction as a percentage that says 0 % and 100 % only where that is exact."""
    if fraction is None:
        return "none"
    percent = 100 * fraction
    if 0 < percent < 0.1:
        return "< 0.1 %"
    if 99.9 < percent < 100:
        return "> 99.9 %"
    return f"{percent:.3g} %"


def seconds(duration: float) -> str:
    """Return a duration in seconds with three significant digits."""
    return f"{duration:.3g} s"


def counted(count: int, noun: str) -> str:
    """Return `1 parameter`, `2 parameters`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def names(parameters: Sequence[str]) -> str:
    """Return one name as it is; of several their count and the first three."""
    if len(parameters) == 1:
        return parameters[0]
    listed = ", ".join(parameters[:SHOWN_NAMES])
    return f"{counted(len(parameters), 'parameter')}: {listed}{', …' if len(parameters) > SHOWN_NAMES else ''}"


def place(location: Location, seen_from: str) -> str:
    """Return `line 16`, or `line 16 of losses.py` where that is another file than `seen_from`."""
    line = f"line {location.line}"
    return line if location.path == seen_from else f"{line} of {Path(location.path).name}"


def what_is_wrong(parameters: Sequence[ParameterReport]) -> str:
    """Return the sentence on a layer's definition; all parameters have the same verdict, one that is shown."""
    norms = [p.grad_norm for p in parameters if p.grad_norm is not None]
    norm = f" (norm {number(norms[0])})" if len(parameters) == 1 and norms else ""
    sentence = _WHAT[parameters[0].verdict].format(names=_listed(parameters), norm=norm)
    return sentence.replace("does not list it", "does not list them") if len(parameters) > 1 else sentence


def because(causes: Iterable[tuple[Cause, Location]], seen_from: str) -> str:
    """Return the sentences that name the causes, each at its present place, the most telling two."""
    causes = list(causes)
    shown = [f"Cause at {place(at, seen_from)}: {sentence(c.message)}" for c, at in causes[:SHOWN_CAUSES]]
    if len(causes) > SHOWN_CAUSES:
        shown.append(f"And {counted(len(causes) - SHOWN_CAUSES, 'more cause')}.")
    return " ".join(shown)


def starves(parameters: Iterable[ParameterReport]) -> str:
    """Return what a cause does to the parameters that it explains, one sentence a verdict, the worst first."""
    groups: dict[Verdict, list[ParameterReport]] = {}
    for parameter in parameters:
        groups.setdefault(parameter.verdict, []).append(parameter)
    verdicts = sorted(groups.keys() & _STARVES.keys(), key=WORST_FIRST.index)
    return " ".join(_STARVES[verdict].format(names=_listed(groups[verdict])) for verdict in verdicts)


def _listed(parameters: Sequence[ParameterReport]) -> str:
    listed = names([p.name for p in parameters])
    return listed if len(parameters) == 1 else listed.replace(": ", " (", 1) + ")"


def sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends as a sentence already."""
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", ")")) else text + "."


def stale(text: str) -> str:
    """Return a sentence with the mark that says it was true before the last edit."""
    return f"{text} ({STALE})"


def verdict_counts(parameters: Sequence[ParameterReport]) -> str:
    """Return `4 missing, 2 healthy`, the worst first."""
    counts = Counter(p.verdict for p in parameters)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in WORST_FIRST if counts[verdict])


_STATUS = {"failed": "could not run", "crashed": "crashed", "timeout": "ran out of time", "cancelled": "cancelled"}


def outcome(report: ProbeReport) -> str:
    """Return the outcome of a run in a few words."""
    if report.status != "ok":
        return _STATUS[report.status]
    if not report.parameters:
        return "no parameters"
    verdicts = {p.verdict for p in report.parameters}
    if verdicts <= {"healthy", "reached"} and not report.findings:
        return f"all {counted(len(report.parameters), 'parameter')} {'/'.join(sorted(verdicts))}"
    counts = verdict_counts(report.parameters)
    return f"{counts}; {', '.join(dict.fromkeys(f.code for f in report.findings))}" if report.findings else counts


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


def running(stage: str) -> str:
    """Return what a lens says while a run goes on."""
    return f"Gradient probe: {STAGES[stage]}…"


def insert_probe(class_name: str) -> str:
    """Return the title of the action that writes a probe."""
    return f"Insert gradient probe for {class_name}"
