"""The environments that tools keep for a project, found by looking at files."""

import base64
import hashlib
import sys

import pytest

from gradflow_lsp.runs.projects import pythons_of

from .layouts import conda, venv, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="environments look otherwise there")


def digest(folder):
    return base64.urlsafe_b64encode(hashlib.sha256(str(folder).encode()).digest()).decode()[:8]


def found(folder, **environ):
    """The Pythons that are found for a folder, without those of the person who runs the tests."""
    nowhere = {name: str(folder / "nowhere") for name in ("POETRY_CACHE_DIR", "HATCH_DATA_DIR", "PYENV_ROOT")}
    return [str(python) for python, _ in pythons_of(folder, {**nowhere, **environ}, "linux")]


@pytest.mark.parametrize("name", [".venv", "venv", ".pixi/envs/default", ".conda"])
def test_environments_in_the_usual_places(tmp_path, name):
    python = (conda if "pixi" in name else venv)(tmp_path / name)
    assert found(tmp_path) == [str(python)]


def test_the_usual_places_in_the_layout_of_windows(tmp_path):
    write(tmp_path / ".venv/Scripts/python.exe", "")
    assert next(python for python, _ in pythons_of(tmp_path, {}, "win32")) == tmp_path / ".venv/Scripts/python.exe"


@pytest.mark.parametrize("line", ["{}\n", "../elsewhere", "{}\nand more\n"])
def test_a_file_in_place_of_the_environment_names_its_folder(tmp_path, line):
    venv(tmp_path / "elsewhere")
    write(tmp_path / "project/.venv", line.format(tmp_path / "elsewhere"))
    [python] = found(tmp_path / "project")
    assert (tmp_path / "elsewhere/bin/python").samefile(python)


def test_a_home_folder_that_nobody_has_is_no_mishap(tmp_path):
    write(tmp_path / ".venv", "~nobody-of-this-name/env")
    assert found(tmp_path) == []


def test_members_of_a_uv_workspace_share_the_environment_of_its_root(tmp_path):
    python = venv(tmp_path / ".venv")
    (tmp_path / "uv.lock").touch()
    (tmp_path / "packages/net").mkdir(parents=True)
    assert found(tmp_path / "packages/net") == [str(python)]


def test_a_project_with_a_lock_file_of_its_own_shares_nothing(tmp_path):
    venv(tmp_path / ".venv")
    write(tmp_path / "uv.lock", "")
    write(tmp_path / "nested/uv.lock", "")
    assert found(tmp_path / "nested") == []


def test_a_folder_above_without_a_lock_file_is_not_a_workspace(tmp_path):
    venv(tmp_path / ".venv")
    (tmp_path / "nested").mkdir()
    assert found(tmp_path / "nested") == []


def test_pdm_names_its_python_in_a_file(tmp_path):
    write(tmp_path / ".pdm-python", "/opt/pdm/venvs/net/bin/python")
    assert found(tmp_path) == ["/opt/pdm/venvs/net/bin/python"]


@pytest.mark.parametrize(
    "pyproject",
    ["[tool.poetry]\nname = 'My Net'\n", "[project]\nname = 'My Net'\n[tool.poetry]\npackage-mode = false\n"],
)
def test_poetry_keeps_its_environment_in_its_cache(tmp_path, pyproject):
    folder = tmp_path / "project"
    write(folder / "pyproject.toml", pyproject)
    base = f"my_net-{digest(folder)}"
    python = venv(tmp_path / f"cache/virtualenvs/{base}-py3.11")
    assert found(folder, POETRY_CACHE_DIR=str(tmp_path / "cache")) == [str(python)]
    assert found(folder, POETRY_VIRTUALENVS_PATH=str(tmp_path / "cache/virtualenvs")) == [str(python)]


def test_of_poetrys_several_environments_the_one_in_use_is_taken(tmp_path):
    folder, store = tmp_path / "project", tmp_path / "virtualenvs"
    write(folder / "pyproject.toml", "[tool.poetry]\nname = 'net'\n")
    pythons = {minor: venv(store / f"net-{digest(folder)}-py{minor}") for minor in ("3.11", "3.12")}
    assert found(folder, POETRY_CACHE_DIR=str(tmp_path)) == []
    write(store / "envs.toml", f'[net-{digest(folder)}]\nminor = "3.12"\npatch = "3.12.1"\n')
    assert found(folder, POETRY_CACHE_DIR=str(tmp_path)) == [str(pythons["3.12"])]


def test_hatch_keeps_its_environment_in_its_data_folder(tmp_path):
    folder = tmp_path / "project"
    write(folder / "pyproject.toml", "[project]\nname = 'My_Net'\n")
    python = venv(tmp_path / f"data/env/virtual/my-net/{digest(folder)}/my-net")
    assert found(folder, HATCH_DATA_DIR=str(tmp_path / "data")) == [str(python)]


@pytest.mark.parametrize("place", [".hatch/net", "envs/here"])
def test_hatch_may_keep_it_in_the_project(tmp_path, place):
    write(tmp_path / "pyproject.toml", "[project]\nname = 'net'\n[tool.hatch.envs.default]\npath = 'envs/here'\n")
    python = venv(tmp_path / place)
    assert found(tmp_path) == [str(python)]


def test_an_environment_of_pyenv_that_is_named_in_a_file(tmp_path):
    python = venv(tmp_path / "pyenv/versions/torch-env")
    write(tmp_path / "project/.python-version", "torch-env\n3.11.7\n")
    (tmp_path / "project/part").mkdir()
    assert found(tmp_path / "project/part", PYENV_ROOT=str(tmp_path / "pyenv")) == [str(python)]


def test_a_mere_version_of_pyenv_is_no_environment_of_the_project(tmp_path):
    python = venv(tmp_path / "pyenv/versions/3.11.7")
    (python.parents[1] / "pyvenv.cfg").unlink()
    write(tmp_path / ".python-version", "3.11.7")
    assert found(tmp_path, PYENV_ROOT=str(tmp_path / "pyenv")) == []


@pytest.mark.parametrize(
    "text", ["", "[tool\n", "tool = 3\n", "[tool]\npoetry = 3\nhatch = 1\n", "[project]\nname = 3\n"]
)
def test_files_that_say_nothing_useful_are_passed_over(tmp_path, text):
    write(tmp_path / "pyproject.toml", text)
    for name in (".python-version", ".pdm-python", ".venv", "poetry.lock"):
        (tmp_path / name).touch()
    assert found(tmp_path) == []
