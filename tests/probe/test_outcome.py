"""What a probe may return, and what is said of anything else."""

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.definitions import Definitions
from gradflow_lsp.probe.outcome import NonScalarLoss, WrongReturn, leaves_below, read_outcome


@pytest.fixture
def definitions():
    with Definitions.unlocated() as definitions:
        yield definitions


@pytest.fixture
def model(definitions):
    return nn.Linear(2, 1)


@pytest.fixture
def loss(model):
    return model(torch.ones(3, 2)).sum()


def names(outcome):
    return [p.name for p in outcome.parameters()]


def test_a_model_and_a_loss(definitions, model, loss):
    outcome = read_outcome((model, loss), definitions)
    assert outcome.models == {"": model}
    assert outcome.losses == {"loss": loss}
    assert names(outcome) == ["weight", "bias"]


def test_several_losses_by_name(definitions, model, loss):
    assert list(read_outcome((model, {"fit": loss, "penalty": loss * 2}), definitions).losses) == ["fit", "penalty"]


def test_several_models_by_index_or_key(definitions, model, loss):
    other = nn.Linear(1, 1, bias=False)
    assert names(read_outcome(((model, other), loss), definitions)) == ["0.weight", "0.bias", "1.weight"]
    assert names(read_outcome(({"g": model, "d": other}, loss), definitions)) == ["g.weight", "g.bias", "d.weight"]


def test_a_loss_alone_finds_its_model(definitions):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 1)

    net, _unused = Net(), nn.Linear(2, 2)
    outcome = read_outcome(net.inner(torch.ones(3, 2)).sum(), definitions)
    assert outcome.models == {"": net}


def test_several_models_below_a_loss_get_their_class_as_prefix(definitions):
    first, second, last = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False), nn.Bilinear(2, 2, 1, bias=False)
    h = first(torch.ones(3, 2))
    outcome = read_outcome(last(h, second(h)).sum(), definitions)
    assert names(outcome) == ["Linear0.weight", "Linear1.weight", "Bilinear.weight"]


def test_a_parameter_knows_the_module_that_holds_it(definitions, loss):
    model = nn.Sequential(nn.ModuleDict({"head": nn.Linear(2, 1)}))
    weight = read_outcome(([model], loss), definitions).parameters()[0]
    assert (weight.name, weight.module, weight.owner) == ("0.0.head.weight", "0.0.head", model[0]["head"])


def test_tied_parameters_appear_once_under_their_first_name(definitions, loss):
    first, last = nn.Linear(2, 2), nn.Linear(2, 2)
    last.weight = first.weight
    assert names(read_outcome((nn.Sequential(first, last), loss), definitions)) == ["0.weight", "0.bias", "1.bias"]


@pytest.mark.parametrize(
    ("result", "saying"),
    [
        (lambda model, loss: None, "returned None"),
        (lambda model, loss: model, "returned a Linear"),
        (lambda model, loss: (model, loss, 1), "a tuple of 3 (Linear, Tensor, int)"),
        (lambda model, loss: (model, "3"), "a str where the loss should be"),
        (lambda model, loss: (loss, model), "a Tensor where the model should be"),
        (lambda model, loss: ([model, None], loss), "None among its models"),
        (lambda model, loss: ([], loss), "returned no model"),
        (lambda model, loss: (model, {}), "returned no loss"),
        (lambda model, loss: torch.ones(()), "no model's parameters lead to it"),
    ],
)
def test_anything_else_is_described_with_what_to_return(definitions, model, loss, result, saying):
    with pytest.raises(WrongReturn) as raised:
        read_outcome(result(model, loss), definitions)
    assert saying in str(raised.value)
    assert "Return `model, loss`" in str(raised.value)


def test_a_loss_of_several_numbers_is_told_its_shape(definitions, model):
    with pytest.raises(NonScalarLoss, match=r"shape 3x1.*\.mean\(\)"):
        read_outcome((model, model(torch.ones(3, 2))), definitions)


def test_a_loss_of_one_number_in_brackets_will_do(definitions, model):
    loss = model(torch.ones(1, 2))
    assert read_outcome((model, loss), definitions).losses["loss"] is loss


def test_leaves_below_losses_are_what_autograd_reaches():
    a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3))
    leaves = leaves_below([(a * 2 + c.detach()).sum(), (b * a).sum()])
    assert {id(leaf) for leaf in leaves} == {id(a), id(b)}


def test_a_number_in_place_of_a_loss_is_told_with_what_may_have_made_it_one(definitions, model, loss):
    with pytest.raises(WrongReturn, match=r"a float where the loss should be\. .*`\.item\(\)`"):
        read_outcome((model, loss.item()), definitions)


def test_a_model_that_names_its_own_parameters_has_those_alone(definitions, loss):
    class Adapted(nn.Module):
        def __init__(self):
            super().__init__()
            self.frozen = nn.Linear(1, 1)
            self.adapter = nn.Linear(1, 1)

        def named_parameters(self, *args, **kwargs):
            return ((n, p) for n, p in super().named_parameters(*args, **kwargs) if n.startswith("adapter"))

    outcome = read_outcome((Adapted(), loss), definitions)
    assert [parameter.name for parameter in outcome.parameters()] == ["adapter.weight", "adapter.bias"]
