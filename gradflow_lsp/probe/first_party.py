"""Which source files are the user's own: below a workspace folder and outside every Python environment."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_INSTALLED = {"site-packages", "dist-packages"}


def is_first_party(path: str, roots: Sequence[str]) -> bool:
    """Say whether the file at `path` is the user's own.

    `roots` are absolute workspace folders. Files of an environment inside the workspace (`.venv`), of the running
    interpreter, and pseudo files such as `<string>` are not first-party.
    """
    return _is_first_party(path, tuple(roots))


@cache
def is_library(path: str) -> bool:
    """Say whether the file at `path` is one of the interpreter's own modules or installed beside them."""
    return any(library in Path(path).parents for library in _libraries())


@cache
def _is_first_party(path: str, roots: tuple[str, ...]) -> bool:
    file = Path(path)
    if not file.is_absolute():
        return False
    folders = {Path(os.path.normpath(root)) for root in roots} | {Path(os.path.realpath(root)) for root in roots}
    return any(
        root in spelling.parents and not _is_installed(spelling, root)
        for spelling in (Path(os.path.normpath(file)), Path(os.path.realpath(file)))
        for root in folders
    )


def _is_installed(file: Path, root: Path) -> bool:
    inside = file.parent.relative_to(root).parts
    if _INSTALLED & set(inside) or is_library(str(file)):
        return True
    between = [root.joinpath(*inside[: depth + 1]) for depth in range(len(inside))]
    return any((folder / "pyvenv.cfg").exists() for folder in between)


@cache
def _libraries() -> frozenset[Path]:
    """Folders of the interpreter's own modules: the standard library and whatever is installed beside it."""
    named = {
        path for key, path in sysconfig.get_paths().items() if key in ("stdlib", "platstdlib", "purelib", "platlib")
    }
    named |= {str(Path(prefix, "lib")) for prefix in (sys.prefix, sys.base_prefix) if prefix != os.sep}
    named.add(str(Path(__file__).parent))  # our own files, where the workspace holds a copy of this very package
    return frozenset(Path(path) for name in named for path in (name, os.path.realpath(name)))
