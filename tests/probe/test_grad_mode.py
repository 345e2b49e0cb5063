"""Who switched grad off: this file plays the user's code, its last operation is asked."""

import sys

import pytest
import torch

from gradflow_lsp.probe.sites import SiteRecorder
from gradflow_lsp.probe.tracing import Tracer

from .reading import text_at

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from Python 3.11 on")


@pytest.fixture
def switched():
    """The text of what had grad off while the last operation of `run` ran; None where grad was on."""

    def switched(run):
        with Tracer(SiteRecorder(lambda path: path == __file__)) as tracer:
            try:
                run(torch.ones(2, requires_grad=True))
            finally:
                torch.set_grad_enabled(True)
        op = tracer.ops[-1]
        location = op.switch.location() if op.grad_off else None
        return None if location is None else text_at(location).split(":")[0].removeprefix("with ")

    return switched


@torch.no_grad()
def without(x):
    return x * 2


@torch.no_grad
def without_parentheses(x):
    return x * 2


@torch.inference_mode()
def inferring(x):
    return x * 2


def test_grad_is_on_by_default(switched):
    assert switched(lambda x: x * 2) is None


def test_a_with(switched):
    def run(x):
        with torch.no_grad():
            x * 2

    assert switched(run) == "torch.no_grad()"


def test_it_ends_with_its_block(switched):
    def run(x):
        with torch.no_grad():
            x * 2
        x * 3

    assert switched(run) is None


def test_of_two_the_inner_one_counts(switched):
    def run(x):
        with torch.no_grad(), torch.inference_mode():
            x * 2

    assert switched(run) is not None


def test_the_outer_one_counts_again_after_the_inner_one_has_ended(switched):
    def run(x):
        with torch.no_grad():
            with torch.set_grad_enabled(False):
                x * 2
            x * 3

    assert switched(run) == "torch.no_grad()"


def test_enable_grad_inside_switches_on(switched):
    def run(x):
        with torch.no_grad(), torch.enable_grad():
            x * 2

    assert switched(run) is None


def test_a_call_that_is_never_undone(switched):
    def run(x):
        torch.set_grad_enabled(False)
        x * 2

    assert switched(run) == "torch.set_grad_enabled(False)"


@pytest.mark.parametrize(
    ("function", "decorator"),
    [(without, "@torch.no_grad()"), (without_parentheses, "@torch.no_grad"), (inferring, "@torch.inference_mode()")],
)
def test_a_decorator(switched, function, decorator):
    assert switched(function) == decorator


def test_inference_mode_as_a_with(switched):
    def run(x):
        with torch.inference_mode():
            x * 2

    assert switched(run) == "torch.inference_mode()"


def test_an_exception_leaves_the_block_too(switched):
    def run(x):
        try:
            with torch.no_grad():
                raise KeyError
        except KeyError:
            x * 2

    assert switched(run) is None


def test_what_a_library_switches_has_no_place_of_the_users():
    with Tracer(SiteRecorder(lambda path: path == __file__)) as tracer:
        torch.distributions.Normal(torch.ones(2, requires_grad=True), 1.0).sample()
    off = [op for op in tracer.ops if op.grad_off]
    assert off
    assert all(op.switch.location() is None for op in off)
