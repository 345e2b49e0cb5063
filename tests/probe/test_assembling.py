"""The report: what it says of each parameter, and with which severity."""

import json
import sys

import torch

from gradflow_lsp.probe.report import ProbeReport

from .reading import only_cause, text_at, verdicts, wired


def test_each_parameter_is_described(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Sequential(nn.Linear(3, 1, bias=False).double())
            nn.init.constant_(model[0].weight, 2.0)
            return model, model(torch.ones(2, 3).double()).sum()
    """)
    (weight,) = report.parameters
    assert (weight.name, weight.module, weight.type, weight.shape, weight.dtype) == (
        "0.weight",
        "0",
        "Linear",
        [1, 3],
        "float64",
    )
    assert (weight.verdict, weight.severity, weight.zero_fraction) == ("healthy", None, 0.0)
    assert weight.grad_norm == weight.grad_norms["loss"] == 12**0.5
    assert weight.weight_norm == 12**0.5
    assert text_at(weight.location) == "nn.Linear(3, 1, bias=False)"


def test_the_run_is_described(run_probe, tmp_path):
    report = run_probe(wired("pass"))
    path = str(tmp_path / "model.py")
    assert (report.path, report.function, report.status, report.mode) == (path, "gradflow_probe", "ok", "real")
    assert list(report.sources) == [path]
    assert report.environment.torch == torch.__version__
    assert report.environment.interpreter == sys.executable
    assert 0 < report.seconds.probe < report.seconds.total


def test_a_report_survives_its_json(run_probe):
    report = run_probe(wired("h = h.detach() / 0"))
    assert (
        ProbeReport.from_json(json.loads(json.dumps(report.to_json(), allow_nan=False))).to_json() == report.to_json()
    )


def test_parameters_and_causes_refer_to_each_other(run_probe):
    report = run_probe(wired("h = self.middle(h.detach()).data", layers="self.middle = nn.Linear(3, 3)"))
    for parameter in report.parameters:
        assert parameter.causes == [i for i, c in enumerate(report.causes) if parameter.name in c.parameters]
    assert [p.causes for p in report.parameters] == [[0], [0], [1], [1], [], []]


def test_a_layer_built_by_a_factory_relates_the_call_of_the_factory(run_probe):
    report = run_probe("""
        def build(size):
            return nn.Linear(size, 1)

        def gradflow_probe():
            model = build(3)
            return model, model(torch.ones(2, 3)).sum()
    """)
    weight = report.parameters[0]
    assert text_at(weight.location) == "nn.Linear(size, 1)"
    assert [text_at(related.location) for related in weight.related] == ["build(3)"]


def test_several_losses_have_a_norm_each_and_one_of_their_sum(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Linear(1, 1, bias=False)
            y = model(torch.ones(1, 1)).sum()
            return model, {"up": 3 * y, "down": -y, "away": y.detach()}
    """)
    (weight,) = report.parameters
    assert weight.grad_norms == {"up": 3.0, "down": 1.0, "away": None}
    assert weight.grad_norm == 2.0


