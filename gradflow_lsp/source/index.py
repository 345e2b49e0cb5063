"""Which files have probes: found once by a scan, kept current file by file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from .folders import Folder, absolute, decode, read_source
from .outline import ProbeSite, probes_in

_MARK = "gradflow_probe"
_MARK_BYTES = _MARK.encode()
_CHUNK = 1 << 17
"""Bytes that are read at once; few files are longer."""
_READ_ONLY = os.O_RDONLY | getattr(os, "O_BINARY", 0)


class WorkspaceIndex:
    """The probes of some workspace folders.

    Text that an editor holds (`update` with a text) goes before what is on disk until it is given back
    (`update` without one).
    """

    def __init__(self, roots: Sequence[Path], exclude: Sequence[str] = ()) -> None:
        self._exclude = tuple(exclude)
        self._folders = [Folder(root, self._exclude) for root in roots]
        self._on_disk: dict[Path, tuple[ProbeSite, ...]] = {}
        self._in_editor: dict[Path, str] = {}
        self.told_of: set[Path] = set()
        """The files on disk, and folders, that were updated or removed one by one."""

    def scan(self) -> None:
        """Read every folder anew. Ten thousand files take about a second: one without the word is never parsed."""
        self._on_disk = {
            Path(path): sites
            for folder in list(self._folders)
            for path in folder.python_files()
            if (sites := _on_disk(path))
        }

    def update(self, path: Path, text: str | None = None) -> None:
        """Take note of a file's new text: the editor's, or with no text what is on disk now."""
        path = absolute(path)
        if text is not None:
            self._in_editor[path] = text  # outlined when somebody asks, not at every keystroke
            return
        self.told_of.add(path)
        self._in_editor.pop(path, None)
        sites = _on_disk(path) if any(folder.holds(path) for folder in self._folders) else ()
        self._on_disk.pop(path, None)
        if sites:
            self._on_disk[path] = sites

    def remove(self, path: Path) -> None:
        """Forget a file, or a folder with all that is in it."""
        path = absolute(path)
        self.told_of.add(path)
        known: dict[Path, Any]
        for known in (self._on_disk, self._in_editor):
            for gone in [other for other in known if other == path or path in other.parents]:
                del known[gone]

    def add_root(self, root: Path) -> None:
        """Take a further workspace folder in, and scan it."""
        folder = Folder(root, self._exclude)
        if all(folder.root != known.root for known in self._folders):
            self._folders.append(folder)
            self._on_disk.update((Path(path), sites) for path in folder.python_files() if (sites := _on_disk(path)))

    def remove_root(self, root: Path) -> None:
        """Let a workspace folder go, with the files on disk that no other folder holds."""
        gone = absolute(root)
        self._folders = [folder for folder in self._folders if folder.root != gone]
        self._on_disk = {
            path: sites for path, sites in self._on_disk.items() if any(folder.holds(path) for folder in self._folders)
        }

    def probes(self) -> dict[Path, tuple[ProbeSite, ...]]:
        """Return the probes of each file that has any, by path."""
        both = {**self._on_disk, **{path: _in_text(text) for path, text in self._in_editor.items()}}
        return {path: both[path] for path in sorted(both) if both[path]}

    def probes_in(self, path: Path) -> tuple[ProbeSite, ...]:
        """Return the probes of one file, top down."""
        path = absolute(path)
        return _in_text(self._in_editor[path]) if path in self._in_editor else self._on_disk.get(path, ())


def discover(paths: Sequence[Path], exclude: Sequence[str] = ()) -> list[tuple[Path, tuple[ProbeSite, ...]]]:
    """Return the files with probes under `paths` (files or folders), in the order asked for, each file once.

    A file that is named itself is always in the answer, with no probes where it has none, and whatever is ignored.
    Raises `OSError` when a named file cannot be read.
    """
    found: dict[Path, tuple[ProbeSite, ...]] = {}
    for path in map(absolute, paths):
        if not path.is_dir():
            found[path] = probes_in(read_source(path))
            continue
        for file in map(Path, Folder(path, exclude).python_files()):
            if file not in found and (sites := _on_disk(file)):
                found[file] = sites
    return list(found.items())


def _on_disk(path: str | Path) -> tuple[ProbeSite, ...]:
    try:
        data = _read(path)
    except OSError:
        return ()
    return probes_in(decode(data)) if _MARK_BYTES in data else ()


def _read(path: str | Path) -> bytes:
    """Return what a file holds, without a file object around it: a scan is nothing but ten thousand of these."""
    file = os.open(path, _READ_ONLY)
    try:
        return b"".join(iter(lambda: os.read(file, _CHUNK), b""))
    finally:
        os.close(file)


@lru_cache(maxsize=256)
def _in_text(text: str) -> tuple[ProbeSite, ...]:
    return probes_in(text) if _MARK in text else ()
