"""What gradients lose on their way from the loss to a parameter."""

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.causes.shrinkage import Shrinkage, Weight, shrinkages_at
from gradflow_lsp.probe.causes.walk import Step, Walk
from gradflow_lsp.probe.graph import kind
from gradflow_lsp.probe.ops import Op
from gradflow_lsp.probe.sites import SiteRecorder
from gradflow_lsp.probe.tracing import Tracer

from ..watching import watched


def shrinkages(parameters, compute, sizes=None):
    """The sum of the way to each of the `parameters`, where there is one, after the traced call of `compute`.

    `sizes` are those of the model's weights, by their place among the parameters.
    """
    tracer = Tracer(SiteRecorder(lambda path: path == __file__))
    with tracer:
        loss = compute(*parameters)
    explained, graph = watched(nn.ParameterList(parameters), loss, tracer.ops)
    weights = {tracer.tokens.find(parameters[at]): Weight(str(at), size) for at, size in (sizes or {}).items()}
    leaves = [graph.leaf_node(parameter) for parameter in parameters]
    found = shrinkages_at(leaves, Walk(graph, explained), graph, weights)
    return [found.get(leaf) for leaf in leaves]


def shrinkage(compute):
    """The sum of the way to the one parameter of `compute`."""
    (found,) = shrinkages([nn.Parameter(torch.ones(2))], compute)
    return found


def op(index, *inputs):
    made = Op(index, "mul", torch.mul, None, index)
    made.inputs = inputs
    return made


def step(change):
    return Step(None, 0, change)


def added(*steps, weights=None):
    """The sum of steps from the loss towards the parameter, each with its operation."""
    total = Shrinkage()
    for of, change in steps:
        total.add(of, step(change), weights or {})
    return total


def test_losses_add_up_whatever_was_gained_in_between():
    assert shrinkage(lambda w: (1e-3 * (1e4 * (1e-2 * w))).sum()).total == pytest.approx(5.0, abs=1e-3)


def test_the_smallest_change_is_kept_with_its_node():
    least = shrinkage(lambda w: (1e-3 * (w / 1e5)).sum()).least
    assert kind(least.node) == "DivBackward"
    assert least.change == pytest.approx(1e-5)


def test_the_operation_that_took_most_is_the_worst():
    worst = shrinkage(lambda w: (1e-3 * (w / 1e5)).sum()).worst
    assert worst.op.name == "div"
    assert worst.decades == pytest.approx(5.0, abs=1e-3)


def test_of_several_that_took_as_much_the_one_nearest_to_the_parameter_is_the_worst():
    near, far = op(0), op(1)
    assert added((far, 1e-2), (near, 1e-2)).worst.op is near


def test_an_operation_of_several_nodes_takes_what_all_of_them_take():
    one, other = op(0), op(1)
    worst = added((one, 1e-4), (other, 1e-3), (other, 1e-2)).worst
    assert (worst.op, worst.decades, worst.step) == (other, pytest.approx(5.0), step(1e-3))


def test_what_a_step_of_another_operation_gives_back_is_not_set_off():
    one, other = op(0), op(1)
    total = added((one, 1e-3), (other, 1e3))
    assert (total.total, total.worst.op) == (pytest.approx(3.0), one)


def test_the_applications_of_one_expression_count_together():
    def compute(w):
        for _ in range(5):
            w = 0.1 * w
        return (1e-3 * w).sum()

    found = shrinkage(compute)
    assert (found.worst_expression.times, found.worst_expression.op.name) == (5, "mul")
    assert found.worst_expression.decades == pytest.approx(5.0, abs=1e-3)
    assert found.worst.decades == pytest.approx(3.0, abs=1e-3)


def test_without_a_trace_all_counts_as_one():
    found = added((None, 1e-2), (None, 1e-3))
    assert (found.worst.op, found.worst.decades) == (None, pytest.approx(5.0))
    assert found.worst_expression.times == 1


def test_an_empty_way_has_no_worst():
    assert (Shrinkage().worst, Shrinkage().worst_expression, Shrinkage().total) == (None, None, 0.0)


def test_weights_far_smaller_than_a_signal_needs_are_counted():
    weights = {7: Weight("fit", 1.0), 8: Weight("tiny", 0.01), 9: Weight("tinier", 0.001)}
    found = added((op(3, 8), 0.1), (op(2, 9), 0.1), (op(1, 7), 0.1), (op(0, 5), 0.1), weights=weights)
    assert (found.weights, found.small, found.small_weight) == (3, 2, "tinier")


def test_the_weights_of_a_way_are_those_that_its_operations_read():
    x, first, other = (nn.Parameter(torch.ones(2, 2)) for _ in range(3))
    found, *_ = shrinkages([x, first, other], lambda x, first, other: (x @ first + other).sum(), {1: 0.01, 2: 0.01})
    assert (found.weights, found.small, found.small_weight) == (2, 2, "1")


def test_ways_that_run_together_have_each_its_own_sum():
    parameters = [nn.Parameter(torch.ones(2)) for _ in range(3)]

    def compute(one, other, last):
        return (1e-2 * ((1e-3 * one) + (1e-4 * other) + last)).sum()

    together = shrinkages(parameters, compute)
    assert [found.total for found in together] == pytest.approx([5.0, 6.0, 2.0], abs=1e-3)
    assert [found.worst.decades for found in together] == pytest.approx([3.0, 4.0, 2.0], abs=1e-3)


def test_going_on_with_a_copy_leaves_the_original_as_it_was():
    first = added((op(1), 1e-2))
    copied = first.copied()
    copied.add(op(1), step(1e-3), {})
    copied.add(op(0), step(1e-4), {})
    assert copied.total == pytest.approx(9.0)
    assert (first.total, first.worst.decades) == (pytest.approx(2.0), pytest.approx(2.0))
    assert [e.decades for e in first.expressions.values()] == pytest.approx([2.0])


def test_a_parameter_that_no_gradient_came_to_has_no_sum():
    parameters = [nn.Parameter(torch.ones(2)) for _ in range(2)]
    found, none = shrinkages(parameters, lambda one, other: (one * other.relu() * 0 + one).sum())
    assert found is not None
    assert none is None
