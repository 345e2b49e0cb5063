"""Runs that a launcher starts in another place: how Python is called there, and what its paths mean here."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from gradflow_lsp.probe.protocol import RunRequest

_FOR_A_SHELL = ("ssh", "autossh")
"""Programs that hand their words to a shell there, as one text."""
_FRAME = re.compile(r'(?<=  File ")[^"\n]+(?=", line \d)')
_PLACES = ("path", "source")
_TEXTS = ("traceback", "output")


@dataclass(frozen=True)
class Elsewhere:
    """Where a `launcher` (`srun …`, `docker run -i … IMAGE`, `ssh HOST`) starts a command that is written behind it.

    `mappings` are pairs of folders, as they are called there and here; without any, paths are the same in both places.
    """

    launcher: tuple[str, ...]
    mappings: tuple[tuple[str, str], ...] = ()

    def command(self, words: Sequence[str]) -> list[str]:
        """Return what is to be called here for the command that these words are there."""
        is_for_a_shell = PurePath(self.launcher[0]).stem in _FOR_A_SHELL
        return [*self.launcher, shlex.join(words)] if is_for_a_shell else [*self.launcher, *words]

    def there(self, path: str) -> str:
        """Return what a path here is called there; unchanged where no mapping holds it."""
        return _moved(path, ((here, there) for there, here in self.mappings))

    def here(self, path: str) -> str:
        """Return what a path there is called here; unchanged where no mapping holds it."""
        return _moved(path, self.mappings)

    def request(self, request: RunRequest) -> RunRequest:
        """Return a request with the paths as they are there; a folder of which a part lies apart there is both."""
        parts = [there for there, here in self.mappings if any(_holds(root, here) for root in request.roots)]
        return replace(
            request,
            path=self.there(request.path),
            roots=tuple(dict.fromkeys([*map(self.there, request.roots), *parts])),
            overlays={self.there(path): text for path, text in request.overlays.items()},
        )

    def message(self, value: Any) -> Any:
        """Return a message from there, or a part of one, with the paths as they are here."""
        match value:
            case dict():
                return dict(self._items(value))
            case list():
                return [self.message(item) for item in value]
        return value

    def text(self, text: str) -> str:
        """Return what was printed there with the paths in tracebacks as they are here."""
        return _FRAME.sub(lambda match: self.here(match[0]), text)

    def _items(self, value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, item in value.items():
            if name in _PLACES and isinstance(item, str):
                yield name, self.here(item)
            elif name in _TEXTS and isinstance(item, str):
                yield name, self.text(item)
            elif name == "sources" and isinstance(item, dict):
                yield name, {self.here(path): digest for path, digest in item.items()}
            elif name == "looked_for" and isinstance(item, list):
                yield name, [self.here(path) if isinstance(path, str) else path for path in item]
            else:
                yield name, self.message(item)


def _moved(path: str, folders: Iterator[tuple[str, str]] | Sequence[tuple[str, str]]) -> str:
    """Return a path with the innermost of these folders that holds it replaced by that folder's other name."""
    holding = [(old.rstrip("/\\"), new) for old, new in folders if _holds(old.rstrip("/\\"), path)]
    if not holding:
        return path
    old, new = max(holding, key=lambda pair: len(pair[0]))
    below = re.split(r"[/\\]" if os.sep == "\\" else "/", path[len(old) :])
    separator = "\\" if "\\" in new and "/" not in new else "/"
    return separator.join([new.rstrip("/\\"), *below[1:]])


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith((folder + "/", folder + os.sep))
