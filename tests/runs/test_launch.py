"""What a worker's environment holds of ours: nothing. Processes themselves are tested by whole runs."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

import gradflow_lsp
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.launch import Tail, environment_for

OURS = str(Path(gradflow_lsp.__file__).parent.parent)
OTHER = Interpreter(("/other/python",), "the test")


def test_our_own_folder_is_not_on_the_users_search_path():
    both = os.pathsep.join([OURS, "/lib/of/user"])
    assert environment_for(OTHER, {"PYTHONPATH": both})["PYTHONPATH"] == "/lib/of/user"
    assert "PYTHONPATH" not in environment_for(OTHER, {"PYTHONPATH": OURS + os.sep})


def test_the_home_of_our_python_is_not_that_of_another():
    assert "PYTHONHOME" not in environment_for(OTHER, {"PYTHONHOME": "/ours"})
    assert environment_for(Interpreter((sys.executable,), "the test"), {"PYTHONHOME": "/ours"})["PYTHONHOME"] == "/ours"


def test_everything_else_is_the_users_own():
    variables = {"VIRTUAL_ENV": "/env", "PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "3"}
    assert environment_for(OTHER, variables) == variables


@pytest.mark.parametrize("size", [10, 65_536, 200_001])
async def test_a_tail_keeps_the_end(size):
    stream = asyncio.StreamReader()
    tail = Tail(stream)
    stream.feed_data(b"a" * (size - 1) + b"z")
    stream.feed_eof()
    await tail.finish()
    assert (len(tail.text), tail.text[-1]) == (min(size, 65_536), "z")
