"""What tells whether an environment is still as it was: files and folders that change when something is installed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable
from pathlib import Path

_INSTALLED = ("site-packages", "dist-packages")


def environment_times() -> dict[str, int]:
    """Return the times in ns of the interpreter, and of the folders that packages are installed in.

    To be asked before anything is imported: what is installed while that goes on then counts as a change.
    """
    folders = [folder for folder in sys.path if Path(folder).name in _INSTALLED]
    for folder in folders:
        _make_cache(folder)
    paths = [sys.executable, str(Path(sys.prefix, "pyvenv.cfg")), *folders]
    return times_of([*paths, *(str(path) for folder in folders for path in Path(folder).glob("*.pth"))])


def times_of(paths: Iterable[str]) -> dict[str, int]:
    """Return when each of the paths that are there was changed, in ns."""
    return {path: time for path in paths if (time := _changed_at(path)) is not None}


def _make_cache(folder: str) -> None:
    """Make the folder that the first import would make there: it would look as if something had been installed."""
    if not sys.dont_write_bytecode and sys.pycache_prefix is None:
        with contextlib.suppress(OSError):
            Path(folder, "__pycache__").mkdir()


def _changed_at(path: str) -> int | None:
    with contextlib.suppress(OSError):
        return Path(path).stat().st_mtime_ns
    return None
