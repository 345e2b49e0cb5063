"""Which Python is chosen for a folder, why, and how to have another."""

import sys
from pathlib import Path

import pytest

from gradflow_lsp.runs.interpreter import Interpreter, find_interpreter

from .layouts import conda, venv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="environments look otherwise there")


def test_the_setting_comes_first(tmp_path):
    venv(tmp_path / ".venv")
    found = find_interpreter(tmp_path, setting="/opt/python", client="/usr/bin/python", environ={"VIRTUAL_ENV": "/env"})
    assert found == Interpreter(("/opt/python",), "the setting gradflow.interpreter")


@pytest.mark.parametrize("setting", ["env/bin/python", "env", "./env/bin/../bin/python", "${workspaceFolder}/env"])
def test_a_setting_is_read_from_the_folder(tmp_path, setting):
    python = venv(tmp_path / "env")
    assert find_interpreter(tmp_path, setting=setting).command == (str(python),)


@pytest.mark.parametrize("setting", ["$ENVS/torch", "${ENVS}/torch", "${env:ENVS}/torch/bin/python", "%ENVS%/torch"])
def test_variables_in_a_setting_are_put_in(tmp_path, setting):
    python = venv(tmp_path / "envs/torch")
    environ = {"ENVS": str(tmp_path / "envs")}
    assert find_interpreter(tmp_path, setting=setting, environ=environ).command == (str(python),)


@pytest.mark.parametrize("setting", ["~/env", "${userHome}/env"])
def test_the_home_folder_in_a_setting_is_put_in(tmp_path, monkeypatch, setting):
    monkeypatch.setenv("HOME", str(tmp_path))
    python = venv(tmp_path / "env")
    assert find_interpreter(None, setting=setting, environ={}).command == (str(python),)


def test_a_variable_that_is_not_set_stays_for_the_error_to_show(tmp_path):
    assert find_interpreter(tmp_path, setting="$NOWHERE/py", environ={}).command == (str(tmp_path / "$NOWHERE/py"),)


def test_a_name_is_looked_up_on_the_path(tmp_path):
    python = venv(tmp_path / "env")
    (tmp_path / "python").mkdir()
    assert find_interpreter(tmp_path, setting="python", environ={"PATH": str(python.parent)}).command == (str(python),)


def test_a_setting_may_be_a_command(tmp_path):
    found = find_interpreter(
        tmp_path, setting=["uv", "run", "--env-file", "$F", "python"], environ={"PATH": "", "F": "x"}
    )
    assert found.command == ("uv", "run", "--env-file", "x", "python")
    assert str(found) == "uv run --env-file x python"


def test_an_environment_in_the_windows_layout_is_found(tmp_path):
    python = tmp_path / "env/Scripts/python.exe"
    python.parent.mkdir(parents=True)
    python.touch()
    (tmp_path / "conda").mkdir()
    (tmp_path / "conda/python.exe").touch()
    assert find_interpreter(tmp_path, setting="env", platform="win32").command == (str(python),)
    found = find_interpreter(None, environ={"CONDA_PREFIX": str(tmp_path / "conda")}, platform="win32")
    assert found.command == (str(tmp_path / "conda/python.exe"),)


@pytest.mark.parametrize(
    ("origin", "why", "change"),
    [
        ("the flag --python", "the flag --python", "pass a different one to --python"),
        (
            "the editor's settings",
            "the setting interpreter in the editor's settings",
            "change it in the editor's settings",
        ),
        ("/p/pyproject.toml:3", "the setting interpreter in /p/pyproject.toml:3", "change it in /p/pyproject.toml:3"),
    ],
)
def test_it_is_said_where_a_setting_is_written(tmp_path, origin, why, change):
    found = find_interpreter(tmp_path, setting="/opt/python", origin=origin)
    assert (found.why, found.change) == (why, change)


def test_the_editors_choice_beats_environments(tmp_path):
    venv(tmp_path / ".venv")
    found = find_interpreter(tmp_path, client="/usr/bin/python", environ={"VIRTUAL_ENV": "/env"})
    assert found == Interpreter(("/usr/bin/python",), "chosen in the editor")
    assert find_interpreter(tmp_path, client=["/bin/py", "-3.12"]).command == ("/bin/py", "-3.12")


