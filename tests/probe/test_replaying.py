"""The escape test: which zero gradients appear by themselves once the other parameters have moved a little."""

import pytest
import torch
from torch import nn
from torch.nn.modules import module as torch_module

from gradflow_lsp.probe.backward import clean_backward
from gradflow_lsp.probe.definitions import Definitions
from gradflow_lsp.probe.outcome import read_outcome
from gradflow_lsp.probe.replaying import NotReplayed, wake

X = torch.linspace(-1, 1, 12).view(4, 3)


def awake(probe, *asleep):
    """Call `probe` once, and then again as often as the test wants to; return who of `asleep` has woken up."""

    def call(definitions):
        with definitions:
            definitions.begin_probe()
            torch.manual_seed(0)
            return read_outcome(probe(), definitions)

    definitions = Definitions.unlocated()
    outcome = call(definitions)
    facts = clean_backward(outcome.parameters(), outcome.losses, keep_graph=True)
    return wake(facts, asleep, definitions, call)


def branch(*layers):
    """A model whose output is a linear layer's plus that of a branch."""
    model = nn.ModuleList([nn.Linear(3, 3), nn.Sequential(*layers)])
    return model, (model[0](X) + model[1](X)).square().sum()


def closed(layer):
    """The layer with zeros for parameters."""
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
    return layer


def test_what_waits_behind_a_zero_layer_wakes_up():
    assert awake(lambda: branch(nn.Linear(3, 3), closed(nn.Linear(3, 3))), "1.0.weight") == {"1.0.weight"}


def test_two_zero_layers_in_a_row_may_open_one_after_the_other():
    def probe():
        return branch(nn.Linear(3, 3), closed(nn.Linear(3, 3)), nn.Linear(3, 3), closed(nn.Linear(3, 3)))

    assert awake(probe, "1.0.weight", "1.2.weight") == {"1.0.weight", "1.2.weight"}


class Twins(nn.Module):
    """Two zero factors of one product."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return self.one * self.other * x


def test_two_zero_factors_that_wait_for_each_other_never_wake():
    assert awake(lambda: branch(Twins()), "1.0.one", "1.0.other") == set()


def test_a_dead_activation_never_wakes():
    def probe():
        layer = nn.Linear(3, 3)
        nn.init.constant_(layer.bias, -100.0)
        return branch(layer, nn.ReLU(), nn.Linear(3, 3))

    assert awake(probe, "1.0.weight") == set()


def test_a_model_that_is_there_for_all_calls_is_moved_for_the_replay_and_put_back():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 3), closed(nn.Linear(3, 1)))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    assert awake(lambda: (model, (model(X) - 1).square().sum()), "0.weight") == {"0.weight"}
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_values_that_the_probe_sets_after_a_first_call_do_not_undo_the_step():
    def probe():
        model, _ = branch(nn.Linear(3, 3), nn.Linear(3, 3))
        closed(model[1][1])
        return model, (model[0](X) + model[1](X)).square().sum()

    assert awake(probe, "1.0.weight") == {"1.0.weight"}


def test_a_layer_that_learns_may_have_no_size_before_its_first_call():
    def probe():
        model = nn.ModuleList([nn.LazyLinear(3), nn.Sequential(nn.Linear(3, 3), closed(nn.Linear(3, 3)))])
        return model, (model[1](X) + model[0](X)).square().sum()

    assert awake(probe, "1.0.weight") == {"1.0.weight"}


def test_a_parameter_whose_entries_are_one_number_in_memory_is_left_as_it_is():
    def probe():
        model, _ = branch(nn.Linear(3, 3), closed(nn.Linear(3, 3)))
        shared = nn.Parameter(torch.ones(1).expand(3))
        model.register_parameter("shared", shared)
        return model, (shared * (model[0](X) + model[1](X))).square().sum()

    assert awake(probe, "1.0.weight") == {"1.0.weight"}


def test_a_probe_that_builds_another_model_each_time_cannot_be_judged():
    depths = iter([3, 2])

    def probe():
        return branch(*(nn.Linear(3, 3) for _ in range(next(depths))), closed(nn.Linear(3, 3)))

    with pytest.raises(NotReplayed, match="other parameters"):
        awake(probe, "1.0.weight", "1.1.weight", "1.2.weight", "1.3.weight")


def test_a_probe_that_fails_the_second_time_cannot_be_judged():
    data = iter([nn.Linear(3, 3)])
    with pytest.raises(NotReplayed, match="raised StopIteration"):
        awake(lambda: branch(next(data), closed(nn.Linear(3, 3))), "1.0.weight")


def test_a_probe_that_calls_no_module_cannot_be_judged():
    def probe():
        model = nn.ParameterList([torch.ones(3), torch.zeros(3)])
        return model, (X * model[0] * model[1] - 1).square().sum()

    with pytest.raises(NotReplayed, match="no module was called"):
        awake(probe, "0")


def test_no_hook_is_left():
    awake(lambda: branch(nn.Linear(3, 3), closed(nn.Linear(3, 3))), "1.0.weight")
    assert not torch_module._global_forward_pre_hooks
