"""Whose a file is: the user's own, or an environment's."""

import os
from pathlib import Path

import pytest

from gradflow_lsp.probe.first_party import is_first_party


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def owned(workspace, *parts):
    return is_first_party(str(workspace.joinpath(*parts)), [str(workspace)])


@pytest.mark.parametrize("parts", [["model.py"], ["src", "pkg", "model.py"], ["lib", "model.py"], ["env", "model.py"]])
def test_files_below_the_root_are_the_users(workspace, parts):
    assert owned(workspace, *parts)


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_installed_packages_are_not(workspace, folder):
    assert not owned(workspace, "anything", folder, "pkg", "model.py")


def test_an_environment_in_the_workspace_is_not(workspace):
    (workspace / ".venv").mkdir()
    (workspace / ".venv" / "pyvenv.cfg").touch()
    assert not owned(workspace, ".venv", "bin", "tool.py")


def test_a_workspace_that_lies_in_an_environment_is_still_the_users(workspace):
    (workspace.parent / "pyvenv.cfg").touch()
    assert owned(workspace, "model.py")


def test_a_file_beside_the_root_is_not(workspace):
    assert not owned(workspace, os.pardir, "workspace2", "model.py")


def test_the_standard_library_is_not_even_when_the_root_is_everything():
    assert not is_first_party(os.__file__, [Path(os.__file__).anchor])


@pytest.mark.parametrize("name", ["<string>", "<frozen importlib._bootstrap>", "model.py"])
def test_what_is_no_absolute_path_is_not(workspace, name):
    assert not is_first_party(name, [str(workspace)])


def test_either_spelling_of_a_linked_folder_counts(workspace):
    link = workspace.parent / "link"
    link.symlink_to(workspace)
    assert is_first_party(str(link / "model.py"), [str(workspace)])
    assert is_first_party(str(workspace / "model.py"), [str(link)])


def test_with_several_roots_any_will_do(workspace):
    assert is_first_party(str(workspace / "model.py"), ["/elsewhere", str(workspace)])
