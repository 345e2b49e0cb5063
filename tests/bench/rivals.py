"""This engine beside other ways to see where gradients go wrong, on the case files of the tests.

    python tests/bench/rivals.py [FOLDER…] [--python PYTHON] [--output rivals.md]

PYTHON is an interpreter with torch and, for its row, torchlens. A folder holds cases: `SLUG.py` with a probe, beside
`SLUG.toml` with what is true of it (see `tests/test_cases.py`). A case has a fault when a parameter has a verdict other
than healthy or frozen that does not mend itself in the first steps of training; the others are healthy. How each tool
is used, and what counts as its answer:

- `gradflow-lsp`: one run of the engine. It finds a fault where it shows a parameter or finding as a warning or an
  error; it names the lines of the causes of those.
- `detect_anomaly`: `torch.autograd.detect_anomaly()` around the probe and its backward. It finds a fault where that
  raises; it names every line of the case in the forward traceback that it prints.
- `TorchLens audit`: `tl.trace(..., save_grads)`, `log_backward`, `tl.debug.gradient_flow_audit_rows` with its default
  thresholds; where that or the loss shows NaN or infinities, `trace.find_nan` and `tl.debug.bisect_nan_backward` too.
  The probe is traced as a whole, loss included; where TorchLens cannot do that, the first call of a module in it. It
  finds a fault where an operation is flagged; it names every line of the case in the call stacks of the flagged
  operations that it marks as the frontier (of all flagged ones where it marks none).
- `norm loop`: what people write by hand: a backward, then `parameter.grad.norm()` over `named_parameters()`. It finds a
  fault where that is None, not finite, below 1e-7 or above 1e4; it names parameters, and no line.

Where the loss has no graph at all, torch's own error counts as finding the fault. `right line` is over the causes that
the cases state: a cause counts when its line, or one stated to be as right, is among those named in a case that was
found. `lines` is how many lines are named in such a case, in the mean over those where any is. `false alarms` are
healthy cases in which the tool finds a fault. `x time` is the processor time of one use over that of the plain probe
and backward beside it, both repeated in one process: the median over all cases, and the worst.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from statistics import mean, median

import tomllib
from tables import table

REPO = Path(__file__).parents[2]
FOLDERS = [REPO / "tests" / "cases", REPO.parent / "shared" / "cases"]
TOOLS = ["gradflow-lsp", "detect_anomaly", "TorchLens audit", "norm loop"]
FINE = {"healthy", "frozen"}


@dataclass(frozen=True)
class Case:
    """One case file: the lines of each cause of its fault, and the verdicts that the fault leads to."""

    path: Path
    causes: tuple[frozenset[int], ...]
    verdicts: frozenset[str]

    @property
    def faulty(self) -> bool:
        return bool(self.verdicts)


def read_case(facts: Path) -> Case:
    """Read what a case's `.toml` states."""
    stated = tomllib.loads(facts.read_text(encoding="utf-8"))
    causes = [cause for cause in stated.get("causes", []) if cause["kind"] != "frozen"]
    mends_itself = bool(causes) and all(cause.get("recovers", False) for cause in causes)
    verdicts = set() if mends_itself else set(stated["verdicts"].values()) - FINE
    lines = [frozenset({cause["line"], *cause.get("also", [])}) for cause in causes] if verdicts else []
    return Case(facts.with_suffix(".py").resolve(), tuple(lines), frozenset(verdicts))


def answers(tool: str, cases: list[Case], options: argparse.Namespace) -> dict[Path, dict] | str:
    """What a tool says of each case; or why it is absent."""
    command = [options.python, str(Path(__file__).with_name("rival_tools.py")), tool]
    command += ["--runs", str(options.runs), "--timeout", str(options.timeout)]
    run = subprocess.run(
        command,
        input="\n".join(str(case.path) for case in cases),
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
    )
    found = [json.loads(line) for line in run.stdout.splitlines()]
    if len(found) == 1 and "absent" in found[0]:
        return found[0]["absent"]
    if len(found) != len(cases):
        return (run.stderr.strip().splitlines() or ["it gave no answer"])[-1]
    return {Path(answer["path"]): answer for answer in found}


