"""Where the tools that keep a project's environment keep it, as far as files alone tell: no tool is run to find out.

Known: `.venv` and `venv` (also as a file that names a folder), pixi, VS Code's `.conda`, the root of a uv workspace,
pdm, poetry, hatch, and pyenv's virtual environments. Not known, as only the tool itself can tell: pdm's
`__pypackages__`, hatch's environments other than `default`, what poetry's user-wide settings move elsewhere, a plain
version of pyenv, pipenv's central folder.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import platformdirs
import tomllib

from gradflow_lsp.runs.environments import environment_at, python_in

Found = tuple[Path, str]
"""A Python that something names, whether it is there or not, and a phrase for people that says what names it."""


def pythons_of(folder: Path, environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Iterator[Found]:
    """Yield the Pythons of the project in `folder`, the likeliest first."""
    project = _Project(folder, environ, platform)
    for name in (".venv", "venv", ".pixi/envs/default", ".conda"):
        place = folder / name
        named = _first_line(place)  # a file in an environment's place names the folder that has it
        if python := project.python_in(folder / _expanded(named) if named else place):
            yield python, f"the environment in {name}"
    for find in (_uv, _pdm, _poetry, _hatch, _pyenv):
        if found := find(project):
            yield found


@dataclass(frozen=True)
class _Project:
    """A folder, and what its files and the environment variables say."""

    folder: Path
    environ: Mapping[str, str]
    platform: str

    @cached_property
    def pyproject(self) -> dict[str, Any]:
        """The contents of its `pyproject.toml`, empty where there is none that can be read."""
        return _toml(self.folder / "pyproject.toml")

    @property
    def real_folder(self) -> str:
        """Its path without symbolic links, of which tools make the names of environments."""
        return os.path.realpath(self.folder)

    def table(self, *names: str) -> dict[str, Any]:
        """Return a table of its `pyproject.toml`, empty where there is none."""
        table: Any = self.pyproject
        for name in names:
            table = table.get(name) if isinstance(table, dict) else None
        return table if isinstance(table, dict) else {}

    def name(self, *tool: str) -> str | None:
        """Return what the project is called, in the standard table or in that of a tool."""
        name = self.table("project").get("name") or self.table("tool", *tool).get("name")
        return name if isinstance(name, str) else None

    def python_in(self, prefix: Path) -> Path | None:
        """Return the Python of the environment in a folder."""
        return python_in(prefix, self.platform)

    def variable(self, name: str, otherwise: Path) -> Path:
        """Return the folder that an environment variable names, or another one."""
        return Path(self.environ.get(name) or otherwise)


def _uv(project: _Project) -> Found | None:
    """Find the environment that the members of a uv workspace share: it lies beside the one lock file."""
    root = next((parent for parent in project.folder.parents if (parent / "uv.lock").is_file()), None)
    python = project.python_in(root / ".venv") if root and not (project.folder / "uv.lock").exists() else None
    return (python, f"the environment of the uv workspace {root}") if python else None


def _pdm(project: _Project) -> Found | None:
    """Find the Python that `pdm use` has chosen."""
    line = _first_line(project.folder / ".pdm-python")
    return (project.folder / line, "the Python that .pdm-python names") if line else None


def _poetry(project: _Project) -> Found | None:
    """Find poetry's environment in its cache, named after the project, a digest of its folder and a Python version."""
    name = project.name("poetry")
    if name is None or not ((project.folder / "poetry.lock").exists() or project.table("tool", "poetry")):
        return None
    cache = project.variable("POETRY_CACHE_DIR", platformdirs.user_cache_path("pypoetry", appauthor=False))
    store = project.variable("POETRY_VIRTUALENVS_PATH", cache / "virtualenvs")
    shown = re.sub(r'[ $`!*@"\\\r\n\t]', "_", name.lower())[:42]
    base = f"{shown}-{_digest(os.path.normcase(project.real_folder))}"
    chosen = _toml(store / "envs.toml").get(base)  # by `poetry env use`
    minor = chosen.get("minor", "*") if isinstance(chosen, dict) else "*"
    made = [python for prefix in store.glob(f"{base}-py{minor}") if (python := project.python_in(prefix))]
    return (made[0], "poetry's environment of this project") if len(made) == 1 else None


def _hatch(project: _Project) -> Found | None:
    """Find hatch's environment `default`: where its settings say, in `.hatch`, or in its data folder."""
    name = project.name()
    if name is None:
        return None
    name = re.sub(r"[-_.]+", "-", name).lower()
    data = project.variable("HATCH_DATA_DIR", platformdirs.user_data_path("hatch", appauthor=False))
    places = [project.folder / ".hatch" / name, data / "env/virtual" / name / _digest(project.real_folder) / name]
    if isinstance(path := project.table("tool", "hatch", "envs", "default").get("path"), str):
        places.insert(0, project.folder / path)
    python = next((python for place in places if (python := project.python_in(place))), None)
    return (python, "hatch's environment of this project") if python else None


def _pyenv(project: _Project) -> Found | None:
    """Find the virtual environment of pyenv that `.python-version` names, in the folder or above it.

    A mere version of Python is left aside: pyenv has it for many projects, and most often without their packages.
    """
    versions = project.variable("PYENV_ROOT", Path(_expanded("~/.pyenv"))) / "versions"
    folders = (project.folder, *project.folder.parents)
    name = next((line for folder in folders if (line := _first_line(folder / ".python-version"))), None)
    python = project.python_in(versions / name) if name and environment_at(versions / name) else None
    return (python, f"the pyenv environment {name} that .python-version names") if python else None


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _first_line(file: Path) -> str | None:
    """Return the first line of a small text file, `None` where there is no such file or nothing in it."""
    try:
        with file.open(encoding="utf-8") as lines:
            return lines.readline(4096).strip() or None
    except (OSError, ValueError):
        return None


def _expanded(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111  pathlib's raises where there is no such home


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()[:8]
