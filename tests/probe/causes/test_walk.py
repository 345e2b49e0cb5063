"""Walks through the autograd graph, along what the explaining backward saw."""

import math

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.causes.walk import Walk, all_zero, as_leaf, child, operand, saved
from gradflow_lsp.probe.graph import kind

from ..watching import watched


def walk(weight, loss):
    """Walks through the graph below a loss, and the weight's node."""
    explained, graph = watched(nn.ParameterList([weight]), loss)
    return Walk(graph, explained), graph.leaf_node(weight)


def deaths(weight, loss):
    walks, leaf = walk(weight, loss)
    return walks.deaths(leaf)


def path(weight, loss):
    walks, leaf = walk(weight, loss)
    return list(walks.path(leaf))


def births(weight, loss):
    walks, leaf = walk(weight, loss)
    return walks.nonfinite_births(leaf)


@pytest.fixture
def weight():
    return nn.Parameter(torch.tensor([1.0, -2.0]))


def test_a_gradient_dies_where_something_arrives_and_only_zeros_leave(weight):
    died = deaths(weight, (3 * (weight - 9).relu()).exp().sum())
    assert [(kind(death.node), death.edge) for death in died] == [("ReluBackward", 0)]


def test_it_may_die_in_several_places(weight):
    died = deaths(weight, ((weight - 9).relu() + weight.round()).sum())
    assert {kind(death.node) for death in died} == {"ReluBackward", "RoundBackward"}


def test_what_cancels_exactly_dies_in_the_sum(weight):
    (death,) = deaths(weight, (weight.exp() - weight.detach().exp() * weight).sum())
    assert death.how == "in_sum"
    assert kind(death.node) in ("ExpBackward", "MulBackward")


def test_what_a_hook_makes_zero_dies_there(weight):
    y = 2 * weight
    y.register_hook(torch.zeros_like)
    (death,) = deaths(weight, y.exp().sum())
    assert (kind(death.node), death.how) == ("ExpBackward", "in_hook")


def test_parameters_behind_one_death_share_it():
    first, second = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    explained, graph = watched(nn.ParameterList([first, second]), (first * second - 9).relu().sum())
    walks = Walk(graph, explained)
    one, other = (walks.deaths(graph.leaf_node(parameter)) for parameter in (first, second))
    assert [kind(death.node) for death in one] == ["ReluBackward"]
    assert one == other


def test_a_graph_may_be_deeper_than_pythons_stack(weight):
    y = (weight - 9).relu()
    for _ in range(3000):
        y = y + 0
    died = deaths(weight, y.sum())
    assert [kind(death.node) for death in died] == ["ReluBackward"]


def test_the_way_to_the_loss_has_the_change_at_each_step(weight):
    steps = path(weight, (1e-3 * (5 * weight)).sum())
    assert [kind(step.node) for step in steps] == ["MulBackward", "MulBackward", "SumBackward"]
    assert [step.change for step in steps] == pytest.approx([5, 1e-3, 1])
    assert [step.decades for step in steps] == pytest.approx([math.log10(5), -3, 0])


def test_of_two_ways_the_one_is_walked_along_which_most_came(weight):
    steps = path(weight, (weight.sin() * 1e-6 + weight.exp()).sum())
    assert "ExpBackward" in [kind(step.node) for step in steps]
    assert "SinBackward" not in [kind(step.node) for step in steps]


def test_what_cancels_in_a_sum_is_a_step_of_its_own(weight):
    steps = path(weight, (1000 * weight - 999.999 * weight).sum())
    assert steps[0].joined
    assert steps[0].change < 1e-3


def test_the_distance_counts_the_nodes_of_that_way(weight):
    walks, leaf = walk(weight, (weight.sin() * 1e-6 + weight.exp()).sum())
    assert [kind(node) for node in walks.nodes_until(leaf, ())] == [
        "AccumulateGrad",
        "ExpBackward",
        "AddBackward",
        "SumBackward",
    ]
    assert walks.distance(leaf) == 3


def test_the_nodes_of_a_way_end_at_one_that_is_known(weight):
    walks, leaf = walk(weight, weight.exp().sin().sum())
    _, exp, sin, _ = walks.nodes_until(leaf, ())
    assert walks.nodes_until(leaf, {sin}) == [leaf, exp, sin]


def test_a_way_that_no_gradient_came_along_has_no_steps(weight):
    walks, leaf = walk(weight, (0 * weight).sum())
    assert list(walks.path(leaf)) == []
    assert walks.distance(leaf) == 0


def test_nan_and_infinities_are_born_where_finite_gradients_arrive(weight):
    born = births(weight, (2 * (weight * 0).sqrt()).sum())
    assert [kind(node) for node in born] == ["SqrtBackward"]


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
