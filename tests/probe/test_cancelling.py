import pytest
import torch
from torch import nn

from .watching import watched


def shares(model, loss, names=None):
    seen, _ = watched(model, loss, names=names)
    return {name: cancellation.left for name, cancellation in seen.cancellation.items()}


class Added(nn.Module):
    """A learned shift of three channels, added in some way before a normalisation that takes it out again."""

    def __init__(self, shift, add):
        super().__init__()
        self.shift, self.add = nn.Parameter(shift), add

    def forward(self, x):
        return nn.functional.instance_norm(self.add(x, self.shift)).pow(3).sum()


def test_a_bias_that_cancels_itself_keeps_next_to_nothing_of_what_arrives():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    left = shares(model, model(torch.randn(16, 3)).square().sum())
    assert left["0.bias"] < 1e-5
    assert left["2.bias"] > 1e-3


@pytest.mark.parametrize(
    "add",
    [
        lambda x, shift: x + shift[None, :, None],
        lambda x, shift: x - shift.view(1, 3, 1).expand_as(x),
        lambda x, shift: x + shift.repeat(2).view(2, 3, 1),
        lambda x, shift: x + shift.unsqueeze(-1),
    ],
)
def test_a_parameter_is_followed_to_where_it_is_added(add):
    torch.manual_seed(0)
    model = Added(torch.zeros(3), add)
    assert shares(model, model(torch.randn(2, 3, 50)))["shift"] < 1e-5


def test_a_gain_that_a_normalisation_takes_out_cancels_itself():
    torch.manual_seed(0)
    model = Added(torch.ones(3), lambda x, gain: x * gain[:, None])
    assert shares(model, model(torch.randn(2, 3, 500)))["shift"] < 1e-4


def test_a_gain_that_is_felt_does_not():
    torch.manual_seed(0)
    layer = nn.Linear(3, 1)
    gain = nn.Parameter(torch.ones(3))
    model = nn.ParameterList([gain])
    assert shares(model, layer(torch.ones(2, 3) * gain).square().sum())["0"] > 1e-2


def test_the_format_of_what_arrives_says_how_coarsely_it_rounds():
    torch.manual_seed(0)
    model = Added(torch.zeros(3), lambda x, shift: x.bfloat16() + shift.bfloat16()[None, :, None])
    seen, _ = watched(model, model(torch.randn(2, 3, 50)).float())
    assert seen.cancellation["shift"].eps == torch.finfo(torch.bfloat16).eps


def test_only_what_is_watched_has_a_share():
    model = nn.Linear(2, 1)
    assert shares(model, model(torch.ones(1, 2)).sum(), names={"weight"}) == {}


def test_a_parameter_that_is_used_otherwise_too_has_no_share():
    model = nn.Linear(2, 1)
    assert shares(model, model(torch.ones(1, 2)).sum() + model.bias.square().sum()) == {}
