"""How the probe function is called: its arguments, its random state, and torch as a fresh process has it."""

import random
import types

import numpy
import pytest
import torch
from torch import nn

from gradflow_lsp.probe.calling import Probe
from gradflow_lsp.probe.definitions import Definitions
from gradflow_lsp.probe.footing import UsersTurn
from gradflow_lsp.probe.outcome import WrongReturn
from gradflow_lsp.probe.protocol import RunRequest


def call(function, **request):
    """Call a function as the probe of a request."""
    module = types.ModuleType("model")
    module.gradflow_probe = function
    probe = Probe(module, RunRequest("model.py", "gradflow_probe", **request), UsersTurn())
    return probe.call(Definitions.unlocated())


def usual():
    model = nn.Linear(1, 1)
    return model, model(torch.ones(1, 1)).sum()


def test_it_gives_what_the_probe_returned():
    assert [p.name for p in call(usual).parameters()] == ["weight", "bias"]


def test_seed_and_device_are_passed_by_name_where_asked_for():
    got = []

    def probe(device="", seed=0, other=None):
        got.append((device, seed, other))
        return usual()

    call(probe, seed=7, device="cpu")
    assert got == [("cpu", 7, None)]


def test_every_call_starts_from_the_same_random_state():
    drawn = []

    def probe():
        drawn.append((random.random(), float(numpy.random.rand()), float(torch.rand(()))))
        return usual()

    call(probe, seed=3)
    call(probe, seed=3)
    call(probe, seed=4)
    assert drawn[0] == drawn[1]
    assert not set(drawn[0]) & set(drawn[2])


def test_what_a_probe_switches_is_switched_back():
    def probe():
        result = usual()
        torch.set_grad_enabled(False)
        torch.autograd.set_detect_anomaly(True)
        torch.set_autocast_enabled("cpu", True)
        return result

    call(probe)
    assert torch.is_grad_enabled()
    assert not torch.is_anomaly_enabled()
    assert not torch.is_autocast_enabled("cpu")


def test_what_the_file_switched_at_its_top_level_holds_for_the_probe_and_not_for_the_backward():
    seen = []

    def probe():
        seen.append(torch.is_grad_enabled())
        return usual()

    torch.set_grad_enabled(False)
    call(probe)
    assert seen == [False]
    assert torch.is_grad_enabled()


def test_a_probe_that_is_gone_is_said_to_be():
    probe = Probe(types.ModuleType("model"), RunRequest("model.py", "gradflow_probe_old"), UsersTurn())
    with pytest.raises(WrongReturn, match="no function gradflow_probe_old"):
        probe.call(Definitions.unlocated())


def test_what_the_users_code_raises_comes_through():
    with pytest.raises(ZeroDivisionError):
        call(lambda: 1 / 0)