class Score:
    """What one tool achieved over all cases."""

    def __init__(self, cases: list[Case], said: dict[Path, dict]):
        faulty = [case for case in cases if case.faulty]
        heard = {case: said[case.path] for case in cases if "failed" not in said[case.path]}
        self.found = [case for case in faulty if heard.get(case, {}).get("wrong")]
        self.faulty, self.healthy = faulty, [case for case in cases if not case.faulty]
        self.alarms = [case for case in self.healthy if heard.get(case, {}).get("wrong")]
        self.failed = [case for case in cases if case not in heard]
        self.causes = sum(len(case.causes) for case in faulty)
        self.right = sum(bool(lines & set(heard[case]["lines"])) for case in self.found for lines in case.causes)
        self.named = [len(heard[case]["lines"]) for case in self.found if heard[case]["lines"]]
        self.times = [answer["ratio"] for answer in heard.values()]

    def row(self) -> list[str]:
        return [
            f"{len(self.found)}/{len(self.faulty)}",
            f"{self.right}/{self.causes}",
            f"{mean(self.named):.1f}" if self.named else "-",
            f"{len(self.alarms)}/{len(self.healthy)}",
            str(len(self.failed)),
            f"{median(self.times):.1f}" if self.times else "-",
            f"{max(self.times):.1f}" if self.times else "-",
        ]

    def by_verdict(self, verdicts: list[str]) -> list[str]:
        """Faults found, by the verdict that they lead to."""
        found = Counter(verdict for case in self.found for verdict in case.verdicts)
        there = Counter(verdict for case in self.faulty for verdict in case.verdicts)
        return [f"{found[verdict]}/{there[verdict]}" for verdict in verdicts]


def main() -> int:
    """Print the tables, and what each tool got wrong with --verbose."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=FOLDERS, help="folders of cases")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with torch, and torchlens for its row")
    parser.add_argument("--only", default="*", help="a pattern of cases' names")
    parser.add_argument("--tools", nargs="*", choices=TOOLS, default=TOOLS)
    parser.add_argument("--runs", type=int, default=3, help="timed uses of a tool on each case")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one tool on one case")
    parser.add_argument("--output", type=Path, help="a Markdown file to write the tables into")
    parser.add_argument("--verbose", action="store_true", help="name the cases that each tool got wrong")
    options = parser.parse_args()
    facts = [path for folder in options.folders for path in sorted(folder.glob("*.toml"))]
    cases = [read_case(path) for path in facts if fnmatch(path.stem, options.only)]
    if not cases:
        parser.error("no such case")

    verdicts = sorted({verdict for case in cases for verdict in case.verdicts})
    overall = [["tool", "faults found", "right line", "lines", "false alarms", "not run", "x time", "worst"]]
    kinds = [["faults found", *verdicts]]
    remarks: list[str] = []
    for tool in options.tools:
        said = answers(tool, cases, options)
        if isinstance(said, str):
            remarks.append(f"{tool} was left out: {said}")
            continue
        score = Score(cases, said)
        overall.append([tool, *score.row()])
        kinds.append([tool, *score.by_verdict(verdicts)])
        if options.verbose:
            missed = [case.path.stem for case in score.faulty if case not in score.found]
            remarks.append(f"{tool} missed: {', '.join(missed) or 'none'}")
            remarks.append(f"{tool} raised a false alarm on: {', '.join(c.path.stem for c in score.alarms) or 'none'}")
            remarks += [f"{tool} did not run on {c.path.stem}: {said[c.path]['failed']}" for c in score.failed]
    lines = [*table(overall), "", *table(kinds), *(["", *remarks] if remarks else [])]
    print("\n".join(lines))
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if len(overall) > 1 else 1


if __name__ == "__main__":
    sys.exit(main())