def test_severities_follow_the_verdicts(run_probe):
    report = run_probe("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fine = nn.Linear(3, 1)
                self.unused = nn.Linear(3, 1)
                self.frozen = nn.Linear(3, 1).requires_grad_(False)
                self.broken = nn.Linear(3, 1)
                self.hidden = [nn.Linear(3, 1)]

        def gradflow_probe():
            net, x = Net(), torch.ones(2, 3)
            broken = (net.broken(x) - net.broken(x)).sqrt()
            return net, (net.fine(x) + net.frozen(x) + broken + net.hidden[0](x)).sum()
    """)
    shown = {p.name: (p.verdict, p.severity) for p in report.parameters if p.name.endswith("weight")}
    assert shown == {
        "fine.weight": ("healthy", None),
        "unused.weight": ("missing", "warning"),
        "frozen.weight": ("frozen", "information"),
        "broken.weight": ("nonfinite", "error"),
        "hidden[0].weight": ("unregistered", "warning"),
    }


ZERO_START = """
def gradflow_probe():
    model = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
    nn.init.zeros_(model[1].weight)
    x = torch.ones(2, 3)
    return model, (x + model[1](model[0](x))).square().sum()
"""


def test_a_planned_zero_start_is_information(run_probe):
    report = run_probe(ZERO_START)
    assert verdicts(report)["0.weight"] == "zero"
    assert report.parameters[0].severity == "information"


def test_a_planned_zero_start_is_taken_for_one_when_no_replay_is_wanted(run_probe):
    report = run_probe(ZERO_START, replay=False)
    assert report.parameters[0].severity == "information"


def test_a_zero_start_that_stays_stuck_is_a_warning(run_probe):
    report = run_probe("""
        class Twins(nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.other = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(3))

            def forward(self, x):
                return x + self.one * self.other * x

        def gradflow_probe():
            model = nn.Sequential(nn.Linear(3, 3), Twins())
            return model, model(torch.ones(2, 3)).square().sum()
    """)
    shown = {p.name: (p.verdict, p.severity) for p in report.parameters}
    assert shown["1.one"] == shown["1.other"] == ("zero", "warning")


PACKAGE = """
from torch import nn

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.pooler = nn.Linear(3, 3)

    def forward(self, x):
        return self.body(x)
"""

USING_IT = """
import sys; sys.path.append({folder!r})
from package import Encoder

def gradflow_probe():
    model = nn.ModuleList([Encoder(), nn.Linear(3, 1), nn.Linear(3, 1)])
    return model, model[1](model[0](torch.ones(2, 3))).sum()
"""


def test_what_a_package_leaves_unused_is_information_and_what_the_user_does_is_a_warning(run_probe, tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "package.py").write_text(PACKAGE)
    report = run_probe(USING_IT.format(folder=str(folder)))
    shown = {p.name: (p.verdict, p.severity) for p in report.parameters}
    assert shown["0.pooler.weight"] == ("missing", "information")
    assert shown["2.weight"] == ("missing", "warning")
    assert text_at(report.parameters[0].location) == "Encoder()"


TARGETS = """
import copy
from torch import nn

class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Linear(3, 3)
        self.target = copy.deepcopy(self.online)
        self.head = nn.Linear(3, 3)
"""

USING_TARGETS = """
import sys; sys.path.append({folder!r})
from targets import Critic

def gradflow_probe():
    critic, x = Critic(), torch.ones(2, 3)
    {before}
    with torch.no_grad():
        goal = critic.target(x) + 1
    return critic, ({learning} - goal).square().sum()
"""


def shown_of_targets(run_probe, tmp_path, learning, before="pass"):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "targets.py").write_text(TARGETS)
    report = run_probe(USING_TARGETS.format(folder=str(folder), learning=learning, before=before))
    assert only_cause(report).kind == "no-grad"
    return {p.name: (p.verdict, p.severity) for p in report.parameters}


def test_a_copy_that_a_package_keeps_as_a_target_is_information(run_probe, tmp_path):
    shown = shown_of_targets(run_probe, tmp_path, "critic.head(critic.online(x))")
    assert shown["target.weight"] == shown["target.bias"] == ("missing", "information")


def test_a_copy_that_follows_at_some_distance_is_a_target_as_well(run_probe, tmp_path):
    follow = "critic.online.weight.data.add_(0.01); critic.online.bias.data.zero_()"
    shown = shown_of_targets(run_probe, tmp_path, "critic.head(critic.online(x))", follow)
    assert shown["target.weight"] == shown["target.bias"] == ("missing", "information")


def test_a_copy_that_went_its_own_way_is_no_target(run_probe, tmp_path):
    shown = shown_of_targets(run_probe, tmp_path, "critic.head(critic.online(x))", "critic.target.reset_parameters()")
    assert shown["target.weight"] == shown["target.bias"] == ("missing", "warning")


def test_a_copy_in_front_of_what_it_repeats_is_no_target(run_probe, tmp_path):
    shown = shown_of_targets(run_probe, tmp_path, "critic.head(critic.online(goal))")
    assert shown["target.weight"] == shown["target.bias"] == ("missing", "warning")
