"""Cyclic garbage is searched for while the user's code runs, and not while only the engine's does."""

import gc

import pytest

from gradflow_lsp.probe.collecting import collecting

from .reading import verdicts, wired


def test_the_users_code_runs_with_the_search_on(run_probe):
    source = wired("import gc; assert gc.isenabled()\n        h = h.detach()")
    assert verdicts(run_probe(source))["first.weight"] == "missing"


def test_a_search_that_was_off_is_off_again_after_code_that_wanted_it():
    with collecting(False):
        with collecting(True):
            assert gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_fails_leaves_the_search_as_it_was():
    with pytest.raises(ZeroDivisionError), collecting(False):
        1 / 0  # noqa: B018
    assert gc.isenabled()
