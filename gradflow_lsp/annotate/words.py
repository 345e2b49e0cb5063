"""Every sentence about a report: diagnostics, hints, cards and the terminal take their words from here.

The layer comes first, then what is wrong, then where and why: lists of problems cut what is long. Numbers are written
once and alike by `number`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from gradflow_lsp.annotate.names import common_module, neighbours, whole_modules
from gradflow_lsp.probe.report import Cause, Location, ParameterReport, ProbeReport, Status, Verdict

SHOWN_NAMES = 3
"""How many names a sentence lists before it says `…`."""
SHOWN_CAUSES = 2

STALE = "stale: edited since the run"

WORST_FIRST: tuple[Verdict, ...] = (
    "nonfinite", "missing", "zero", "exploding", "vanishing", "unregistered", "frozen", "reached", "healthy",
)  # fmt: skip

_WHAT: dict[Verdict, str] = {
    "missing": "no gradient reaches {names}.",
    "zero": "the gradient of {names} is exactly 0.",
    "vanishing": "the gradient of {names} is too small to learn from{norm}.",
    "exploding": "the gradient of {names} is far too large{norm}.",
    "nonfinite": "the gradient of {names} is NaN or infinite.",
    "unregistered": "no optimizer will update {names}: parameters() does not list {it}.",
    "frozen": "requires_grad is False for {names}.",
}

_STARVES: dict[Verdict, str] = {
    "missing": "Starves {names}.",
    "zero": "Zeroes the gradient of {names}.",
    "vanishing": "Shrinks the gradient of {names}.",
    "exploding": "Blows up the gradient of {names}.",
    "nonfinite": "Makes the gradient of {names} NaN or infinite.",
    "unregistered": "Hides {names} from every optimizer.",
    "frozen": "Freezes {names}.",
}

_BECAUSE: Mapping[str, str] = {
    "detach": "Cut by .detach() {at}.",
    "data-access": "Cut by .data {at}.",
    "no-grad": "Grad is switched off {at}.",
    "non-differentiable": "Cut by an operation without a derivative {at}.",
    "left-autograd": "Cut where the value leaves autograd {at}.",
    "custom-function": "Stopped by a custom function {at}.",
    "reentrant-checkpoint": "Cut by a reentrant checkpoint {at}.",
    "unused-output": "Its output is dropped {at}.",
    "replaced": "Another tensor takes its place {at}.",
    "dead-activation": "Stopped by a dead activation {at}.",
    "zero-input": "Fed with zeros {at}.",
    "zero-derivative": "Stopped by an operation with derivative 0 {at}.",
    "zero-multiply": "Multiplied by 0 {at}.",
    "zero-init": "Stopped by zeros set {at}.",
    "constant-output": "Stopped by an output that never changes {at}.",
    "not-selected": "Never selected {at}.",
    "underflow": "Too small for the number format {at}.",
    "saturation": "Stopped by a saturated activation {at}.",
    "small-scale": "Scaled down {at}.",
    "compounding": "Multiplied step by step {at}.",
    "large-scale": "Scaled up {at}.",
    "nonfinite-op": "First made {at}.",
    "unregistered": "Created {at}.",
    "unknown": "Cause not found; the nearest code is {at}.",
}
"""The cause of each kind in a few words, on the lines of the layers that it explains."""


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


def loss(name: str, now: float, before: float | None) -> str:
    """Return `loss = 0.683417`, and what it was in the run before if that was another number."""
    was = number(before)
    return f"{name} = {number(now)}" + (f" ({was} before)" if before is not None and was != number(now) else "")


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


def listed(names: Sequence[str], out_of: int = 0) -> str:
    """Return a few names as they are; of many, their count, also out of how many, and the first three."""
    if len(names) <= SHOWN_NAMES:
        return ", ".join(names)
    count = f"{len(names)} of {out_of} parameters" if out_of > len(names) else f"{len(names)} parameters"
    return f"{count} ({', '.join(names[:SHOWN_NAMES])}, …)"


def at(location: Location, seen_from: Location) -> str:
    """Return `at line 16`, `at line 16 of losses.py`, or `on this line`, as seen from another place."""
    if (location.path, location.line) == (seen_from.path, seen_from.line):
        return "on this line"
    return f"at {place(location, seen_from.path)}"


def place(location: Location, seen_from: str) -> str:
    """Return `line 16`, or `line 16 of losses.py` where that is another file than `seen_from`."""
    line = f"line {location.line}"
    return line if location.path == seen_from else f"{line} of {Path(location.path).name}"


def what_is_wrong(parameters: Sequence[ParameterReport], out_of: int = 0) -> str:
    """Return the sentence on a layer's definition; all parameters have the same verdict, one that is shown.

    `out_of` is how many parameters are defined there, where it is to be said.
    """
    module = common_module(parameters)
    names = listed([p.name.removeprefix(f"{module}.") for p in parameters], out_of)
    norms = [p.grad_norm for p in parameters if p.grad_norm is not None]
    norm = f" (norm {number(norms[0])})" if len(parameters) == 1 and norms else ""
    what = _WHAT[parameters[0].verdict].format(names=names, norm=norm, it="it" if len(parameters) == 1 else "them")
    return f"{module}: {what}" if module else what[0].upper() + what[1:]


def because(causes: Iterable[tuple[Cause, Location]], seen_from: Location) -> str:
    """Return in a few words each what the causes are and where, the most telling two; one that is here in full."""
    causes = list(causes)
    shown = [_because(cause, where, seen_from) for cause, where in causes[:SHOWN_CAUSES]]
    if len(causes) > SHOWN_CAUSES:
        shown.append(f"And {counted(len(causes) - SHOWN_CAUSES, 'more cause')}.")
    return " ".join(filter(None, shown))


def _because(cause: Cause, where: Location, seen_from: Location) -> str:
    if where == seen_from:  # an unregistered layer has said it all by itself
        return "" if cause.kind == "unregistered" else sentence(cause.message)
    return _BECAUSE.get(cause.kind, f"Cause ({cause.kind}) {{at}}.").format(at=at(where, seen_from))


def starves(parameters: Iterable[ParameterReport], among: Iterable[ParameterReport]) -> str:
    """Return what a cause does to the parameters that it explains, one sentence a verdict, the worst first.

    `among` are all parameters of the report: a module of which none is spared is named as a whole.
    """
    everything = [p.name for p in among]
    groups: dict[Verdict, list[str]] = {}
    for parameter in parameters:
        groups.setdefault(parameter.verdict, []).append(parameter.name)
    verdicts = sorted(groups.keys() & _STARVES.keys(), key=WORST_FIRST.index)
    return " ".join(_STARVES[verdict].format(names=gathered(groups[verdict], everything)) for verdict in verdicts)


def only_reached_by(losses: Sequence[str], parameters: Sequence[ParameterReport]) -> list[str]:
    """Return a sentence for each of several losses that alone reaches some parameters."""
    names = [p.name for p in parameters]
    groups = _only_loss(losses, parameters)
    return [f"Only {loss} reaches {gathered(reached, names)}." for loss, reached in groups.items()]


def only_loss_of_layer(losses: Sequence[str], parameters: Sequence[ParameterReport]) -> str:
    """Return the sentence that one of several losses alone reaches a layer with these parameters; empty if not so."""
    groups = _only_loss(losses, parameters)
    loss, reached = next(iter(groups.items()), ("", []))
    return f"Only {loss} reaches this layer." if len(reached) == len(parameters) > 0 else ""


def _only_loss(losses: Sequence[str], parameters: Iterable[ParameterReport]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for parameter in parameters:
        reaching = [loss for loss in losses if parameter.grad_norms.get(loss) is not None]
        if len(losses) > 1 and len(reaching) == 1:
            groups.setdefault(reaching[0], []).append(parameter.name)
    return groups


def gathered(names: Sequence[str], among: Sequence[str]) -> str:
    """Return names of parameters, the first three, and how many parameters they are.

    Whole modules are written as `first.*`, and neighbours in a list as `blocks.0-11.*`.
    """
    shown = [*neighbours(whole_modules(names, among))]
    text = ", ".join(shown[:SHOWN_NAMES]) + (", …" if len(shown) > SHOWN_NAMES else "")
    return text if len(names) == 1 else f"{text} ({counted(len(names), 'parameter')})"


def sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends as a sentence already."""
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", ")")) else text + "."


