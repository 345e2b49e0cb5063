"""The sample projects: what `gradflow-lsp check sample_projects --format json` says of each, run for real."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[1]
SAMPLES = REPO / "sample_projects"

CUT = {"first.weight": None, "first.bias": None, "middle.weight": None, "middle.bias": None}
LAST = {"last.weight": 0.184076, "last.bias": 0.079574}
MIDDLE = {"middle.weight": 0.142110, "middle.bias": 0.038178}
FIRST = {"first.weight": 0.083987, "first.bias": 0.019576}


@pytest.fixture(scope="module")
def probes():
    """Run the command once, and return its probes by file and function."""
    command = [sys.executable, "-m", "gradflow_lsp", "check", "sample_projects", "--format", "json"]
    done = subprocess.run([*command, "--python", sys.executable], capture_output=True, text=True, cwd=REPO)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)["probes"]
    return {(probe["path"].removeprefix("sample_projects/"), probe["function"]): probe for probe in found}


def norms(probe):
    return {p["name"]: None if p["grad_norm"] is None else round(p["grad_norm"], 6) for p in probe["parameters"]}


def verdicts(probe):
    return {p["name"]: p["verdict"] for p in probe["parameters"]}


def causes(probe):
    """Return for each cause its kind, the text that it points at, and what it explains."""
    return [(cause["kind"], pointed_at(cause["location"]), cause["parameters"]) for cause in probe["causes"]]


def pointed_at(location):
    line = (REPO / location["path"]).read_text().splitlines()[location["line"] - 1]
    return line[location["column"] : location["end_column"]]


def test_every_sample_runs(probes):
    assert {probe["status"] for probe in probes.values()} == {"ok"}
    assert {Path(path).parts[0] for path, _ in probes} == {p.name for p in SAMPLES.iterdir() if p.is_dir()}


@pytest.mark.parametrize(
    ("file", "function", "expected"),
    [
        ("dry_soil/model.py", "gradflow_probe", {**CUT, **LAST}),
        ("dry_soil/repaired.py", "gradflow_probe_without_detach", {**FIRST, **MIDDLE, **LAST}),
        ("dry_soil/repaired.py", "gradflow_probe_logs_a_copy", {**FIRST, **MIDDLE, **LAST}),
        ("dry_soil/frozen_first.py", "gradflow_probe", {"first.weight": None, "first.bias": None, **MIDDLE, **LAST}),
    ],
)
def test_the_norms_of_the_dry_soil_are_the_published_ones(probes, file, function, expected):
    assert norms(probes[file, function]) == expected


def test_the_norms_of_the_dead_branch_are_the_published_ones(probes):
    probe = probes["dead_branch/model.py", "gradflow_probe"]
    assert round(probe["losses"]["loss"], 4) == 1.2337
    assert {name: round(norm, 4) for name, norm in norms(probe).items()} == {
        "main1.weight": 0.2790,
        "main1.bias": 0.1172,
        "gate.weight": 0.0,
        "gate.bias": 0.0,
        "dead.weight": 0.0,
        "dead.bias": 0.1547,
        "main2.weight": 0.2938,
        "main2.bias": 0.1547,
    }


def test_a_cut_starves_what_lies_before_it_and_leaves_the_rest_as_it_was(probes):
    probe = probes["dry_soil/model.py", "gradflow_probe"]
    assert verdicts(probe) == {**dict.fromkeys(CUT, "missing"), **dict.fromkeys(LAST, "healthy")}
    [(kind, text, explained)] = causes(probe)
    assert (kind, explained) == ("detach", list(CUT))
    assert text.endswith(".detach()") or text == "detach()"


def test_each_layer_is_found_where_it_is_written(probes):
    for probe in probes.values():
        for parameter in probe["parameters"]:
            assert pointed_at(parameter["location"]).startswith(f"nn.{parameter['type']}(")


def test_a_freeze_is_one_finding_that_fails_nothing(probes):
    for file in ("dry_soil/frozen_first.py", "transfer_learning/model.py"):
        probe = probes[file, "gradflow_probe"]
        frozen = [p["name"] for p in probe["parameters"] if p["verdict"] == "frozen"]
        assert {p["severity"] for p in probe["parameters"]} == {"information", None}
        assert set(verdicts(probe).values()) == {"frozen", "healthy"}
        [(kind, text, explained)] = causes(probe)
        assert (kind, explained) == ("frozen", frozen)
        assert text.endswith(".requires_grad_(False)")


def test_a_hard_gate_cuts_at_its_comparison(probes):
    probe = probes["dry_soil/hard_gate.py", "gradflow_probe"]
    assert verdicts(probe) == {**dict.fromkeys(CUT, "missing"), **dict.fromkeys(LAST, "healthy")}
    assert causes(probe) == [("non-differentiable", "h > 0", list(CUT))]


def test_a_layer_that_is_never_called_is_named_by_its_definition(probes):
    probe = probes["dry_soil/never_called.py", "gradflow_probe"]
    missing = [name for name, verdict in verdicts(probe).items() if verdict == "missing"]
    assert missing == ["extra.weight", "extra.bias"]
    assert causes(probe) == [("not-called", "nn.Linear(32, 32)", missing)]


def test_the_relu_explains_the_whole_dead_branch(probes):
    probe = probes["dead_branch/model.py", "gradflow_probe"]
    zero = [name for name, verdict in verdicts(probe).items() if verdict == "zero"]
    assert zero == ["gate.weight", "gate.bias", "dead.weight"]
    assert sorted(causes(probe)) == [
        ("dead-activation", "torch.relu(self.gate(x))", ["gate.weight", "gate.bias"]),
        ("zero-input", "torch.relu(self.gate(x))", ["dead.weight"]),
    ]


@pytest.mark.parametrize("function", ["gradflow_probe_leaky", "gradflow_probe_positive_bias"])
def test_the_repaired_branch_learns_everywhere(probes, function):
    probe = probes["dead_branch/repaired.py", function]
    assert set(verdicts(probe).values()) == {"healthy"}
    assert probe["causes"] == probe["findings"] == []


def test_a_project_of_several_files_is_explained_across_them(probes):
    probe = probes["multi_file/src/depth_net/probe.py", "gradflow_probe"]
    starved = [name for name, verdict in verdicts(probe).items() if verdict == "missing"]
    assert starved == [name for name in verdicts(probe) if name.startswith("encoder.")]
    [cause] = probe["causes"]
    assert (cause["kind"], cause["parameters"]) == ("data-access", starved)
    assert cause["location"]["path"] == "sample_projects/multi_file/src/depth_net/layers.py"
    assert sorted(Path(path).name for path in probe["sources"]) == ["__init__.py", "layers.py", "model.py", "probe.py"]


@pytest.mark.parametrize("folder", [path.name for path in SAMPLES.iterdir() if path.is_dir()])
def test_the_readme_of_a_sample_gives_its_real_norms(probes, folder):
    quoted = re.findall(r"\b\d+\.\d{6}\b", (SAMPLES / folder / "README.md").read_text(encoding="utf-8"))
    own = [norms(probe) for (path, _), probe in probes.items() if path.startswith(folder)]
    real = {f"{norm:.6f}" for each in own for norm in each.values() if norm is not None}
    assert quoted
    assert set(quoted) <= real


def test_the_readme_quotes_what_is_really_printed():
    quoted = re.search(r"```text\n(.*?)```", (REPO / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    command = [sys.executable, "-m", "gradflow_lsp", "check", "sample_projects/dry_soil/model.py"]
    done = subprocess.run(
        [*command, "--python", sys.executable],
        capture_output=True,
        encoding="utf-8",
        cwd=REPO,
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
    )
    printed, _, _ = done.stdout.partition("\nWhat this means")
    assert without_seconds(printed) == without_seconds(quoted)


def without_seconds(text):
    return re.sub(r"· [\d.]+ s\n", "· s\n", text).strip()
