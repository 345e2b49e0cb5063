"""The texts of first-party files: as the editor holds them, else the disk; and which of them a run has used."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from .first_party import is_first_party
from .protocol import RunRequest

_digests: dict[str, str] = {}
"""First-party files that this process has compiled: absolute path → SHA-256 of the text, as bytes on disk or UTF-8."""
_looked_for: dict[str, None] = {}
"""What `looked_for` returns, in the order of the searches."""
_listeners: list[Callable[[str, str], None]] = []


class Sources:
    """The text of first-party files: the editor's where it holds one, else the disk's."""

    def __init__(self, request: RunRequest) -> None:
        self._path = key_of(request.path)
        self._roots = request.roots
        self._overlays = {key_of(path): text.removeprefix("\ufeff") for path, text in request.overlays.items()}
        files = list(map(Path, self._overlays))
        self._names = {file.parent.name if file.stem == "__init__" else file.stem for file in files}

    def owns(self, path: str) -> bool:
        """Say whether the file at `path` is loaded by us: a first-party one, or the probe's own wherever it lies."""
        return is_first_party(path, self._roots) or key_of(path) == self._path

    def miss(self, folder: str, *names: str) -> None:
        """Take note that nothing lies in `folder` under these names; outside the workspace nobody cares."""
        if is_first_party(str(Path(folder, "__init__.py")), self._roots):  # the same path each time: that is fast
            _looked_for.update(dict.fromkeys(str(Path(folder, name)) for name in names))

    def exists(self, path: str) -> bool:
        """Say whether there is a file at `path`, on disk or only in the editor."""
        return Path(path).is_file() or key_of(path) in self._overlays

    def may_have_unsaved(self, name: str) -> bool:
        """Say whether the editor holds a text for a module or package of this name, wherever that is."""
        return os.path.normcase(name) in self._names

    def unsaved(self, path: str) -> bool:
        """Say whether the editor holds a text for `path`."""
        return key_of(path) in self._overlays

    def read(self, path: str) -> tuple[bytes, str | None]:
        """Return the bytes of the file at `path`, and its text where they can be decoded."""
        overlay = self._overlays.get(key_of(path))
        if overlay is not None:
            return overlay.encode("utf-8", "surrogatepass"), overlay
        data = Path(path).read_bytes()
        try:
            return data, importlib.util.decode_source(data)
        except (UnicodeError, SyntaxError, LookupError):  # the last: what the coding line names is no text's
            return data, None

    def text(self, path: str) -> str:
        """Return the text of the file at `path`, empty where it cannot be read."""
        try:
            return self.read(path)[1] or ""
        except OSError:
            return ""


def loaded_sources(request: RunRequest, seen: Iterable[str] = ()) -> dict[str, str]:
    """Return the first-party files that have been loaded so far, each with its text's SHA-256.

    `seen` are files whose code has run, whoever compiled it. What the user's code only reads (`open`) is not among
    them, nor what the processes load that it starts.
    """
    for path in seen:
        if path not in _digests and is_first_party(path, request.roots):
            with contextlib.suppress(OSError):
                _digests[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return dict(_digests)


def looked_for() -> list[str]:
    """Return the first-party paths at which imports have found nothing so far, and would have taken what is there.

    A path without a suffix means a folder: an import that found nothing at all would have taken it for a namespace.
    """
    return list(_looked_for)


def tell_of_sources(listener: Callable[[str, str], None]) -> None:
    """Call `listener` with the path and the SHA-256 of each first-party file as soon as it has been read."""
    _listeners.append(listener)


def note(path: str, data: bytes) -> None:
    """Take note that a file has been loaded, with the text that `data` are, and tell the listeners."""
    digest = hashlib.sha256(data).hexdigest()
    _digests[path] = digest
    for tell in _listeners:
        tell(path, digest)


def key_of(path: str) -> str:
    """Return what tells one file from another, however its path is spelled."""
    return os.path.normcase(os.path.realpath(path))
