"""A small model with one cut in it, and the report that a run of it gives, made by hand."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from gradflow_lsp.annotate.board import Board, Shown
from gradflow_lsp.probe.report import (
    Cause,
    Environment,
    Finding,
    Location,
    ParameterReport,
    ProbeError,
    ProbeReport,
    Related,
    Seconds,
)

PATH = str(Path("/project/model.py").absolute())
NOON = datetime(2024, 5, 1, 12, 0, 0)

TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        h = self.first(x).relu().detach()
        return self.last(h)


def gradflow_probe():
    model = Net()
    return model, model(torch.randn(5, 4)).sum()
"""


def location(needle: str, text: str = TEXT, path: str = PATH) -> Location:
    """Return where a piece of a line stands for the first time."""
    before, found, _ = text.partition(needle)
    assert found, needle
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1)
    return Location(path, line, column, line, column + len(needle))


FIRST, LAST = location("nn.Linear(4, 8)"), location("nn.Linear(8, 2)")
DETACH = location("self.first(x).relu().detach()")


def parameter(name: str, verdict: str = "healthy", **changes) -> ParameterReport:
    """Return a parameter of the model, with what usually goes with its verdict."""
    module, _, _ = name.rpartition(".")
    shown = {"healthy": None, "frozen": "information", "nonfinite": "error"}
    facts = {
        "shape": [8, 4] if name.endswith("weight") else [8],
        "severity": shown.get(verdict, "warning"),
        "grad_norm": {"missing": None, "frozen": None, "zero": 0.0}.get(verdict, 0.0839868),
        "weight_norm": 2.5,
        "location": LAST if module == "last" else FIRST,
        **changes,
    }
    return ParameterReport(name=name, module=module, type="Linear", dtype="float32", verdict=verdict, **facts)


def cut_report() -> ProbeReport:
    """Return the report of the model above: the first layer's gradient is cut off."""
    cause = Cause(
        kind="detach",
        message="`.detach()` cuts the graph here.",
        parameters=["first.weight", "first.bias"],
        location=DETACH,
        related=[Related("called here", location("model(torch.randn(5, 4))"))],
    )
    return report(
        parameters=[
            parameter("first.weight", "missing", causes=[0]),
            parameter("first.bias", "missing", causes=[0]),
            parameter("last.weight"),
            parameter("last.bias", grad_norm=7.0710678),
        ],
        causes=[cause],
        losses={"loss": -0.25},
    )


def report(**changes) -> ProbeReport:
    """Return a report of the probe above."""
    facts = {
        "status": "ok",
        "environment": Environment("3.12.1", "2.9.0", "cpu", "/usr/bin/python3"),
        "seconds": Seconds(total=0.214),
        **changes,
    }
    return ProbeReport(path=PATH, function="gradflow_probe", line=location("def gradflow_probe").line, **facts)


def failed_report(**changes) -> ProbeReport:
    """Return the report of a probe that raised."""
    facts = {"kind": "probe-raised", "message": "The probe raised ValueError: no data", **changes}
    return report(status="failed", error=ProbeError(**facts))


def finding(code: str, severity: str = "warning", where: Location | None = None) -> Finding:
    return Finding(code, severity, f"Something about {code}.", where)


def shown(of: ProbeReport) -> Shown:
    return Shown(of, NOON)


def board_with(of: ProbeReport) -> Board:
    board = Board()
    board.show(of, {PATH: TEXT}, NOON)
    return board
