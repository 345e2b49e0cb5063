"""One clean backward for each loss, and what it left in every parameter."""

import math

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.backward import as_before, clean_backward, is_finite, read_as_left
from gradflow_lsp.probe.definitions import Definitions
from gradflow_lsp.probe.outcome import read_outcome


def parameters(model):
    return read_outcome((model, torch.ones(())), Definitions.unlocated()).parameters()


def backward(model, losses):
    """The facts of a clean backward of one loss, or of several by name."""
    losses = losses if isinstance(losses, dict) else {"loss": losses}
    return clean_backward(parameters(model), losses, keep_graph=False)


def test_what_autograd_does_not_reach_has_no_gradient():
    model = nn.ModuleList([nn.Linear(2, 1, bias=False), nn.Linear(2, 1, bias=False)])
    reached, not_reached = backward(model, model[0](torch.ones(1, 2)).sum())
    assert reached.gradient.norm == pytest.approx(math.sqrt(2))
    assert not_reached.gradient is None
    assert not_reached.by_loss == {"loss": None}


def test_gradients_of_before_do_not_count():
    model = nn.Linear(2, 1, bias=False)
    model.weight.grad = torch.full((1, 2), 99.0)
    (fact,) = backward(model, model(torch.ones(1, 2)).sum())
    assert fact.gradient.norm == pytest.approx(math.sqrt(2))


def test_a_gradient_that_a_hook_drops_once_it_has_arrived_counts():
    model, seen = nn.Linear(2, 1, bias=False), []

    def step(parameter):
        seen.append(parameter.grad.clone())
        parameter.grad = None

    handle = model.weight.register_post_accumulate_grad_hook(step)
    (fact,) = backward(model, model(torch.ones(1, 2)).sum())
    assert fact.gradient.norm == pytest.approx(math.sqrt(2))
    assert [gradient.tolist() for gradient in seen] == [[[1.0, 1.0]]]
    assert list(model.weight._post_accumulate_grad_hooks) == [handle.id]


def test_several_losses_are_read_one_by_one_and_summed():
    model = nn.Linear(1, 1, bias=False)
    y = model(torch.ones(1, 1)).sum()
    (fact,) = backward(model, {"a": 3 * y, "b": -y, "c": torch.ones(())})
    assert {name: g and g.norm for name, g in fact.by_loss.items()} == {"a": 3.0, "b": 1.0, "c": None}
    assert fact.gradient.norm == 2.0
    assert model.weight.grad.item() == 2.0


def test_gradients_known_from_before_are_read_again_only_where_asked_for():
    model = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1), nn.Linear(3, 1))
    before = clean_backward(parameters(model), {"loss": model[:2](torch.ones(1, 3)).sum()}, keep_graph=False)
    losses = {"loss": model[:2](torch.full((1, 3), 2.0)).sum() + model[2].bias.sum()}
    again = clean_backward(parameters(model), losses, keep_graph=False, earlier=before, reread={"0.weight"})
    old, new = ({fact.name: fact.gradient for fact in facts} for facts in (before, again))
    assert new["1.weight"] is old["1.weight"]
    assert new["0.weight"].norm == pytest.approx(2 * old["0.weight"].norm)
    assert (old["2.bias"], new["2.bias"].norm, new["2.weight"]) == (None, 1.0, None)


def test_the_graph_is_freed_unless_it_is_to_be_kept():
    model = nn.Linear(1, 1)
    loss = model(torch.ones(1, 1)).exp().sum()
    clean_backward(parameters(model), {"loss": loss}, keep_graph=True)
    clean_backward(parameters(model), {"loss": loss}, keep_graph=False)
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_gradients_that_are_there_can_be_read_without_a_backward():
    model = nn.Linear(1, 1, bias=False)
    loss = model(torch.ones(1, 1)).sum()
    (5 * loss).backward()
    (fact,) = read_as_left(parameters(model), {"loss": loss})
    assert fact.gradient.norm == fact.by_loss["loss"].norm == 5.0


def test_weights_are_measured_too():
    model = nn.Linear(2, 1, bias=False)
    nn.init.constant_(model.weight, 3.0)
    (fact,) = backward(model, model(torch.ones(1, 2)).sum())
    assert (fact.weight_norm, fact.weight_rms) == (pytest.approx(math.sqrt(18)), pytest.approx(3.0))


@pytest.mark.parametrize(
    "value",
    [torch.tensor(3), torch.ones(4, dtype=torch.int8), torch.tensor([True]), torch.zeros(0)],
    ids=["integer", "int8", "bool", "empty"],
)
def test_parameters_of_any_type_are_no_obstacle(value):
    model = nn.Linear(1, 1)
    model.extra = nn.Parameter(value, requires_grad=False)
    facts = backward(model, model(torch.ones(1, 1)).sum())
    assert {fact.name: fact.gradient is not None for fact in facts} == {"weight": True, "bias": True, "extra": False}


def test_meta_and_lazy_parameters_have_no_size():
    model = nn.ModuleList([nn.LazyLinear(2), nn.Linear(2, 2, device="meta"), nn.Linear(1, 1)])
    facts = backward(model, model[2](torch.ones(1, 1)).sum())
    assert [fact.weight_norm is None for fact in facts] == [True, True, True, True, False, False]


@pytest.mark.parametrize(("value", "finite"), [(1.0, True), (math.nan, False), (-math.inf, False)])
def test_a_loss_is_finite_or_not(value, finite):
    assert is_finite(torch.tensor(value)) is finite


@pytest.mark.parametrize(("used", "known"), [(0, True), (1, False)])
def test_facts_of_before_hold_for_a_call_whose_losses_reach_the_same_parameters(used, known):
    model = nn.ModuleList([nn.Linear(2, 1, bias=False), nn.Linear(2, 1, bias=False)])
    earlier = backward(model, model[0](torch.ones(1, 2)).sum())
    again = as_before(parameters(model), {"loss": model[used](torch.ones(1, 2)).sum()}, earlier)
    assert (again is not None) is known
    if again is not None:
        assert [fact.gradient for fact in again] == [fact.gradient for fact in earlier]
        assert [fact.weight_rms for fact in again] == [fact.weight_rms for fact in earlier]
