import torch
from torch import nn

from gradflow_lsp.probe.causes.small_values import why_small

OTHER = torch.zeros(1)


def test_a_tiny_weight_on_the_way_is_to_blame():
    layer = nn.Linear(3, 3)
    nn.init.normal_(layer.weight, std=1e-4)
    found = why_small(torch.relu(layer(torch.ones(2, 3))).grad_fn, OTHER)
    assert found.weight is layer.weight


def test_a_value_that_is_a_parameter_itself_is_to_blame_unless_it_is_the_one_in_question():
    gate = nn.Parameter(torch.full((3,), 1e-6))
    assert why_small((gate[None]).grad_fn, OTHER).weight is gate
    assert why_small((gate[None]).grad_fn, gate) is None


def test_a_gate_that_is_shut_is_to_blame():
    layer = nn.Linear(3, 3)
    gate = torch.sigmoid(layer(torch.ones(2, 3)) - 30)
    assert why_small(gate.grad_fn, OTHER).shut is gate.grad_fn


def test_products_in_a_row_are_told_one_by_one():
    value = torch.ones(3, requires_grad=True) * 1.0
    for _ in range(3):
        value = torch.tanh(value) * (value * 0.1)
    assert len(why_small(value.grad_fn, OTHER).applied) > 2


def test_nothing_stands_out_in_a_plain_layer():
    assert why_small(nn.Linear(3, 3)(torch.ones(2, 3)).grad_fn, OTHER) is None
