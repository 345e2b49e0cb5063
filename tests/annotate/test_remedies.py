"""What is offered for the findings at a place, wherever the mend lies."""

from datetime import datetime

from gradflow_lsp.annotate.board import Board
from gradflow_lsp.annotate.remedies import remedies
from gradflow_lsp.probe.report import Cause, Location, ParameterReport, ProbeReport

MODEL = "/m/model.py"
LAYERS = "/m/layers.py"
TEXTS = {
    MODEL: """\
from torch import nn
from layers import cut, conv


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = [conv(2), conv(2)]
""",
    LAYERS: """\
from torch import nn


def conv(n):
    return nn.Linear(n, n)


def cut(x):
    return x.detach()
""",
}
MADE = Location(LAYERS, 5, 11, 5, 26)
CUT = Location(LAYERS, 9, 12, 9, 21)


def offers(verdict, cause, **changes):
    """What is offered on the line of a parameter that has one bad verdict from one cause."""
    parameter = ParameterReport("convs[0].weight", "convs[0]", "Linear", [2, 2], "float32", verdict, "warning")
    parameter.location, parameter.causes = MADE, [0]
    report = ProbeReport(MODEL, "gradflow_probe", 8, "ok", sources=dict.fromkeys(TEXTS, ""))
    report.parameters, report.causes = [parameter], [cause]
    board, texts = Board(), {**TEXTS, **changes}
    board.show(report, TEXTS, datetime(2026, 1, 1))
    return remedies(board.all(), board.annotations(LAYERS), texts.get)


def test_fixes_come_first_and_only_the_first_is_preferred():
    found = offers("missing", Cause("detach", "", ["convs[0].weight"], CUT))
    assert [(one.path, one.fix.title, one.fix.preferred) for one in found if not one.is_mark] == [
        (LAYERS, "Remove .detach()", True)
    ]
    assert [one.is_mark for one in found] == sorted(one.is_mark for one in found)
    assert sum(one.fix.preferred for one in found) == 1


def test_one_fix_is_about_all_that_it_mends():
    fix = offers("missing", Cause("detach", "", ["convs[0].weight"], CUT))[0]
    assert {annotation.code for annotation in fix.about} == {"missing-gradient", "detach"}


def test_what_is_kept_in_another_file_is_mended_there():
    fix = offers("unregistered", Cause("unregistered", "", ["convs[0].weight"], MADE))[0]
    assert fix.path == MODEL
    assert "self.convs = nn.ModuleList([conv(2), conv(2)])" in fix.fix.apply(TEXTS[MODEL])


def test_a_file_that_is_gone_has_no_fix():
    found = offers("missing", Cause("detach", "", ["convs[0].weight"], CUT), **{LAYERS: None})
    assert found == []


def test_only_decisions_can_be_intended():
    titles = [one.fix.title for one in offers("zero", Cause("underflow", "", ["convs[0].weight"], CUT)) if one.is_mark]
    assert titles == ["Ignore zero-gradient on this line", "Ignore underflow on this line"]
