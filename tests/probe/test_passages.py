"""What passes the nodes of a backward, and that nodes which only hand it on need not be watched."""

import pytest
import torch
from torch import nn

from gradflow_lsp.probe import passages
from gradflow_lsp.probe.backward import clean_backward
from gradflow_lsp.probe.graph import Graph, kind
from gradflow_lsp.probe.passages import Watcher

from .watching import by_name, parameters_of


def seen(model, losses, hooked=()):
    """What passes each node, by its place in the graph and its kind."""
    losses = by_name(losses)
    graph, found = Graph(losses.values(), ()), {}
    watcher = Watcher(found, graph, graph.nodes, {id(node) for node in hooked})
    clean_backward(parameters_of(model, losses), losses, keep_graph=True)
    watcher.end()
    return {(place, kind(node)): found.get(node) for place, node in enumerate(graph.nodes)}


def many_views(model):
    """A loss behind many nodes that only hand on, in a row and where ways meet."""
    x = model(torch.arange(12.0).view(2, 6) / 12).exp()
    y = x.view(2, 2, 3).transpose(1, 2).permute(2, 0, 1).unsqueeze(0).squeeze(0)
    return (y.reshape(-1).t().sum() + 2 * x.t().square().mean()) * 1e-3


@pytest.mark.parametrize("losses", [1, 2])
def test_what_is_not_watched_is_known_all_the_same(monkeypatch, losses):
    torch.manual_seed(0)
    model = nn.Linear(6, 6)
    loss = many_views(model)
    both = {f"loss{n}": (n + 1) * loss for n in range(losses)}
    short = seen(model, both)
    monkeypatch.setattr(passages, "_HANDING_ON", frozenset())
    assert short == seen(model, both)
    assert sum(name == "PermuteBackward" for _, name in short) == 1


def test_a_gradient_that_a_users_hook_changes_is_looked_at():
    model = nn.Linear(3, 3)
    viewed = model(torch.ones(1, 3)).exp().view(3)
    viewed.register_hook(lambda gradient: gradient * 0)
    found = seen(model, viewed.square().sum(), hooked=[viewed.grad_fn])
    ((_, passage),) = [(name, passage) for (_, name), passage in found.items() if name == "ViewBackward"]
    assert not passage.alive


def test_what_a_hook_puts_into_a_gradient_in_place_is_looked_at():
    model = nn.Linear(3, 3)
    inner = model(torch.ones(1, 3)).exp()
    inner.register_hook(lambda gradient: gradient.mul_(0))
    found = seen(model, inner.view(3).square().sum(), hooked=[inner.grad_fn])
    ((_, passage),) = [(name, passage) for (_, name), passage in found.items() if name == "ExpBackward"]
    assert not passage.alive
