"""Torch's own layers are built out of a tracer's sight; whatever may run the user's code while it is built is seen."""

import torch
from torch import nn

from gradflow_lsp.probe.sites import SiteRecorder
from gradflow_lsp.probe.tracing import Tracer

from .reading import text_at, verdicts


def traced(build):
    """What a tracer saw while something was built: the tracer, and the names of the operations."""
    tracer = Tracer(SiteRecorder(lambda path: path == __file__))
    with tracer:
        build()
    return tracer, [op.name for op in tracer.ops]


def test_a_layer_of_torch_is_built_out_of_sight():
    assert traced(lambda: nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.MultiheadAttention(4, 2)))[1] == []


def test_what_comes_after_it_is_seen_again():
    assert traced(lambda: nn.Linear(3, 3)(torch.ones(3)))[1] == ["linear"]


def test_a_layer_that_cannot_be_built_leaves_the_tracer_where_it_was():
    def build():
        try:
            nn.Linear(3, "three")
        except TypeError:
            torch.ones(2, requires_grad=True).exp()

    assert traced(build)[1][-1] == "exp"


def test_a_class_of_the_users_own_is_built_in_sight():
    class Zeroed(nn.Linear):
        def reset_parameters(self):
            nn.init.zeros_(self.weight)

    assert traced(lambda: Zeroed(3, 3))[1] != []


def test_another_mode_above_the_tracer_keeps_its_say():
    def build():
        with torch.device("meta"):
            assert nn.Linear(3, 3).weight.is_meta

    assert traced(build)[1] != []


def test_buffers_are_known_before_they_are_used():
    layer = []
    tracer, _ = traced(lambda: layer.append(nn.BatchNorm1d(3)))
    assert tracer.tokens.find(layer[0].running_mean) is not None


def test_constructors_are_as_they_were_afterwards():
    before = nn.Linear.__init__, nn.Conv2d.__init__
    traced(lambda: None)
    assert (nn.Linear.__init__, nn.Conv2d.__init__) == before


def test_a_layer_that_starts_at_zero_is_found_where_it_is_written(run_probe):
    report = run_probe("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(3, 3)
                self.norm = nn.LayerNorm(3)
                nn.init.zeros_(self.norm.weight)
                self.gate = nn.LayerNorm(3)

            def forward(self, x):
                return x + self.norm(self.first(x)) * self.gate.bias

        def gradflow_probe():
            model = Net()
            return model, model(torch.randn(2, 3)).square().sum()
    """)
    assert verdicts(report)["first.weight"] == "zero"
    assert "nn.LayerNorm(3)" in {text_at(cause.location) for cause in report.causes}
