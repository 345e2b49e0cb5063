"""What is passed on of a run's prints."""

import logging

import pytest

from gradflow_lsp.probe.protocol import RunRequest
from gradflow_lsp.runs.printed import PRINTS, pass_on

REQUEST = RunRequest("/project/model.py", "gradflow_probe")


@pytest.fixture
def passed_on(caplog):
    """Pass an output on, and return what a listener hears."""

    def passed_on(output):
        with caplog.at_level(logging.INFO, logger=PRINTS):
            pass_on(REQUEST, output)
        return [record.getMessage() for record in caplog.records]

    return passed_on


def test_prints_are_named_and_lose_their_colours(passed_on):
    assert passed_on("\x1b[1;31mone\x1b[0m\ntwo\n") == ["gradflow_probe in model.py printed:\none\ntwo"]


@pytest.mark.parametrize("output", ["", "\n\n", "\x1b[0m"])
def test_of_nothing_nothing_is_said(passed_on, output):
    assert passed_on(output) == []


@pytest.mark.parametrize("output", ["x" * 50_000, "line\n" * 5_000])
def test_of_very_much_the_end_is_kept(passed_on, output):
    [said] = passed_on(output + "end")
    assert said.startswith("gradflow_probe in model.py printed much, at the end of it:\n")
    assert said.endswith("end")
    assert len(said) < 10_100 and said.count("\n") <= 200
