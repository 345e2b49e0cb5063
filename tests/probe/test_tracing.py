"""What a trace records of a forward pass: this file plays the user's code."""

import gc
import sys
import weakref

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from gradflow_lsp.probe.sites import SiteRecorder
from gradflow_lsp.probe.tracing import Tracer

from .reading import text_at


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


@pytest.fixture
def tracer():
    return Tracer(SiteRecorder(lambda path: path == __file__))


@pytest.fixture
def x():
    return torch.ones(2, 2, requires_grad=True)


def names(tracer):
    return [op.name for op in tracer.ops]


def test_operations_are_chained_by_the_tensors_between_them(tracer, x):
    with tracer:
        y = (x + 1).relu()
    add, relu = tracer.ops
    assert add.inputs == (tracer.tokens.find(x),)
    assert add.outputs == relu.inputs
    assert relu.outputs == (tracer.tokens.find(y),)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from Python 3.11 on")
def test_each_knows_the_expression_it_ran_in(tracer, x):
    with tracer:
        _ = x.exp() + 1
    assert [text_at(op.site.location()) for op in tracer.ops] == ["x.exp()", "x.exp() + 1"]


def test_what_runs_below_a_torch_function_is_one_operation(tracer, x):
    with tracer:
        F.cross_entropy(x, torch.tensor([0, 1]), label_smoothing=0.1)
    assert names(tracer) == ["tensor", "cross_entropy"]


def test_it_says_what_requires_grad_and_what_is_discrete(tracer, x):
    with tracer:
        values, indices = x.max(0)
    (op,) = tracer.ops
    assert op.needs_grad
    assert op.grad_outputs == (tracer.tokens.find(values),)
    assert op.discrete == (tracer.tokens.find(indices),)


def test_its_autograd_nodes_have_numbers_in_its_range(tracer, x):
    with tracer:
        y = x.exp()
        z = (y * y).sum()
    exp, multiply, total = tracer.ops
    assert exp.first_node <= y.grad_fn._sequence_nr() < exp.end_node <= multiply.first_node
    assert total.first_node <= z.grad_fn._sequence_nr() < total.end_node


def test_a_change_in_place_makes_a_new_value_of_one_tensor(tracer):
    y = torch.ones(2)
    with tracer:
        y.add_(1)
        before = tracer.tokens.find(y)
        y.mul_(2)
    first, second = tracer.ops
    assert first.outputs == second.inputs == (before,)
    assert second.outputs == (tracer.tokens.find(y),) != (before,)


def test_a_change_of_a_view_changes_its_base(tracer):
    canvas = torch.zeros(2, 2)
    with tracer:
        row = canvas[0]
        row.add_(1)
    assert tracer.ops[-1].outputs == (tracer.tokens.find(row), tracer.tokens.find(canvas))


def test_an_assignment_to_a_part_is_an_operation_on_the_whole(tracer, x):
    canvas = torch.zeros(2, 2)
    with tracer:
        canvas[0] = x[1]
    assert names(tracer)[-1] == "__setitem__"
    assert tracer.ops[-1].outputs == (tracer.tokens.find(canvas),)


def test_a_parameter_stays_the_same_source_whatever_is_written_into_it(tracer):
    weight = nn.Parameter(torch.ones(2))
    with tracer:
        _ = weight * 2
        before = tracer.tokens.find(weight)
        nn.init.zeros_(weight)
    assert tracer.tokens.find(weight) == before


def test_values_that_leave_torch_are_recorded_without_outputs(tracer, x):
    with tracer:
        x.sum().item()
        x.detach().numpy()
    assert names(tracer) == ["sum", "item", "detach", "numpy"]
    assert tracer.ops[1].outputs == tracer.ops[3].outputs == ()


def test_data_is_recorded_as_such(tracer, x):
    with tracer:
        x.data  # noqa: B018
    assert names(tracer) == ["data"]


def test_a_custom_function_is_one_operation_that_knows_what_ran_inside(tracer, x):
    with tracer:
        y = Double.apply(x)
    (op,) = tracer.ops
    assert (op.name, op.function) == ("Double", Double)
    assert [inner.name for inner in op.inner] == ["mul"]
    assert (op.inputs, op.outputs) == ((tracer.tokens.find(x),), (tracer.tokens.find(y),))


def test_a_tensor_that_a_custom_function_takes_from_elsewhere_is_its_input_too(tracer, x):
    threshold = torch.ones(2, requires_grad=True)

    class Above(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return (x > threshold).float()

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    with tracer:
        Above.apply(x)
    assert set(tracer.ops[-1].inputs) == {tracer.tokens.find(x), tracer.tokens.find(threshold)}


def test_a_parameter_made_of_a_computed_value_is_an_operation_that_cuts(tracer, x):
    with tracer:
        y = x * 2
        parameter = nn.Parameter(y)
        tracer.rewrapped(parameter, y, None)
    op = tracer.ops[-1]
    assert (op.inputs, op.outputs, op.grad_outputs) == ((tracer.tokens.find(y),), (tracer.tokens.find(parameter),), ())


def test_a_parameter_remade_while_nothing_is_traced_is_not_recorded(tracer, x):
    y = x * 2
    tracer.rewrapped(nn.Parameter(y), y, None)
    assert tracer.ops == []


def test_lazy_parameters_are_no_obstacle(tracer):
    with tracer:
        layer = nn.LazyLinear(3)
        layer(torch.ones(1, 2)).sum()
    assert "linear" in names(tracer)


def test_a_tensor_that_no_operation_met_has_no_token(tracer, x):
    with tracer:
        _ = x + 1
    assert tracer.tokens.find(torch.ones(1)) is None


def test_a_trace_keeps_no_tensor_alive(tracer, x):
    with tracer:
        y = x + 1
        _ = y * 2
    reference = weakref.ref(y)
    del y, _
    gc.collect()
    assert reference() is None


def test_torch_is_put_back_as_it_was(tracer):
    def switches():
        mode = torch.inference_mode
        return torch.autograd.Function.__dict__.get("apply"), mode.__enter__, mode.__exit__

    before = switches()
    with pytest.raises(ZeroDivisionError), tracer:
        _ = 1 / 0
    assert switches() == before