@pytest.mark.parametrize("make, variable", [(venv, "VIRTUAL_ENV"), (conda, "CONDA_PREFIX")])
def test_the_active_environment_beats_the_folders(tmp_path, make, variable):
    venv(tmp_path / ".venv")
    python = make(tmp_path / "active")
    found = find_interpreter(tmp_path, environ={variable: str(tmp_path / "active")})
    assert found == Interpreter((str(python),), f"the active environment ({variable})")


def test_condas_base_environment_comes_after_the_folders_own(tmp_path):
    environ = {"CONDA_PREFIX": str(tmp_path / "miniconda")}
    base = conda(tmp_path / "miniconda", base=True)
    assert find_interpreter(tmp_path, environ=environ).command == (str(base),)
    python = venv(tmp_path / ".venv")
    assert find_interpreter(tmp_path, environ=environ).command == (str(python),)


def test_an_active_environment_that_is_gone_is_passed_over_and_named(tmp_path):
    python = venv(tmp_path / ".venv")
    found = find_interpreter(tmp_path, environ={"VIRTUAL_ENV": str(tmp_path / "deleted")})
    assert found == Interpreter((str(python),), "the environment in .venv")
    [sentence] = found.passed_over
    assert str(tmp_path / "deleted") in sentence and "VIRTUAL_ENV" in sentence


def test_last_comes_the_python_that_runs_the_server(tmp_path):
    for folder in (tmp_path, None):
        found = find_interpreter(folder, environ={})
        assert found.command == (sys.executable,)
        assert "make a .venv" in found.change


# --- where a launcher starts it --------------------------------------------------------------------------------------


def test_a_launcher_starts_the_same_python_where_paths_are_the_same(tmp_path):
    python = venv(tmp_path / ".venv")
    found = find_interpreter(tmp_path, launcher=["srun", "--chdir=${workspaceFolder}"], environ={})
    assert (found.command, found.why) == ((str(python),), "the environment in .venv")
    assert found.called("-c", "pass") == ["srun", f"--chdir={tmp_path}", str(python), "-c", "pass"]
    assert "gradflow.launcher" in found.change


@pytest.mark.parametrize(
    ("setting", "command"),
    [(None, ("python3",)), ("/opt/venv/bin/python", ("/opt/venv/bin/python",)), (("uv", "run"), ("uv", "run"))],
)
def test_where_paths_are_others_nothing_here_tells_which_python_is_there(tmp_path, setting, command):
    venv(tmp_path / ".venv")
    found = find_interpreter(
        tmp_path,
        setting=setting,
        client="/usr/bin/python",
        launcher=["ssh", "box"],
        mappings={"/app": "$HERE"},
        environ={"HERE": "/here"},
    )
    assert (found.command, found.place.mappings) == (command, (("/app", "/here"),))


# --- what leads nowhere ----------------------------------------------------------------------------------------------


def trouble(folder, setting, **environ):
    return find_interpreter(folder, setting=setting, environ=environ).trouble


def test_what_leads_nowhere_is_kept_and_says_what_is_wrong(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").touch(mode=0o644)
    assert trouble(tmp_path, "gone/python") == "no such file"
    assert trouble(tmp_path, "no-such-python", PATH="") == "there is no program no-such-python on the PATH"
    assert trouble(tmp_path, "folder") == "it is a folder without a Python in it"
    assert trouble(tmp_path, "./text") == "it may not be executed"
    assert trouble(tmp_path, sys.executable) is None


def test_an_environment_whose_python_was_removed_is_still_the_one_that_is_meant(tmp_path):
    python = venv(tmp_path / ".venv")
    python.unlink()
    python.symlink_to("/usr/bin/python-that-was-upgraded")
    found = find_interpreter(tmp_path, environ={})
    assert found.command == (str(python),)
    assert found.trouble == (
        "it is a link to /usr/bin/python-that-was-upgraded, which is gone, so its environment has to be made anew"
    )


def test_links_are_kept_as_they_are(tmp_path):
    venv(tmp_path / "real")
    (tmp_path / ".venv").symlink_to(tmp_path / "real")
    [command] = find_interpreter(tmp_path, environ={}).command
    assert command == str(tmp_path / ".venv/bin/python")
    assert Path(command).is_symlink()
