"""The report as text for people: a table for each probe, worst rows first, then why, and on which line.

Sentences are wrapped to the console's width, while locations are always whole: `path:line:column` with columns from 1,
so that terminals and editors can link them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.hidden import UNUSED
from gradflow_lsp.annotate.view import View
from gradflow_lsp.output.relative import relative_to
from gradflow_lsp.output.table import STYLES, table_lines
from gradflow_lsp.probe.report import (
    DIAGNOSTIC_CODES,
    Cause,
    Finding,
    Location,
    ParameterReport,
    ProbeError,
    ProbeReport,
    Severity,
)
from gradflow_lsp.severities import LOUDNESS, reaches


def print_reports(views: Sequence[View], console: Console, folder: Path) -> None:
    """Print all reports, their paths shown from `folder`, and a closing line."""
    for view in views:
        print_report(replace(view, report=relative_to(view.report, folder)), console)
    _print_closing(views, console)


def print_report(view: View, console: Console) -> None:
    """Print one probe's report, its paths as they are, and an empty line after it."""
    report = view.report
    _print_whole(console, Text(f"{report.path}:{report.line} {report.function}", "bold"))
    if report.status == "ok":
        _print_outcome(view, console)
    else:
        _print_failure(report, console)
    console.print()


def place(location: Location) -> str:
    """Return `path:line:column` with the column counted from 1, as terminals and editors link it."""
    return f"{location.path}:{location.line}:{location.column + 1}"


def _print_outcome(view: View, console: Console) -> None:
    report = view.report
    worst_first = sorted(report.parameters, key=lambda p: (_loudness(p), p.verdict in ("healthy", "reached")))
    counts = Counter(map(view.label, worst_first))
    verdicts = ", ".join(f"{count} {label}" for label, count in counts.items()) or "no parameters"
    headline = Text(verdicts, "bold") if reaches(report, "warning") else Text(f"all clear: {verdicts}", "bold green")
    _print_wrapped(console, headline.append(_facts(report), "not bold default"), indent=0)
    for finding in report.findings:
        _print_finding(finding, console)
    if worst_first:
        console.print()
        for line in table_lines(worst_first, console.width - 2, view.label):
            _print_whole(console, Text("  ").append_text(line))
    only = words.only_reached_by(tuple(report.losses), report.parameters)
    if only:
        console.print()
    for sentence in only:
        _print_wrapped(console, sentence, indent=2)
    for cause, severity in sorted(view.shown_causes(), key=lambda pair: LOUDNESS[pair[1]]):
        _print_cause(cause, severity, view, console)


def _facts(report: ProbeReport) -> str:
    facts = ["structure only"] if report.mode == "structural" else []
    facts += [f"{name} {words.number(loss)}" for name, loss in list(report.losses.items())[:3]]
    if len(report.losses) > 3:
        facts.append(f"{len(report.losses) - 3} more losses")
    facts.append(words.seconds(report.seconds.total))
    return "".join(f" · {fact}" for fact in facts)


def _loudness(item: ParameterReport | Finding) -> int:
    return LOUDNESS[item.severity]


def _print_cause(cause: Cause, severity: Severity, view: View, console: Console) -> None:
    _print_heading(console, severity, cause.kind, cause.location)
    _print_wrapped(console, words.sentence(cause.message), indent=4)
    _print_wrapped(console, words.starves(view.explained(cause), view.report.parameters), indent=4)
    for related in cause.related:
        _print_whole(console, Text(f"    {place(related.location)}", "dim"))
        _print_wrapped(console, related.message, indent=6)


def _print_finding(finding: Finding, console: Console) -> None:
    _print_heading(console, finding.severity, finding.code, finding.location)
    _print_wrapped(console, words.sentence(finding.message), indent=4)


def _print_heading(console: Console, severity: Severity | None, code: str, location: Location | None) -> None:
    console.print()
    where = f"  {place(location)}" if location else ""
    _print_whole(console, Text.assemble("  ", (f"{severity}: {code}", STYLES[severity]), where))


def _print_failure(report: ProbeReport, console: Console) -> None:
    error = report.error or ProbeError("unknown", "The run gave no reason.")
    console.print(Text.assemble((words.outcome(report), STYLES["error"]), f" · {error.kind}"))
    console.print()
    if error.location:
        _print_whole(console, Text(f"  {place(error.location)}"))
    _print_wrapped(console, words.sentence(error.message), indent=4 if error.location else 2)
    if error.traceback:
        _print_quoted(console, error.traceback)
    if error.output and error.output.strip():
        console.print("\n  It printed:", highlight=False)
        _print_quoted(console, error.output)


def _print_closing(views: Sequence[View], console: Console) -> None:
    failed = [view for view in views if view.report.status != "ok"]
    found = [view for view in views if view.report.status == "ok" and reaches(view.report, "warning")]
    if len(views) > 1:
        clear = len(views) - len(found) - len(failed)
        parts = [(clear, "all clear"), (len(found), "with findings"), (len(failed), "not run")]
        console.print(f"{len(views)} probes: {', '.join(f'{n} {what}' for n, what in parts if n)}.", highlight=False)
    if found or failed:
        code = _most_telling_code((found or failed)[0])
        console.print(f"What this means and how to mend it: gradflow-lsp explain {code}", style="dim", highlight=False)


def _most_telling_code(view: View) -> str:
    if view.report.error is not None:
        return view.report.error.kind
    report = view.report
    kinds = [cause.kind for cause, _ in view.shown_causes()]
    findings = [f.code for f in sorted(report.findings, key=_loudness)]
    codes = [DIAGNOSTIC_CODES[p.verdict] for p in sorted(report.parameters, key=_loudness) if p.severity]
    return [*kinds, *(code for code in findings if code != UNUSED), *codes, UNUSED][0]


def _print_quoted(console: Console, text: str) -> None:
    """Print what the user's program said, without its colours, behind a bar."""
    console.print()
    for line in Text.from_ansi(text.strip("\n")).plain.split("\n"):
        _print_whole(console, Text(f"  | {line}".rstrip(), "dim"))


def _print_wrapped(console: Console, sentence: str | Text, indent: int) -> None:
    text = Text(sentence) if isinstance(sentence, str) else sentence
    for line in text.wrap(console, max(console.width - indent, 20)):
        line.rstrip()
        _print_whole(console, Text(" " * indent).append_text(line))


def _print_whole(console: Console, line: Text) -> None:
    """Print a line that is neither wrapped nor cut, whatever the width."""
    console.print(line, soft_wrap=True)
