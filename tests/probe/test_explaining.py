"""What the second, watching backward sees."""

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.backward import clean_backward
from gradflow_lsp.probe.definitions import Definitions
from gradflow_lsp.probe.explaining import SCALE, explain
from gradflow_lsp.probe.graph import Graph, kind
from gradflow_lsp.probe.outcome import read_outcome


def explained(model, losses):
    """The second backward after a first one, watching every parameter; and its nodes by kind."""
    losses = losses if isinstance(losses, dict) else {"loss": losses}
    facts = clean_backward(read_outcome((model, losses), Definitions.unlocated()).parameters(), losses, keep_graph=True)
    graph = Graph(losses.values(), [])
    return explain(graph, losses, facts, facts), {kind(node): node for node in graph.nodes}


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


def test_a_true_gradient_scales_with_the_loss_and_rounding_noise_does_not():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    seen, _ = explained(model, model(torch.randn(16, 3)).square().sum())
    assert seen.changes["0.weight"] < 1e-3
    assert seen.changes["0.bias"] > 0.1


def test_a_bias_that_cancels_itself_keeps_next_to_nothing_of_what_arrives():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    seen, _ = explained(model, model(torch.randn(16, 3)).square().sum())
    assert seen.cancellation["0.bias"] < 1e-5
    assert seen.cancellation["2.bias"] > 1e-3


def test_losses_without_a_graph_are_passed_over():
    model = nn.Linear(2, 1)
    seen, _ = explained(model, {"fit": model(torch.ones(1, 2)).sum(), "constant": torch.ones(())})
    assert max(seen.changes.values()) < 1e-6


def test_nothing_goes_on_watching_afterwards():
    model = nn.Linear(2, 1)
    loss = model(torch.ones(1, 2)).exp().sum()
    seen, _ = explained(model, loss)
    before = {node: list(passage.left) for node, passage in seen.passages.items()}
    (100 * loss).backward(retain_graph=True)
    assert {node: passage.left for node, passage in seen.passages.items()} == before
