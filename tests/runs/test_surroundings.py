"""What a worker's environment holds of ours: nothing."""

import os
import sys
from pathlib import Path

import gradflow_lsp
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.surroundings import environment_for

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
