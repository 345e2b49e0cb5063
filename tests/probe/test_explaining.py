"""What the second, watching backward sees."""

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.explaining import SCALE, changes, changes_when_scaled
from gradflow_lsp.probe.graph import kind

from .watching import facts_of, watched


def explained(model, losses):
    """What a watching backward sees, and the graph's nodes by kind."""
    seen, graph = watched(model, losses)
    return seen, {kind(node): node for node in graph.nodes}


def changed(model, losses):
    """By how much each gradient changes when the losses are scaled."""
    facts = facts_of(model, losses)
    return changes_when_scaled(losses, facts, facts)


def test_each_node_has_what_came_in_and_what_went_out():
    model = nn.Linear(2, 1, bias=False)
    loss = (3 * model(torch.tensor([[1.0, -5.0]]))).sum()
    seen, nodes = explained(model, loss)
    passage = seen.passages[nodes["MulBackward"]]
    assert passage.arrived == [pytest.approx(SCALE)]
    assert passage.left[:1] == [pytest.approx(3 * SCALE)]
    assert passage.alive


def test_an_edge_without_a_gradient_shows_as_none_and_zeros_as_dead():
    model = nn.Linear(2, 1, bias=False)
    loss = (0 * model(torch.ones(1, 2)).exp()).sum()
    seen, nodes = explained(model, loss)
    assert seen.passages[nodes["MulBackward"]].left == [0.0, None]
    assert not seen.passages[nodes["ExpBackward"]].alive


def test_what_is_left_afterwards_is_the_gradient_of_the_scaled_loss():
    model = nn.Linear(2, 1, bias=False)
    watched(model, model(torch.tensor([[1.0, -5.0]])).sum())
    assert model.weight.grad.tolist() == [[pytest.approx(SCALE), pytest.approx(-5 * SCALE)]]


def test_of_several_losses_a_node_shows_the_largest():
    model = nn.Linear(2, 1, bias=False)
    y = model(torch.ones(1, 2)).exp().sum()
    seen, nodes = explained(model, {"small": y, "large": 10 * y})
    assert seen.passages[nodes["SumBackward"]].arrived == [pytest.approx(10 * SCALE)]


def test_a_true_gradient_scales_with_the_loss_and_rounding_noise_does_not():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    change = changed(model, {"loss": model(torch.randn(16, 3)).square().sum()})
    assert change["0.weight"] < 1e-3
    assert change["0.bias"] > 0.1


def test_gradients_are_compared_where_they_are_there_both_times():
    one, other = torch.ones(2), torch.tensor([2.0, 2.5])
    assert changes({"a": one, "b": one}, {"a": other, "c": other}, 2.0) == {"a": pytest.approx(0.25 / 2**0.5)}


def test_a_gradient_of_zeros_has_not_changed():
    assert changes({"a": torch.zeros(2)}, {"a": torch.ones(2)}, 2.0) == {"a": 0.0}


def test_of_a_large_gradient_whose_sample_is_zero_all_entries_are_compared():
    before = torch.zeros(1 << 18)
    before[1] = 1.0
    assert changes({"a": before}, {"a": 3 * before}, 2.0) == {"a": pytest.approx(0.5)}


def test_losses_without_a_graph_are_passed_over():
    model = nn.Linear(2, 1)
    losses = {"fit": model(torch.ones(1, 2)).sum(), "constant": torch.ones(())}
    seen, _ = explained(model, losses)
    assert seen.passages
    assert max(changed(model, losses).values()) < 1e-6


def test_nothing_goes_on_watching_afterwards():
    model = nn.Linear(2, 1)
    loss = model(torch.ones(1, 2)).exp().sum()
    seen, _ = explained(model, loss)
    before = {node: list(passage.left) for node, passage in seen.passages.items()}
    (100 * loss).backward(retain_graph=True)
    assert {node: passage.left for node, passage in seen.passages.items()} == before
