"""What activating a conda environment sets. The layouts are made here: no real conda is at hand."""

import json

from gradflow_lsp.runs import conda
from gradflow_lsp.runs.environments import Environment

from . import layouts


def test_an_environment_is_named_as_conda_names_it(tmp_path):
    named, unnamed, base = tmp_path / "conda/envs/torch", tmp_path / "project/.conda", tmp_path / "conda"
    layouts.conda(named)
    layouts.conda(unnamed)
    layouts.conda(base, base=True)
    names = [conda.activation(prefix)["CONDA_DEFAULT_ENV"] for prefix in (named, unnamed, base)]
    assert names == ["torch", str(unnamed), "base"]
    assert conda.activation(named)["CONDA_PREFIX"] == str(named)


def test_variables_of_packages_and_of_the_environment_are_set(tmp_path):
    layouts.write(tmp_path / "etc/conda/env_vars.d/a.json", json.dumps({"A": "package", "B": "package"}))
    layouts.write(tmp_path / "etc/conda/env_vars.d/b.json", "not json")
    state = {"version": 1, "env_vars": {"B": "own", "C": 3, "D": "***unset***"}}
    layouts.write(tmp_path / "conda-meta/state", json.dumps(state))
    assert conda.variables(tmp_path) == {"A": "package", "B": "own", "C": "3"}


def test_scripts_for_a_shell_are_named(tmp_path):
    for name in ("b.sh", "a.sh", "a.bat", "a.fish"):
        layouts.write(tmp_path / "etc/conda/activate.d" / name, "")
    assert [script.name for script in conda.scripts(tmp_path, "linux")] == ["a.sh", "b.sh"]
    assert [script.name for script in conda.scripts(tmp_path, "win32")] == ["a.bat"]


def test_the_path_has_the_folders_of_the_environment_in_condas_order(tmp_path):
    environment = Environment(tmp_path, "conda")
    assert environment.path_entries("linux") == [str(tmp_path / "bin")]
    there = ["", "Library/mingw-w64/bin", "Library/usr/bin", "Library/bin", "Scripts", "bin"]
    assert environment.path_entries("win32") == [str(tmp_path / place) for place in there]
