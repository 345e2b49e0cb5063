"""Numbers for the values of tensors."""

import weakref

import torch
from torch import nn

from gradflow_lsp.probe.tokens import Tokens, is_source


def test_a_tensor_has_one_token_and_another_has_another():
    tokens, a, b = Tokens(), torch.ones(1), torch.ones(1)
    assert tokens.find(a) is None
    assert tokens.of(a) == tokens.of(a) == tokens.find(a) != tokens.of(b)


def test_a_token_keeps_no_tensor_alive():
    tokens, a = Tokens(), torch.ones(1)
    tokens.of(a)
    gone = weakref.ref(a)
    del a
    assert gone() is None


def test_what_is_changed_gets_a_new_token_and_so_does_what_it_shows():
    tokens, base = Tokens(), torch.ones(4)
    view, shown = base[:2], base.data
    tokens.alias(shown, base, "data")
    before = tokens.of(base)
    assert [(t is base, how) for t, how in tokens.changed(view)] == [(True, None)]
    between = tokens.find(base)
    assert [(t is base, how) for t, how in tokens.changed(shown)] == [(True, "data")]
    assert len({before, between, tokens.find(base)}) == 3


def test_a_source_keeps_its_token_whatever_is_written_into_it():
    tokens, weight = Tokens(), nn.Parameter(torch.ones(1))
    before = tokens.of(weight)
    assert list(tokens.changed(weight)) == []
    assert tokens.find(weight) == before


def test_sources_are_parameters_and_leaves_that_require_grad():
    leaf = torch.ones(1, requires_grad=True)
    assert is_source(leaf)
    assert is_source(nn.Parameter(torch.ones(1), requires_grad=False))
    assert not is_source(leaf * 2)
    assert not is_source(torch.ones(1))