def stale(text: str) -> str:
    """Return a sentence with the mark that says it was true before the last edit."""
    return f"{text} ({STALE})"


Label = Callable[[ParameterReport], str]
"""Says what a verdict is called, with what there is to be said about how it is shown."""


def verdict_counts(parameters: Sequence[ParameterReport], label: Label) -> str:
    """Return `4 missing, 2 healthy`, the worst first."""
    counts = Counter(map(label, sorted(parameters, key=lambda p: WORST_FIRST.index(p.verdict))))
    return ", ".join(f"{count} {name}" for name, count in counts.items())


STATUS: Mapping[Status, str] = {
    "failed": "could not run", "crashed": "crashed", "timeout": "ran out of time", "cancelled": "cancelled",
}  # fmt: skip
"""What is said of a run that gave no report on the model."""


def outcome(report: ProbeReport, label: Label = lambda parameter: parameter.verdict) -> str:
    """Return the outcome of a run in a few words."""
    if report.status != "ok":
        return STATUS[report.status]
    if not report.parameters:
        return "no parameters"
    verdicts = {p.verdict for p in report.parameters}
    if verdicts <= {"healthy", "reached"} and not report.findings:
        return f"all {counted(len(report.parameters), 'parameter')} {'/'.join(sorted(verdicts))}"
    counts = verdict_counts(report.parameters, label)
    return f"{counts}; {', '.join(dict.fromkeys(f.code for f in report.findings))}" if report.findings else counts


def changed_verdicts(before: Iterable[ParameterReport], now: Sequence[ParameterReport]) -> str:
    """Return what became of verdicts from one run to the next: `first.* (2 parameters) from missing to healthy`."""
    was = {p.name: p.verdict for p in before}
    groups: dict[tuple[Verdict, Verdict], list[str]] = {}
    for p in now:
        if was.get(p.name, p.verdict) != p.verdict:
            groups.setdefault((was[p.name], p.verdict), []).append(p.name)
    names = [p.name for p in now]
    return "; ".join(f"{gathered(group, names)} from {old} to {new}" for (old, new), group in groups.items())
