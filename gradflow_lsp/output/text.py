"""The report as text for people: a table for each probe, worst rows first, then why, and on which line.

Sentences are wrapped to the console's width, while locations are always whole: `path:line:column` with columns from 1,
so that terminals and editors can link them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.annotations import explained
from gradflow_lsp.output.relative import relative_to
from gradflow_lsp.output.table import STYLES, table_lines, verdict_label
from gradflow_lsp.probe.report import Cause, Finding, Location, ParameterReport, ProbeError, ProbeReport, Severity
from gradflow_lsp.severities import LOUDNESS, loudest, reaches


def print_reports(reports: Sequence[ProbeReport], console: Console, folder: Path) -> None:
    """Print all reports, their paths shown from `folder`, and a closing line."""
    for report in reports:
        print_report(relative_to(report, folder), console)
    _print_closing(reports, console)


def print_report(report: ProbeReport, console: Console) -> None:
    """Print one probe's report, its paths as they are, and an empty line after it."""
    _print_whole(console, Text(f"{report.path}:{report.line} {report.function}", "bold"))
    if report.status == "ok":
        _print_outcome(report, console)
    else:
        _print_failure(report, console)
    console.print()


def place(location: Location) -> str:
    """Return `path:line:column` with the column counted from 1, as terminals and editors link it."""
    return f"{location.path}:{location.line}:{location.column + 1}"


def _print_outcome(report: ProbeReport, console: Console) -> None:
    worst_first = sorted(report.parameters, key=_loudness)
    counts = Counter(map(verdict_label, worst_first))
    verdicts = ", ".join(f"{count} {label}" for label, count in counts.items()) or "no parameters"
    headline = Text(verdicts, "bold") if reaches(report, "warning") else Text(f"all clear: {verdicts}", "bold green")
    _print_wrapped(console, headline.append(_facts(report), "not bold default"), indent=0)
    for finding in report.findings:
        _print_finding(finding, console)
    if worst_first:
        console.print()
        for line in table_lines(worst_first, console.width - 2):
            _print_whole(console, Text("  ").append_text(line))
    only = words.only_reached_by(tuple(report.losses), report.parameters)
    if only:
        console.print()
    for sentence in only:
        _print_wrapped(console, sentence, indent=2)
    causes = [(cause, [p for p in explained(report, cause) if p.severity]) for cause in report.causes]
    for cause, parameters in sorted(causes, key=lambda pair: min(map(_loudness, pair[1]), default=0)):
        if parameters:
            _print_cause(cause, parameters, report, console)


def _facts(report: ProbeReport) -> str:
    facts = ["structure only"] if report.mode == "structural" else []
    facts += [f"{name} {words.number(loss)}" for name, loss in list(report.losses.items())[:3]]
    if len(report.losses) > 3:
        facts.append(f"{len(report.losses) - 3} more losses")
    facts.append(words.seconds(report.seconds.total))
    return "".join(f" · {fact}" for fact in facts)


def _loudness(item: ParameterReport | Finding) -> int:
    return LOUDNESS[item.severity]


def _print_cause(cause: Cause, parameters: Sequence[ParameterReport], report: ProbeReport, console: Console) -> None:
    _print_heading(console, loudest(parameters), cause.kind, cause.location)
    _print_wrapped(console, words.sentence(cause.message), indent=4)
    _print_wrapped(console, words.starves(parameters, report.parameters), indent=4)
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


def _print_closing(reports: Sequence[ProbeReport], console: Console) -> None:
    failed = [report for report in reports if report.status != "ok"]
    found = [report for report in reports if report.status == "ok" and reaches(report, "warning")]
    if len(reports) > 1:
        clear = len(reports) - len(found) - len(failed)
        parts = [(clear, "all clear"), (len(found), "with findings"), (len(failed), "not run")]
        console.print(f"{len(reports)} probes: {', '.join(f'{n} {what}' for n, what in parts if n)}.", highlight=False)
    if found or failed:
        code = _most_telling_code((found or failed)[0])
        console.print(f"What this means and how to mend it: gradflow-lsp explain {code}", style="dim", highlight=False)


def _most_telling_code(report: ProbeReport) -> str:
    if report.error is not None:
        return report.error.kind
    kinds = [cause.kind for cause in report.causes if any(p.severity for p in explained(report, cause))]
    return [*kinds, *(finding.code for finding in report.findings), "missing-gradient"][0]


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
