"""How many causes are mended by the quick fix that is offered for them.

    python tests/bench/fix_score.py tests/cases tests/census/faulty

Every probe under the paths is run. For each cause of a kind that has fixes, each fix is applied to the text and the
probe run once more. Where parameters that the cause explains are still bad, the next fix that the new report offers for
them is applied, as their user would, up to three in all. The cause counts as mended when none of them is bad any more,
and nothing that was healthy became so. Of a cause without a fix, it is said which reason its source shows for that.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fix_reasons import REASONS, reason
from tables import table

from gradflow_lsp.check import Job, plan
from gradflow_lsp.probe.report import Cause, Location, ProbeReport
from gradflow_lsp.runs.session import Runner
from gradflow_lsp.source.fixes.edits import Fix
from gradflow_lsp.source.fixes.table import FIXABLE, fixes
from gradflow_lsp.source.folders import read_source
from gradflow_lsp.source.spans import Span

MOST_STEPS = 3


@dataclass(frozen=True)
class Outcome:
    """What became of one fix of one cause; without a title, no fix was offered."""

    file: str
    kind: str
    line: int
    title: str = ""
    trouble: str = ""
    reason: str = ""
    """Why no fix was offered."""
    steps: int = 0
    """How many fixes it took."""


def fixes_of(cause: Cause, text: str) -> list[Fix]:
    """Return the fixes of a cause in the file that it lies in."""
    return fixes(text, cause.kind, span_of(cause.location), cause.parameters)


def span_of(location: Location) -> Span:
    """Return the range of a location."""
    return Span(location.line, location.column, location.end_line, location.end_column)


def bad(report: ProbeReport) -> set[str]:
    """Return the names of the parameters that their user is warned of."""
    return {p.name for p in report.parameters if p.severity in ("warning", "error")}


async def outcomes(runner: Runner, job: Job) -> list[list[Outcome]]:
    """Run one probe, then once more for each fix of each of its causes; return what they did, by cause."""
    before = await run(runner, job, {})
    found: list[list[Outcome]] = []
    for cause in before.causes:
        if cause.kind not in FIXABLE or not bad(before) & set(cause.parameters):
            continue
        about = Outcome(Path(job.request.path).stem, cause.kind, cause.location.line)
        text = read_source(Path(cause.location.path))
        tried = [await outcome(runner, job, before, cause, fix, about) for fix in fixes_of(cause, text)]
        found.append(tried or [replace(about, reason=reason(cause, text))])
    return found


async def outcome(runner: Runner, job: Job, before: ProbeReport, cause: Cause, fix: Fix, about: Outcome) -> Outcome:
    """Say what a fix does."""
    about = replace(about, title=fix.title)
    wanted = bad(before) & set(cause.parameters)
    texts: dict[str, str] = {}
    for step in range(1, MOST_STEPS + 1):
        path = cause.location.path
        texts[path] = fix.apply(texts.get(path) or read_source(Path(path)))
        try:
            ast.parse(texts[path].removeprefix("\ufeff"))
        except SyntaxError as error:
            return replace(about, trouble=f"does not parse any more: {error}")
        after = await run(runner, job, texts)
        if trouble := worse(before, after):
            return replace(about, trouble=trouble, steps=step)
        still = bad(after) & wanted
        following = next_fix(after, still, texts)
        if not still or following is None:
            return replace(about, trouble=left(still, after), steps=step)
        cause, fix = following
    return replace(about, trouble=left(still, after), steps=step)


def next_fix(report: ProbeReport, still: set[str], texts: dict[str, str]) -> tuple[Cause, Fix] | None:
    """Return the first fix that a report offers for some parameters."""
    for cause in report.causes:
        path = cause.location.path
        for fix in fixes_of(cause, texts.get(path) or read_source(Path(path))) if still & set(cause.parameters) else ():
            return cause, fix
    return None


async def run(runner: Runner, job: Job, overlays: dict[str, str]) -> ProbeReport:
    """Run a probe over the texts that are laid over the disk."""
    request = replace(job.request, overlays=overlays, threads=1)
    return await runner.run(request, job.interpreter, timeout=job.settings.timeout)


def worse(before: ProbeReport, after: ProbeReport) -> str:
    """Say what became worse."""
    if after.status != "ok":
        return f"{after.status}: {after.error.message if after.error else ''}"
    healthy = {p.name for p in before.parameters} - bad(before)
    lost = bad(after) & healthy
    if lost:
        return f"now bad: {', '.join(sorted(lost))}"
    new = {finding.code for finding in after.findings} - {finding.code for finding in before.findings}
    return f"new findings: {', '.join(sorted(new))}" if new else ""


def left(still: set[str], after: ProbeReport) -> str:
    """Say which of the parameters that were to be mended are still bad."""
    verdicts = sorted({p.verdict for p in after.parameters if p.name in still})
    return f"still {', '.join(verdicts)}: {', '.join(sorted(still))}" if still else ""


async def score(jobs: Sequence[Job]) -> list[list[Outcome]]:
    """Return the outcomes of all the probes, by cause."""
    runner = Runner(parallel=2)
    try:
        return [one for found in await asyncio.gather(*(outcomes(runner, job) for job in jobs)) for one in found]
    finally:
        await runner.close()


def summary(found: Sequence[list[Outcome]]) -> list[list[str]]:
    """Return a row for each kind: its causes, those with a fix, those that it mends, and why the others have none."""
    rows = [["kind", "causes", "offered", "mended", "in one step", "none", "why"]]
    for kind in [*sorted({tried[0].kind for tried in found}), "all"]:
        causes = [tried for tried in found if kind in (tried[0].kind, "all")]
        offered = [tried for tried in causes if tried[0].title]
        mended = [tried for tried in offered if not any(one.trouble for one in tried)]
        at_once = [tried for tried in mended if all(one.steps == 1 for one in tried)]
        counts = len(causes), len(offered), len(mended), len(at_once), len(causes) - len(offered)
        reasons = Counter(tried[0].reason for tried in causes if tried not in offered)
        why = ", ".join(f"{reasons[one]} {one}" for one in REASONS if reasons[one])
        rows.append([kind, *map(str, counts), why])
    return rows


def main() -> int:
    """Print what each fix did, then the table; exit status 1 where a fix did not mend what it is for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--kinds", nargs="*", help="kinds of causes to try")
    parser.add_argument("--output", type=Path, help="a file for the table")
    arguments = parser.parse_args()

    found = asyncio.run(score(plan(arguments.paths, {}).jobs))
    found = [tried for tried in found if not arguments.kinds or tried[0].kind in arguments.kinds]
    tried = sorted((one for tried in found for one in tried), key=lambda one: (one.kind, one.file, one.line))
    for one in tried:
        mark = "no fix" if not one.title else "BAD" if one.trouble else f"ok {one.steps}"
        print(f"{mark:6} {one.kind:20} {one.file}:{one.line}  {one.title or one.reason}  {one.trouble}")
    lines = [*table(summary(found)), "", *(f"- *{name}*: {meaning}" for name, meaning in REASONS.items())]
    print("\n".join(["", *lines]))
    if arguments.output:
        arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if any(one.trouble for one in tried) else 0


if __name__ == "__main__":
    sys.exit(main())
