"""Catching the running expression: this file plays the user's code, all else is libraries and packages."""

import sys
import weakref

import pytest
from torch import nn

from gradflow_lsp.probe.sites import SiteRecorder

from .reading import text_at

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from Python 3.11 on")

PACKAGE = "def call(function):\n    return function()\n"


@pytest.fixture
def recorder():
    return SiteRecorder(lambda path: path == __file__)


@pytest.fixture
def here(recorder):
    """The site of whoever calls this."""
    return lambda: recorder.here(sys._getframe(1))


def in_package(function):
    """Call `function` by way of an installed package's code."""
    names = {}
    exec(compile(PACKAGE, "/elsewhere/package.py", "exec"), names)
    return names["call"](function)


def test_a_site_is_the_exact_expression_that_runs(here):
    site = [0, here()][1]
    assert text_at(site.location()) == "here()"


def test_an_expression_may_span_lines(recorder):
    def catch(*_):
        return recorder.here(sys._getframe(1))

    site = catch(
        1,
        2,
    )
    assert text_at(site.location()).split() == ["catch(", "1,", "2,", ")"]


def test_its_callers_are_a_chain_from_inside_out(here):
    def inner():
        return here()

    def outer():
        return inner()

    site = outer()
    assert [text_at(at.location()) for at in site.chain()] == ["here()", "inner()", "outer()"]


def test_what_a_package_runs_is_the_users_call_and_says_so(recorder):
    found = []

    def catch():
        found.append(recorder.here(sys._getframe(1)))

    in_package(catch)
    assert found[0].in_package
    assert text_at(found[0].location()) == 'names["call"](function)'


def test_torch_is_not_a_package(recorder):
    found = []

    def catch(module):
        found.append(recorder.here(sys._getframe(1)))

    nn.Identity().apply(catch)
    assert not found[0].in_package
    assert text_at(found[0].location()) == "nn.Identity().apply(catch)"


def test_one_expression_is_one_site_however_often_it_runs(here):
    first, second = (here() for _ in range(2))
    assert first is second


def test_one_expression_called_from_two_places_is_two_sites_of_one_expression(here):
    def inner():
        return here()

    first = inner()
    second = inner()
    assert first is not second
    assert first.expression == second.expression


def test_without_the_users_code_there_is_no_site():
    assert SiteRecorder(lambda path: False).here(sys._getframe()) is None


def test_a_recorder_can_let_go_of_the_users_variables(recorder):
    class Big:
        pass

    def running():
        big = Big()
        recorder.here(sys._getframe())
        return weakref.ref(big)

    big = running()
    recorder.forget_frames()
    assert big() is None
