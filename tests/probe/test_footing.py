"""The user's patches of the standard library hold while the user's code runs, and at no other time."""

import json
import math
import sys
import traceback

import pytest

from gradflow_lsp.probe.footing import UsersTurn


@pytest.fixture
def turn():
    """A turn, after which everything is put back even where the test has failed."""
    turn = UsersTurn()
    yield turn
    with turn:
        pass


def test_a_patch_is_there_in_every_turn_and_gone_between(turn):
    dumps = json.dumps
    with turn:
        json.dumps = None
    assert json.dumps is dumps
    with turn:
        patched = json.dumps
        json.dumps = dumps
    assert patched is None
    with turn:
        assert json.dumps is dumps


def test_not_even_builtins_are_needed_to_put_them_back(turn):
    with turn:
        vars(sys.modules["builtins"]).update(
            dict.fromkeys(("len", "isinstance", "getattr", "type", "iter", "next", "list"))
        )
    assert len([1]) == 1


def test_modules_that_are_taken_out_are_there_again_with_all_that_was_in_them(turn):
    emptied = dict(vars(math))
    with turn:
        sys.modules.pop("json")
        sys.modules["traceback"] = None
        vars(math).clear()
    assert (sys.modules["json"], sys.modules["traceback"]) == (json, traceback)
    assert vars(math) == emptied


def test_a_low_limit_of_recursion_is_the_users_alone(turn):
    before = sys.getrecursionlimit()
    with turn:
        sys.setrecursionlimit(200)
    assert sys.getrecursionlimit() >= 1000
    with turn:
        inside = sys.getrecursionlimit()
        sys.setrecursionlimit(before)
    assert inside == 200


def test_streams_and_new_names_are_left_as_the_user_wants_them(turn, monkeypatch):
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    with turn:
        sys.stdout = None
        math.golden = 1.618
    assert (sys.stdout, math.golden) == (None, 1.618)
    del math.golden
