"""The models of two tutorials that teach people to check gradients by hand: their printed figures must come out."""

import json
import subprocess
import sys

import pytest

MODELS = """
import torch
from torch import nn
from torch.nn import functional as F


class CutWire(nn.Module):
    def __init__(self, cut):
        super().__init__()
        self.first = nn.Linear(10, 32)
        self.middle = nn.Linear(32, 32)
        self.last = nn.Linear(32, 2)
        self.cut = cut

    def forward(self, x):
        h = torch.relu(self.middle(torch.relu(self.first(x))))
        if self.cut:
            h = h.detach()
        return self.last(h)


class DeadBranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.main1 = nn.Linear(4, 8)
        self.gate = nn.Linear(4, 4)
        self.dead = nn.Linear(4, 3)
        self.main2 = nn.Linear(8, 3)
        with torch.no_grad():
            self.gate.weight.zero_()
            self.gate.bias.fill_(-1.0)

    def forward(self, x):
        return self.main2(torch.relu(self.main1(x))) + self.dead(torch.relu(self.gate(x)))


def gradflow_probe_two_layers():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    return model, model(torch.randn(5, 3)).sum()


def gradflow_probe_one_layer():
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    return model, model(torch.randn(4, 3)).sum()


def gradflow_probe_all_off():
    torch.manual_seed(0)
    model = nn.Linear(2, 2)
    nn.init.zeros_(model.weight)
    nn.init.constant_(model.bias, -1.0)
    return model, torch.relu(model(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))).sum()


def gradflow_probe_dead_branch():
    torch.manual_seed(0)
    model = DeadBranch()
    x = torch.randn(6, 4)
    return model, F.cross_entropy(model(x), torch.tensor([0, 1, 2, 1, 0, 2]))


def cut_wire(cut):
    torch.manual_seed(0)
    model = CutWire(cut)
    x = torch.randn(16, 10)
    return model, F.cross_entropy(model(x), torch.randint(0, 2, (16,)))


def gradflow_probe_cut():
    return cut_wire(True)


def gradflow_probe_whole():
    return cut_wire(False)
"""

FIGURES = {
    "two_layers": (4, {"0.weight": 1.1541, "0.bias": 0.8554, "2.weight": 0.6266, "2.bias": 7.0711}),
    "one_layer": (4, {"weight": 4.3925}),
    "all_off": (4, {"weight": 0.0}),
    "dead_branch": (
        4,
        {
            "main1.weight": 0.2790,
            "main1.bias": 0.1172,
            "gate.weight": 0.0,
            "gate.bias": 0.0,
            "dead.weight": 0.0,
            "dead.bias": 0.1547,
            "main2.weight": 0.2938,
            "main2.bias": 0.1547,
        },
    ),
    "cut": (
        6,
        {
            "first.weight": None,
            "first.bias": None,
            "middle.weight": None,
            "middle.bias": None,
            "last.weight": 0.184076,
            "last.bias": 0.079574,
        },
    ),
    "whole": (
        6,
        {
            "first.weight": 0.083987,
            "first.bias": 0.019576,
            "middle.weight": 0.142110,
            "middle.bias": 0.038178,
            "last.weight": 0.184076,
            "last.bias": 0.079574,
        },
    ),
}


@pytest.fixture(scope="module")
def probes(tmp_path_factory):
    """Run all models by one `check --format json`, and return the report of each by name."""
    folder = tmp_path_factory.mktemp("lessons")
    (folder / "lessons.py").write_text(MODELS)
    command = [
        sys.executable,
        "-m",
        "gradflow_lsp",
        "check",
        "lessons.py",
        "--format",
        "json",
        "--python",
        sys.executable,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 1, done.stderr
    return {p["function"].removeprefix("gradflow_probe_"): p for p in json.loads(done.stdout)["probes"]}


@pytest.mark.parametrize("model", FIGURES)
def test_the_printed_figures_come_out(probes, model):
    digits, figures = FIGURES[model]
    norms = {p["name"]: p["grad_norm"] for p in probes[model]["parameters"]}
    assert {name: norm if (norm := norms[name]) is None else round(norm, digits) for name in figures} == figures


def test_the_loss_of_the_dead_branch_comes_out(probes):
    assert round(probes["dead_branch"]["losses"]["loss"], 4) == 1.2337


def test_none_and_zero_are_two_findings(probes):
    assert {p["verdict"] for p in probes["all_off"]["parameters"]} == {"zero"}
    assert {p["verdict"] for p in probes["cut"]["parameters"][:4]} == {"missing"}


def test_the_cause_of_each_is_named(probes):
    assert [cause["kind"] for cause in probes["cut"]["causes"]] == ["detach"]
    assert [cause["kind"] for cause in probes["all_off"]["causes"]] == ["dead-activation"]
    assert sorted(cause["kind"] for cause in probes["dead_branch"]["causes"]) == ["dead-activation", "zero-input"]


@pytest.mark.parametrize("model", ["two_layers", "one_layer", "whole"])
def test_where_all_is_well_there_is_silence(probes, model):
    assert {p["verdict"] for p in probes[model]["parameters"]} == {"healthy"}
    assert probes[model]["causes"] == []
    assert probes[model]["findings"] == []
