"""Model files with one gradient-flow fault each, or none where careless tools would shout: what is to be said of them.

A case is `SLUG.py`, a file with a probe, beside `SLUG.toml`, what is true of it: the verdict for each pattern of
parameter names, the causes with their lines and parameters, and lines on which layers are defined. `also` and
`also_kinds` are lines and kinds that are as right; `recovers` says of a zero start whether it opens by itself; a
parameter in `noise` may be exactly zero as well, one in `borderline` of the neighbouring verdict.
"""

import json
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import tomllib

REPO = Path(__file__).parent.parent
FOLDERS = [REPO / "tests" / "cases", REPO.parent / "shared" / "cases"]
CENSUS = [REPO / "tests" / "census" / "healthy", REPO / "tests" / "census" / "faulty"]
"""Several hundred more of the same form, small and of every kind; too many for every run of the tests."""

NOT_YET: dict[str, str] = {}
"""Cases that are known to come out wrong, with what is said instead."""

SEVERITIES = {"frozen": "information", "healthy": None, "nonfinite": "error"}
NEIGHBOURS = {"vanishing": {"healthy"}, "exploding": {"healthy"}, "healthy": {"vanishing", "exploding"}}


def cases():
    for folder in FOLDERS + CENSUS:
        for facts in sorted(folder.glob("*.toml")):
            reason = NOT_YET.get(facts.stem)
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
            marks += [pytest.mark.slow] if folder in CENSUS else []
            yield pytest.param(facts.with_suffix(".py"), id=facts.stem, marks=marks)


@pytest.fixture(scope="session")
def reports(request):
    """What one call says of all the selected cases, by file."""
    pytest.importorskip("torch")
    mine = [
        item for item in request.session.items if getattr(item, "originalname", "") == "test_a_case_is_told_as_it_is"
    ]
    files = [str(item.callspec.params["path"]) for item in mine]
    command = [sys.executable, "-m", "gradflow_lsp", "check", "--format", "json", *files]
    run = subprocess.run(command, cwd=REPO, capture_output=True, encoding="utf-8")
    assert run.stdout, run.stderr
    return {(REPO / probe["path"]).resolve(): probe for probe in json.loads(run.stdout)["probes"]}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", list(cases()))
def test_a_case_is_told_as_it_is(path, reports):
    case = Case(tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8")), reports[path.resolve()])
    assert [*case.verdicts(), *case.severities(), *case.causes(), *case.strangers(), *case.definitions()] == []


class Case:
    """What is true of a file, and what was reported; each method yields what is wrong about one part of the report."""

    def __init__(self, facts, report):
        assert report["status"] == "ok", report["error"]
        self.facts = facts
        self.parameters = {p["name"]: p for p in report["parameters"]}
        self.unregistered = [name for name, p in self.parameters.items() if p["verdict"] == "unregistered"]
        self.registered = [name for name in self.parameters if name not in self.unregistered]
        self.reported = [c for c in report["causes"] if c["kind"] != "invariant"]
        self.stated = facts.get("causes", [])

    def verdicts(self):
        """Each parameter has its verdict, each pattern a parameter; unregistered ones are counted, not named."""
        patterns = self.facts["verdicts"]
        for name in self.registered:
            if self.parameters[name]["verdict"] not in self.accepted(name):
                yield f"{name} is {self.parameters[name]['verdict']}, not {self.expected(name)}"
        for pattern, verdict in patterns.items():
            if verdict != "unregistered" and not any(fnmatchcase(name, pattern) for name in self.registered):
                yield f"no parameter matches {pattern}"
        if len(self.unregistered) != list(patterns.values()).count("unregistered"):
            yield f"unregistered are {self.unregistered}"

    def severities(self):
        """Each parameter with the right verdict is shown with the severity that goes with it."""
        for name in self.registered:
            verdict, severity = (self.parameters[name][key] for key in ("verdict", "severity"))
            if self.facts.get("severity") == "free" or self.is_in("noise", name) or self.is_in("borderline", name):
                continue
            recovers = [c["recovers"] for c in self.stated if "recovers" in c and name in c["parameters"]]
            planned = bool(recovers) and all(recovers)
            right = {"information", None} if planned else {SEVERITIES.get(verdict, "warning")}
            if verdict == self.expected(name) and severity not in right:
                yield f"{name}, which is {verdict}, is shown as {severity}"

    def causes(self):
        """Each stated cause is reported on its line, and covers its parameters."""
        for stated in self.stated:
            hits = [cause for cause in self.reported if is_of(cause, stated)]
            covered = {name for cause in hits for name in cause["parameters"]}
            wanted = {name for name in stated["parameters"] if self.parameters[name]["verdict"] == self.expected(name)}
            if not hits and (wanted or stated["kind"] == "unregistered"):
                yield f"{stated['kind']} at line {stated['line']} is not reported"
            elif wanted - covered:
                yield f"{stated['kind']} at line {stated['line']} does not cover {sorted(wanted - covered)}"
            if len({(cause["kind"], cause["location"]["line"]) for cause in hits}) > 2:
                yield f"{stated['kind']} at line {stated['line']} is reported at many places"

    def strangers(self):
        """Nothing is reported that is not stated, and no parameter blamed on what is."""
        for cause in self.reported:
            what = f"{cause['kind']} at line {cause['location']['line']}"
            homes = [stated for stated in self.stated if is_of(cause, stated)]
            allowed = {name for stated in homes for name in stated["parameters"]} | set(self.unregistered)
            blamed = set(cause["parameters"])
            if not homes:
                yield f"{what} is reported for {sorted(blamed)}"
            elif blamed - allowed:
                yield f"{what} is blamed for {sorted(blamed - allowed)}"

    def definitions(self):
        """Layers are defined on their lines."""
        for stated in self.facts.get("definitions", []):
            line = self.parameters[stated["parameter"]]["location"]["line"]
            if line not in {stated["line"], *stated.get("also", [])}:
                yield f"{stated['parameter']} is defined at line {line}, not {stated['line']}"

    def expected(self, name):
        """The verdict of the parameter's own name, else of the first pattern that matches it."""
        patterns = self.facts["verdicts"]
        return patterns.get(name) or next((v for pattern, v in patterns.items() if fnmatchcase(name, pattern)), None)

    def accepted(self, name):
        """The verdicts that are right."""
        verdict = self.expected(name)
        zero = {"zero"} if self.is_in("noise", name) else set()
        return {verdict} | zero | (NEIGHBOURS.get(verdict, set()) if self.is_in("borderline", name) else set())

    def is_in(self, key, name):
        return any(fnmatchcase(name, pattern) or name == pattern for pattern in self.facts.get(key, []))


def is_of(cause, stated):
    """Whether a reported cause is the stated one: of its kind, on its line."""
    kinds, lines = {stated["kind"], *stated.get("also_kinds", [])}, {stated["line"], *stated.get("also", [])}
    return cause["kind"] in kinds and cause["location"]["line"] in lines
