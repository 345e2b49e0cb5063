"""Environments as they lie on disk: where the Python of one is, and what kind of environment a Python belongs to.

Symbolic links are kept as they are: an environment's `python` is one, and means that environment.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

WINDOWS = "win32"
_PYTHONS = ("bin/python", "bin/python3")
_PYTHONS_ON_WINDOWS = ("Scripts/python.exe", "python.exe")  # of a virtual environment, of a conda environment


@dataclass(frozen=True)
class Environment:
    """A folder that `venv` or conda has made, or one that a tool built on either has."""

    prefix: Path
    kind: Literal["venv", "conda"]

    def path_entries(self, platform: str = sys.platform) -> list[str]:
        """Return the folders that activating it puts first on the `PATH`, in that order."""
        if platform != WINDOWS:
            places = ["bin"]
        elif self.kind == "venv":
            places = ["Scripts"]
        else:
            places = ["", "Library/mingw-w64/bin", "Library/usr/bin", "Library/bin", "Scripts", "bin"]
        return [str(self.prefix / place) for place in places]


def python_in(prefix: Path, platform: str = sys.platform) -> Path | None:
    """Return the Python of the environment in `prefix`, `None` where there is none.

    A link that leads nowhere counts: the environment was meant, and whoever tries it can say that it is broken.
    """
    places = _PYTHONS_ON_WINDOWS if platform == WINDOWS else _PYTHONS
    return next((python for place in places if os.path.lexists(python := prefix / place)), None)


def environment_at(prefix: Path) -> Environment | None:
    """Return the environment that lies in a folder, if one does."""
    if (prefix / "pyvenv.cfg").is_file():
        return Environment(prefix, "venv")
    if (prefix / "conda-meta").is_dir():
        return Environment(prefix, "conda")
    return None


def environment_of(program: str) -> Environment | None:
    """Return the environment that a program lies in, if it lies in one."""
    folder = Path(program).parent
    return environment_at(folder.parent if folder.name in ("bin", "Scripts") else folder)


def is_conda_base(prefix: Path) -> bool:
    """Tell whether this is the environment that conda itself lives in: always active, and rarely a project's."""
    return (prefix / "condabin").is_dir() and (prefix / "conda-meta").is_dir()
