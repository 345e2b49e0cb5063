"""Walks through the autograd graph, along what the explaining backward saw."""

import math

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.backward import clean_backward
from gradflow_lsp.probe.causes.walk import (
    all_zero,
    as_leaf,
    child,
    deaths,
    nonfinite_births,
    operand,
    path_to_loss,
    saved,
)
from gradflow_lsp.probe.definitions import Definitions
from gradflow_lsp.probe.explaining import explain
from gradflow_lsp.probe.graph import Graph, kind
from gradflow_lsp.probe.outcome import read_outcome


def seen(weight, loss):
    """The graph below a loss, what a second backward saw of it, and the weight's node."""
    model, losses = nn.ParameterList([weight]), {"loss": loss}
    facts = clean_backward(read_outcome((model, losses), Definitions.unlocated()).parameters(), losses, keep_graph=True)
    graph = Graph([loss], [])
    return graph, explain(graph, losses, facts, facts), graph.leaf_node(model[0])


@pytest.fixture
def weight():
    return nn.Parameter(torch.tensor([1.0, -2.0]))


def test_a_gradient_dies_where_something_arrives_and_only_zeros_leave(weight):
    died = deaths(*seen(weight, (3 * (weight - 9).relu()).exp().sum()))
    assert [(kind(death.node), death.edge) for death in died] == [("ReluBackward", 0)]


def test_it_may_die_in_several_places(weight):
    died = deaths(*seen(weight, ((weight - 9).relu() + weight.round()).sum()))
    assert {kind(death.node) for death in died} == {"ReluBackward", "RoundBackward"}


def test_the_way_to_the_loss_has_the_change_at_each_step(weight):
    steps = path_to_loss(*seen(weight, (1e-3 * (5 * weight)).sum()))
    assert [kind(step.node) for step in steps] == ["MulBackward", "MulBackward", "SumBackward"]
    assert [step.change for step in steps] == pytest.approx([5, 1e-3, 1])
    assert [step.decades for step in steps] == pytest.approx([math.log10(5), -3, 0])


def test_of_two_ways_the_one_is_walked_along_which_most_came(weight):
    steps = path_to_loss(*seen(weight, (weight.sin() * 1e-6 + weight.exp()).sum()))
    assert "ExpBackward" in [kind(step.node) for step in steps]
    assert "SinBackward" not in [kind(step.node) for step in steps]


def test_what_cancels_in_a_sum_is_a_step_of_its_own(weight):
    steps = path_to_loss(*seen(weight, (1000 * weight - 999.999 * weight).sum()))
    assert steps[0].joined
    assert steps[0].change < 1e-3


def test_nan_and_infinities_are_born_where_finite_gradients_arrive(weight):
    births = nonfinite_births(*seen(weight, (2 * (weight * 0).sqrt()).sum()))
    assert [kind(node) for node in births] == ["SqrtBackward"]


def test_the_operand_of_a_product_is_its_saved_other_factor(weight):
    factor = torch.tensor([0.0, 7.0])
    value, edge = operand((weight * factor).grad_fn, 0)
    assert torch.equal(value, factor)
    assert edge == 1
    assert operand(weight.exp().grad_fn, 0) is None


def test_a_leaf_is_seen_through_views_of_it():
    matrix = nn.Parameter(torch.ones(2, 3))
    product = (torch.ones(1, 3) @ matrix.t()).grad_fn
    assert as_leaf(child(product, 1)) is matrix
    assert as_leaf(child(product, 0)) is None
    assert as_leaf((matrix * 2).grad_fn) is None


def test_what_a_backward_has_freed_is_gone(weight):
    y = weight.exp()
    assert torch.equal(saved(y.grad_fn, "_saved_result"), y)
    assert saved(y.grad_fn, "_saved_other") is None
    y.sum().backward()
    assert saved(y.grad_fn, "_saved_result") is None


def test_all_zero_needs_to_know_the_values():
    assert all_zero(torch.zeros(2))
    assert not all_zero(torch.tensor([0.0, 1e-30]))
    assert not all_zero(None)
