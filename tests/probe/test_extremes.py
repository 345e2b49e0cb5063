"""How far the inputs of activations reached."""

import torch
from torch import nn

from gradflow_lsp.probe.extremes import Extremes
from gradflow_lsp.probe.sites import SiteRecorder
from gradflow_lsp.probe.tracing import Tracer


def extremes_of(run):
    tracer, extremes = Tracer(SiteRecorder(lambda path: path == __file__)), Extremes()
    tracer.on_op = extremes
    with tracer:
        run()
    return {tracer.ops[index].name: reach for index, reach in extremes.of.items()}


def test_the_smallest_and_the_largest_input_of_an_activation_are_noted():
    assert extremes_of(lambda: torch.tensor([-2.0, 3.0]).relu()) == {"relu": (-2.0, 3.0)}


def test_an_activation_of_a_parameter_counts_and_its_initialisation_does_not():
    weight = nn.Parameter(torch.tensor([-2.0, 3.0]))

    def run():
        with torch.no_grad():
            weight.clamp_(-1.0, 1.0)
        torch.sigmoid(weight)

    assert extremes_of(run) == {"sigmoid": (-1.0, 1.0)}
