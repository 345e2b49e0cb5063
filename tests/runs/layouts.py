"""Environments as they lie on disk, made of empty files and links."""

import sys
from pathlib import Path


def venv(prefix: Path) -> Path:
    """Make what looks like a virtual environment; return its Python, which is a link as in a real one."""
    python = prefix / "bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (prefix / "pyvenv.cfg").touch()
    return python


def conda(prefix: Path, *, base: bool = False) -> Path:
    """Make what looks like a conda environment; return its Python."""
    python = venv(prefix)
    (prefix / "pyvenv.cfg").unlink()
    (prefix / "conda-meta").mkdir()
    if base:
        (prefix / "condabin").mkdir()
    return python


def write(file: Path, text: str) -> None:
    """Write a file, and make the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
