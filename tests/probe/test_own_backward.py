"""The backwards that a probe runs itself: this file plays the user's code."""

import gc
import sys

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from gradflow_lsp.probe.own_backward import OwnBackwards
from gradflow_lsp.probe.sites import SiteRecorder

from .reading import text_at


@pytest.fixture
def x():
    return torch.ones(2, 2, requires_grad=True)


@pytest.fixture
def backwards(x):
    """To watch the backwards of this file, in which `x` is the only parameter."""
    return OwnBackwards(SiteRecorder(lambda path: path == __file__), lambda: [x])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from Python 3.11 on")
def test_each_has_the_expression_that_ran_it(backwards, x):
    with backwards:
        x.sum().backward()
        torch.autograd.backward(x.sum())
    assert [text_at(call.site.location()) for call in backwards.calls] == [
        "x.sum().backward()",
        "torch.autograd.backward(x.sum())",
    ]


def test_it_knows_where_it_began(backwards, x):
    loss = x.sum()
    with backwards:
        loss.backward()
    (call,) = backwards.calls
    assert call.began_at(loss)
    assert not call.began_at(x)


def test_it_may_begin_in_several_places(backwards, x):
    one, other = x.sum(), x.prod()
    with backwards:
        torch.autograd.backward([one, other])
    (call,) = backwards.calls
    assert call.began_at(one)
    assert call.began_at(other)


def test_roots_given_by_keyword_are_known_too(backwards, x):
    loss = x.sum()
    with backwards:
        torch.autograd.backward(tensors=loss)
    assert backwards.calls[0].began_at(loss)


def test_it_is_the_users_backward_that_runs(backwards, x):
    with backwards:
        torch.autograd.backward([x.sum()], [torch.tensor(3.0)], retain_graph=True)
    assert x.grad.unique().tolist() == [3.0]


def test_a_single_one_accumulates_nothing(backwards, x):
    with backwards:
        x.sum().backward()
    assert not backwards.calls[0].accumulates


def test_two_without_zeroing_accumulate(backwards, x):
    with backwards:
        x.sum().backward()
        x.sum().backward()
    assert [call.accumulates for call in backwards.calls] == [False, True]


@pytest.mark.parametrize("zero", [lambda x: setattr(x, "grad", None), lambda x: x.grad.zero_()], ids=["None", "zeros"])
def test_two_with_zeroing_do_not(backwards, x, zero):
    with backwards:
        x.sum().backward()
        zero(x)
        x.sum().backward()
    assert [call.accumulates for call in backwards.calls] == [False, False]


def test_those_that_a_checkpoint_nests_count_once(backwards, x):
    with backwards:
        y = checkpoint(torch.exp, x, use_reentrant=True)
        checkpoint(torch.sin, y, use_reentrant=True).sum().backward()
    assert len(backwards.calls) == 1
    assert x.grad is not None


def test_after_one_that_failed_the_next_is_noted(backwards, x):
    with backwards:
        with pytest.raises(RuntimeError):
            torch.ones(()).backward()
        x.sum().backward()
    assert len(backwards.calls) == 2


def test_a_new_call_of_the_probe_begins_a_new_list(backwards, x):
    with backwards:
        x.sum().backward()
    first = backwards.calls
    with backwards:
        pass
    assert len(first) == 1
    assert backwards.calls == []


def test_those_run_outside_are_not_noted(backwards, x):
    with backwards:
        pass
    x.sum().backward()
    assert backwards.calls == []


def test_no_root_is_kept_alive(backwards, x):
    loss = x.sum()
    with backwards:
        loss.backward()
    del loss
    gc.collect()
    assert [root() for root in backwards.calls[0].roots] == [None]


def test_torch_is_put_back_as_it_was(backwards):
    before = torch.autograd.backward
    with backwards:
        assert torch.autograd.backward is not before
    assert torch.autograd.backward is before


def test_torch_is_put_back_after_an_exception_too(backwards):
    before = torch.autograd.backward
    with pytest.raises(ZeroDivisionError), backwards:
        _ = 1 / 0
    assert torch.autograd.backward is before


def test_roots_that_can_be_read_only_once_are_left_for_torch(backwards, x):
    with backwards:
        torch.autograd.backward(root for root in [x.sum()])
    assert x.grad is not None


def test_a_gradient_edge_may_be_the_root(backwards, x):
    edge = torch.autograd.graph.get_gradient_edge(x.sum())
    with backwards:
        torch.autograd.backward([edge])
    assert x.grad is not None


@pytest.mark.parametrize("run", [lambda loss: loss.backward(), lambda loss: torch.autograd.backward(loss)])
def test_the_graph_can_be_left_for_another_backward(backwards, x, run):
    backwards.keeps_graph = True
    loss = x.square().sum()
    with backwards:
        run(loss)
    loss.backward()
    assert x.grad.tolist() == [[4, 4], [4, 4]]
