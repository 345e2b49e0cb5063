"""The tests that tell a fault from a gradient that is zero or tiny by design, measured against each other.

    python tests/bench/zero_tests.py [FOLDER…] [--zoo ZOO --python ZOO_PYTHON] [--output zero_tests.md]

A folder holds cases (see `tests/test_cases.py`), ZOO holds `probes/` and `expected.json`, and ZOO_PYTHON is an
interpreter that has their packages. Looked at are all parameters whose gradient is zero, or below 1e-5 of the largest
of its loss. By what is stated of them they are

- `harmless`: stated healthy. It is small, or mathematically zero with nothing lost (a bias before a normalisation);
- `waits`: zero at the start, and it moves by itself once others have (a zero-initialised gate);
- `fault`: stated zero or vanishing, and it stays so.

Every probe is looked at closely here, whether it is suspicious or not, and each test is asked about every parameter:

- `sibling`: a vector whose gradient is below 1e-3 of that of its layer's weight cancels itself (costs nothing);
- `scale`: noise changes when the loss is scaled (one backward more);
- `cancellation`: of all that arrives, next to nothing is left after it was summed up (hooks in that backward);
- `escape`: the gradient appears, or grows by more than 30, once the others have moved (one call of the probe more, or
  two; asked only of those that are zero or vanishing).

The first table says whom each test recognises; the second how many parameters would be taken for the wrong kind if
the engine went without it. The engine's rule: harmless, where `sibling` or `cancellation` says so; other noise, by
`scale`, is a fault; what is large enough to learn from is harmless; what is left waits, where `escape` says so; else it
is a fault. Without `cancellation`, noise is taken to be harmless.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import tomllib
from tables import table

REPO = Path(__file__).parents[2]
FOLDERS = [REPO / "tests" / "cases", REPO.parent / "shared" / "cases"]
KINDS = ["harmless", "waits", "fault"]
TESTS = ["sibling", "scale", "cancellation", "escape"]


@dataclass(frozen=True)
class Parameter:
    """One parameter with a zero or tiny gradient: its kind as stated, what else would be as right, whether it is large
    enough to learn from, and what each test says of it.
    """

    kind: str
    also: str | None
    usable: bool
    says: dict[str, bool]

    def taken_for(self, without: str | None = None) -> str:
        """The kind by the engine's rule, if it did `without` one of the tests."""
        said = {test: self.says[test] and test != without for test in TESTS}
        if said["sibling"] or said["cancellation"]:
            return "harmless"
        if said["scale"]:
            return "harmless" if without == "cancellation" else "fault"
        if self.usable:
            return "harmless"
        return "waits" if said["escape"] else "fault"


def kinds_of_case(facts: Path, names: list[str]) -> dict[str, str]:
    """The stated kinds of a case's parameters, by name."""
    stated = tomllib.loads(facts.read_text(encoding="utf-8"))
    waiting = {n for c in stated.get("causes", []) if c.get("recovers") for n in c["parameters"]}
    kinds = {}
    for name in names:
        verdict = next(
            (v for pattern, v in stated["verdicts"].items() if fnmatch.fnmatchcase(name, pattern)), "healthy"
        )
        if verdict in ("healthy", "zero", "vanishing"):
            kinds[name] = "harmless" if verdict == "healthy" else "waits" if name in waiting else "fault"
    return kinds


def kinds_of_model(expected: dict, names: list[str]) -> dict[str, tuple[str, str | None]]:
    """The stated kinds of a zoo model's parameters, by name, and what would be as right.

    Left out are faults, and what is small enough that it may be called vanishing as well.
    """
    kinds = {}
    for name in names:
        special = expected["special"].get(name, {"verdicts": ["healthy"]})
        if "healthy" in special["verdicts"] and "vanishing" not in special["verdicts"]:
            kinds[name] = ("harmless", "waits" if len(special["verdicts"]) > 1 else None)
        elif special["verdicts"] == ["zero"] and special["at_most"] == "information":
            kinds[name] = ("waits", None)
    return kinds


def looked_at(paths: list[Path], python: str) -> dict[Path, dict[str, dict[str, bool]]]:
    """What each test says of each parameter in question, and whether it is `usable`, for the probes of some files."""
    run = subprocess.run(
        [python, str(Path(__file__).with_name("zero_sampling.py"))],
        input="\n".join(map(str, paths)),
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
    )
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    for answer in answers:
        if "failed" in answer:
            print(f"{Path(answer['path']).stem}: {answer['failed']}", file=sys.stderr)
    return {Path(answer["path"]): answer["parameters"] for answer in answers if "failed" not in answer}


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[f for f in FOLDERS if f.is_dir()])
    parser.add_argument("--zoo", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--output", type=Path, help="a Markdown file to write the tables into")
    options = parser.parse_args()

    parameters: list[Parameter] = []
    cases = [facts for folder in options.folders for facts in sorted(folder.resolve().glob("*.toml"))]
    for path, found in looked_at([facts.with_suffix(".py") for facts in cases], sys.executable).items():
        kinds = kinds_of_case(path.with_suffix(".toml"), list(found))
        parameters += [Parameter(kind, None, found[name].pop("usable"), found[name]) for name, kind in kinds.items()]
    if options.zoo:
        expected = json.loads((options.zoo / "expected.json").read_text(encoding="utf-8"))
        probes = sorted((options.zoo.resolve() / "probes").glob("*.py"))
        for path, found in looked_at(probes, options.python).items():
            stated = kinds_of_model(expected[path.stem], list(found))
            parameters += [Parameter(*kind, found[name].pop("usable"), found[name]) for name, kind in stated.items()]

    there = Counter(parameter.kind for parameter in parameters)
    said = {test: Counter(p.kind for p in parameters if p.says[test]) for test in TESTS}
    rows = [["test", *(f"{kind} ({there[kind]})" for kind in KINDS)]]
    rows += [[test, *(str(said[test][kind]) for kind in KINDS)] for test in TESTS]
    lines = ["Who is recognised", "", *table(rows), "", "Parameters taken for the wrong kind", ""]
    rows = [["without", *KINDS, "in all"]]
    for without in (None, *TESTS):
        wrong = Counter(p.kind for p in parameters if p.taken_for(without) not in (p.kind, p.also))
        rows.append([without or "(none)", *(str(wrong[kind]) for kind in KINDS), str(wrong.total())])
    lines += table(rows)
    print("\n".join(lines))
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
