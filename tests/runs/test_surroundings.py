"""The variables that a worker gets: those of a shell in which the user's environment is active, and nothing of ours."""

import os
import sys
from pathlib import Path

import pytest

import gradflow_lsp
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.surroundings import environment_for

from . import layouts

OURS = str(Path(gradflow_lsp.__file__).parent.parent)
OTHER = Interpreter(("/other/python",), "the test")


def given(python, platform="linux", **environ):
    return environment_for(Interpreter((str(python),), "the test"), environ, platform)


def test_our_own_folder_is_not_on_the_users_search_path():
    both = os.pathsep.join([OURS, "/lib/of/user"])
    assert environment_for(OTHER, {"PYTHONPATH": both})["PYTHONPATH"] == "/lib/of/user"
    assert "PYTHONPATH" not in environment_for(OTHER, {"PYTHONPATH": OURS + os.sep})


def test_the_folder_in_which_we_were_started_is_not_on_it_either():
    assert environment_for(OTHER, {"PYTHONPATH": os.pathsep + "/lib/of/user"})["PYTHONPATH"] == "/lib/of/user"


def test_the_home_of_our_python_is_not_that_of_another():
    assert "PYTHONHOME" not in environment_for(OTHER, {"PYTHONHOME": "/ours"})
    assert environment_for(Interpreter((sys.executable,), "the test"), {"PYTHONHOME": "/ours"})["PYTHONHOME"] == "/ours"


def test_everything_else_is_the_users_own():
    variables = {"PYTHONHASHSEED": "1", "PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "3"}
    assert environment_for(OTHER, variables) == variables


def test_a_virtual_environment_is_as_if_activated(tmp_path):
    python = layouts.venv(tmp_path / "env")
    variables = given(python, PATH="/usr/bin:/bin")
    assert variables == {"VIRTUAL_ENV": str(tmp_path / "env"), "PATH": f"{tmp_path}/env/bin:/usr/bin:/bin"}
    assert given(python, **variables) == variables


def test_a_virtual_environment_takes_the_place_of_another(tmp_path):
    python = layouts.venv(tmp_path / "env")
    layouts.venv(tmp_path / "other")
    active = {"VIRTUAL_ENV": str(tmp_path / "other"), "VIRTUAL_ENV_PROMPT": "(other)"}
    variables = given(python, PATH=f"{tmp_path}/other/bin:/bin", **active)
    assert variables == {"VIRTUAL_ENV": str(tmp_path / "env"), "PATH": f"{tmp_path}/env/bin:/bin"}


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="needs to run in a virtual environment")
def test_the_environment_of_the_server_is_left(tmp_path):
    python = layouts.venv(tmp_path / "env")
    ours = {"VIRTUAL_ENV": sys.prefix, "PATH": f"{sys.prefix}/bin:/bin"}
    assert given(python, **ours)["PATH"] == f"{tmp_path}/env/bin:/bin"
    assert given("/usr/bin/python3", **ours) == {"PATH": "/bin"}


def test_a_python_that_is_in_no_environment_is_in_none(tmp_path):
    layouts.conda(tmp_path / "conda")
    active = {"VIRTUAL_ENV": "/env", "CONDA_PREFIX": str(tmp_path / "conda"), "CONDA_DEFAULT_ENV": "conda"}
    assert given("/usr/bin/python3", PATH=f"/env/bin:{tmp_path}/conda/bin:/bin", **active) == {"PATH": "/bin"}


def test_a_command_that_is_no_python_sees_to_its_environment_itself():
    active = {"VIRTUAL_ENV": "/env", "PATH": "/env/bin:/bin"}
    assert environment_for(Interpreter(("/bin/uv", "run", "python"), "the test"), active) == active


def test_a_conda_environment_is_as_if_activated(tmp_path):
    python = layouts.conda(tmp_path / "conda/envs/torch")
    layouts.write(tmp_path / "conda/envs/torch/conda-meta/state", '{"env_vars": {"DATA": "/data"}}')
    assert given(python, PATH="/bin") == {
        "CONDA_PREFIX": str(tmp_path / "conda/envs/torch"),
        "CONDA_DEFAULT_ENV": "torch",
        "CONDA_SHLVL": "1",
        "DATA": "/data",
        "PATH": f"{tmp_path}/conda/envs/torch/bin:/bin",
    }


def test_a_conda_environment_takes_the_place_of_another_with_its_variables(tmp_path):
    python = layouts.conda(tmp_path / "envs/torch")
    layouts.conda(tmp_path / "envs/other")
    layouts.write(tmp_path / "envs/other/conda-meta/state", '{"env_vars": {"DATA": "/data"}}')
    active = {"CONDA_PREFIX": str(tmp_path / "envs/other"), "CONDA_DEFAULT_ENV": "other", "DATA": "/data"}
    variables = given(python, PATH=f"{tmp_path}/envs/other/bin:/bin", **active)
    assert variables["CONDA_DEFAULT_ENV"] == "torch"
    assert variables["PATH"] == f"{tmp_path}/envs/torch/bin:/bin"
    assert "DATA" not in variables


def test_what_a_shell_has_set_in_an_active_environment_stays(tmp_path):
    python = layouts.conda(tmp_path / "envs/torch")
    active = {"CONDA_PREFIX": str(tmp_path / "envs/torch"), "CONDA_DEFAULT_ENV": "torch", "CONDA_SHLVL": "2"}
    assert given(python, PATH="/bin", **active) == {**active, "PATH": f"{tmp_path}/envs/torch/bin:/bin"}


def test_conda_stays_below_a_virtual_environment(tmp_path):
    layouts.conda(tmp_path / "conda", base=True)
    python = layouts.venv(tmp_path / "env")
    path = f"{tmp_path}/conda/bin:/bin"
    variables = given(python, CONDA_PREFIX=str(tmp_path / "conda"), PATH=path)
    assert variables["CONDA_PREFIX"] == str(tmp_path / "conda")
    assert variables["PATH"] == f"{tmp_path}/env/bin:{path}"


def test_the_layout_of_windows(tmp_path):
    layouts.write(tmp_path / "env/pyvenv.cfg", "")
    layouts.write(tmp_path / "conda/conda-meta/history", "")
    venv = given(tmp_path / "env/Scripts/python.exe", "win32", PATH="C:\\Windows")
    assert venv["PATH"] == f"{tmp_path / 'env/Scripts'};C:\\Windows"
    conda = given(tmp_path / "conda/python.exe", "win32", PATH="C:\\Windows")
    assert conda["PATH"].split(";")[:2] == [str(tmp_path / "conda"), str(tmp_path / "conda/Library/mingw-w64/bin")]
