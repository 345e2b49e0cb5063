"""Where `requires_grad` is switched off: this file plays the user's code."""

import copy
import sys

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.freezing import Freezes
from gradflow_lsp.probe.sites import SiteRecorder

from .reading import text_at

with_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from Python 3.11 on")


@pytest.fixture
def freezes():
    return Freezes(SiteRecorder(lambda path: path == __file__))


@pytest.fixture
def parameter():
    return nn.Parameter(torch.ones(2))


def frozen(freezes, parameter):
    """The text of the expression that froze a parameter."""
    return text_at(freezes.at[id(parameter)].location())


@with_columns
def test_an_assignment_freezes(freezes, parameter):
    with freezes:
        parameter.requires_grad = False
    assert frozen(freezes, parameter) == "parameter.requires_grad"


@with_columns
def test_detaching_in_place_freezes(freezes, parameter):
    with freezes:
        parameter.detach_()
    assert frozen(freezes, parameter) == "parameter.detach_()"


@with_columns
def test_a_copy_of_what_is_frozen_was_frozen_there(freezes, parameter):
    with freezes:
        parameter.requires_grad_(False)
        copied = copy.deepcopy(parameter)
    assert frozen(freezes, copied) == "parameter.requires_grad_(False)"


@with_columns
def test_a_call_freezes(freezes, parameter):
    with freezes:
        parameter.requires_grad_(False)
    assert frozen(freezes, parameter) == "parameter.requires_grad_(False)"


@with_columns
def test_a_modules_own_call_freezes_all_of_its_parameters(freezes):
    layer = nn.Linear(2, 1)
    with freezes:
        layer.requires_grad_(False)
    assert [frozen(freezes, p) for p in layer.parameters()] == ["layer.requires_grad_(False)"] * 2


@with_columns
def test_lazy_parameters_can_be_frozen_as_well(freezes):
    layer = nn.LazyLinear(1)
    with freezes:
        layer.weight.requires_grad = False
    assert frozen(freezes, layer.weight) == "layer.weight.requires_grad"


@with_columns
def test_the_last_place_counts(freezes, parameter):
    with freezes:
        parameter.requires_grad = False
        parameter.requires_grad_(True)
        parameter.requires_grad_(False)
    assert frozen(freezes, parameter) == "parameter.requires_grad_(False)"


def test_switching_it_on_is_no_freeze(freezes, parameter):
    with freezes:
        parameter.requires_grad = True
        parameter.requires_grad_()
    assert freezes.at == {}


def test_data_is_no_matter(freezes):
    with freezes:
        torch.ones(2, requires_grad=True).requires_grad_(False)
    assert freezes.at == {}


def test_a_freeze_by_a_library_alone_has_no_place(parameter):
    freezes = Freezes(SiteRecorder(lambda path: False))
    with freezes:
        parameter.requires_grad = False
    assert freezes.at == {id(parameter): None}


def test_what_was_noted_is_still_there_when_it_is_entered_again(freezes, parameter):
    other = nn.Parameter(torch.ones(2))
    with freezes:
        parameter.requires_grad = False
    with freezes:
        other.requires_grad = False
    assert set(freezes.at) == {id(parameter), id(other)}


def test_nothing_is_noted_outside(freezes, parameter):
    with freezes:
        pass
    parameter.requires_grad = False
    assert freezes.at == {}


def test_parameters_do_as_they_always_do(freezes, parameter):
    counter = nn.Parameter(torch.tensor(1), requires_grad=False)
    with freezes:
        assert parameter.requires_grad
        assert parameter.requires_grad_(False) is parameter
        assert not parameter.requires_grad
        with pytest.raises(RuntimeError, match="floating point"):
            counter.requires_grad = True
        with pytest.raises(RuntimeError, match="floating point"):
            counter.requires_grad_()


def switches():
    """What parameters have of their own to switch `requires_grad` with."""
    return {name: vars(nn.Parameter).get(name) for name in ("requires_grad", "requires_grad_")}


BEFORE = switches()


def test_torch_is_put_back_as_it_was(freezes):
    with freezes:
        assert switches() != BEFORE
    assert switches() == BEFORE


def test_torch_is_put_back_after_an_exception_too(freezes):
    with pytest.raises(ZeroDivisionError), freezes:
        _ = 1 / 0
    assert switches() == BEFORE


def test_a_switch_that_parameters_had_of_their_own_is_put_back(freezes, monkeypatch):
    def own(parameter, requires_grad=True):
        return parameter

    monkeypatch.setattr(nn.Parameter, "requires_grad_", own, raising=False)
    with freezes:
        pass
    assert vars(nn.Parameter)["requires_grad_"] is own
