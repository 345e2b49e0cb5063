"""Which Python is chosen for a folder."""

import sys

import pytest

from gradflow_lsp.runs.interpreter import Interpreter, find_interpreter

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="environments look otherwise there")


@pytest.fixture
def environment(tmp_path):
    """Make what looks like an environment, whose Python is a symbolic link."""

    def environment(name):
        python = tmp_path / name / "bin/python"
        python.parent.mkdir(parents=True)
        python.symlink_to(sys.executable)
        return python

    return environment


def test_the_setting_comes_first(environment, tmp_path):
    environment(".venv")
    found = find_interpreter(tmp_path, setting="/opt/python", client="/usr/bin/python", environ={"VIRTUAL_ENV": "/env"})
    assert found == Interpreter(("/opt/python",), "the setting gradflow.interpreter")


@pytest.mark.parametrize("setting", ["env/bin/python", "env", "./env/bin/../bin/python"])
def test_a_setting_is_read_from_the_folder(environment, tmp_path, setting):
    python = environment("env")
    assert find_interpreter(tmp_path, setting=setting).command == (str(python),)


def test_a_name_is_looked_up_on_the_path(environment, tmp_path):
    python = environment("env")
    (tmp_path / "python").mkdir()
    assert find_interpreter(tmp_path, setting="python", environ={"PATH": str(python.parent)}).command == (str(python),)


def test_a_setting_that_leads_nowhere_is_kept_for_the_run_to_name(tmp_path):
    assert find_interpreter(tmp_path, setting="gone/python").command == (str(tmp_path / "gone/python"),)
    assert find_interpreter(tmp_path, setting="gone", environ={"PATH": ""}).command == ("gone",)


def test_a_setting_may_be_a_command(tmp_path):
    found = find_interpreter(tmp_path, setting=["uv", "run", "python"], environ={"PATH": ""})
    assert found.command == ("uv", "run", "python")
    assert str(found) == "uv run python"


def test_the_editors_choice_beats_environments(environment, tmp_path):
    environment(".venv")
    found = find_interpreter(tmp_path, client="/usr/bin/python", environ={"VIRTUAL_ENV": "/env"})
    assert found == Interpreter(("/usr/bin/python",), "chosen in the editor")


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_active_environment_beats_the_folders(environment, tmp_path, variable):
    environment(".venv")
    python = environment("active")
    found = find_interpreter(tmp_path, environ={variable: str(tmp_path / "active")})
    assert found == Interpreter((str(python),), f"the active environment ({variable})")


@pytest.mark.parametrize("name", [".venv", "venv"])
def test_the_folders_environment_is_found_and_its_link_kept(environment, tmp_path, name):
    python = environment(name)
    found = find_interpreter(tmp_path, environ={"VIRTUAL_ENV": str(tmp_path / "deleted")})
    assert found == Interpreter((str(python),), f"the environment in {name}")


def test_last_comes_the_python_that_runs_the_server(tmp_path):
    for folder in (tmp_path, None):
        assert find_interpreter(folder, environ={}).command == (sys.executable,)
