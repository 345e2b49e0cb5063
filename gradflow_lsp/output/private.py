"""Takes out of a text what tells whose machine it comes from: paths, file names, names of the user and the machine."""

from __future__ import annotations

import getpass
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote

from lsprotocol.types import METHOD_TO_TYPES

import gradflow_lsp

_PART = r"""[^\s"'`<>|*?\[\](){},;:=\\/]"""
_REST = rf"(?:[\\/]+{_PART}*)*(?::\d+)*"
_ROOT = r"(?:file:/+|~?/|\\\\|[A-Za-z]:[\\/])"
_FILE = r"[\w.+%-]{1,255}\.(?:pyi?|ipynb|toml|cfg|ini|ya?ml|txt|md|json|csv|npz?|pth?|log)\b(?::\d+)*"
_LINE = re.compile(r"(?::\d+)+$")
_SUFFIX = re.compile(r"\.(?:py|ipynb|toml)$")
_PUBLIC = re.compile(
    r"(?:(?:site|dist)-packages/(?=(?:torch|numpy|pygls|lsprotocol|cattrs|attrs?|psutil)/)|/lib/python3\.\d+/(?!\w+-packages))"
    r"(?P<file>.+)$"
)
"""Files of the packages that we rest on, and of the standard library: where in them something happened may be said."""
_OURS = str(Path(gradflow_lsp.__file__).parent.parent.as_posix()) + "/gradflow_lsp/"


@dataclass(frozen=True)
class Scrubber:
    """Puts other words in the place of what looks like a path or the name of a file, and of given private names.

    `folders` and `words` map what is private to what is shown for it.
    """

    folders: Mapping[str, str]
    words: Mapping[str, str]

    @classmethod
    def of_this_machine(cls, workspace: Path) -> Scrubber:
        """Return one that knows this machine, its user, and the folder that is worked in."""
        try:
            user = getpass.getuser()
        except (OSError, KeyError):  # a user without a name, as in some containers
            user = ""
        home = os.path.expanduser("~")  # noqa: PTH111  never raises
        folders = {str(workspace): "<workspace>", home: "<home>"}
        words = {user: "<user>", platform.node(): "<host>", workspace.name: "<workspace>"}
        return cls(folders, words)

    def __call__(self, text: str) -> str:
        """Return the text without what is private."""
        return self._pattern.sub(self._instead, text)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        forms = {form for folder in self.folders for form in _written(folder)}
        words = {word for word in self.words if word}
        ways = [
            rf"""(?P<quote>["'`])(?P<quoted>{_ROOT}[^"'`\n]*)(?P=quote)""",
            rf"(?P<folder>(?:file:/+)?{_any_of(forms)}{_REST})(?![\w%])",
            rf"(?P<path>{_ROOT}{_PART}*{_REST}|{_PART}{{1,255}}[\\/]+{_PART}*{_REST}|{_FILE})",
            r"(?P<probe>\bgradflow_probe_\w+)",
            rf"(?<!\w)(?P<word>(?i:{_any_of(words)}))(?!\w)",
        ]
        return re.compile("|".join(ways))

    def _instead(self, match: re.Match[str]) -> str:
        if quoted := match["quoted"]:
            return match["quote"] + self._place(quoted) + match["quote"]
        if match["probe"]:
            return "gradflow_probe_<name>"
        if word := match["word"]:
            return next(shown for private, shown in self.words.items() if private.lower() == word.lower())
        path: str = match["folder"] or match["path"]
        return path if path in METHOD_TO_TYPES else self._place(path)

    def _place(self, path: str) -> str:
        """Return what may be said of a path: the known folder it is in, its place in a public package, its suffix."""
        line = found[0] if (found := _LINE.search(path)) else ""
        plain = re.sub(r"[\\/]+", "/", unquote(path[: len(path) - len(line)]).removeprefix("file:"))
        if plain.startswith(_OURS):
            return f"…/gradflow_lsp/{plain.removeprefix(_OURS)}{line}"
        if found := _PUBLIC.search(plain):
            return f"…/{found['file']}{line}"
        start = next((shown for folder, shown in self._longest_first if plain.startswith(folder)), "<path>")
        suffix = found[0] if (found := _SUFFIX.search(plain)) else ""
        return f"{start}/<file>{suffix}{line}" if suffix else start + line

    @cached_property
    def _longest_first(self) -> list[tuple[str, str]]:
        folders = [(re.sub(r"[\\/]+", "/", folder), shown) for folder, shown in self.folders.items()]
        return sorted(folders, key=lambda item: len(item[0]), reverse=True)


def _written(folder: str) -> set[str]:
    """Return the ways in which a folder's path may be written, in messages, in JSON and in URIs."""
    slashes = folder.replace("\\", "/")
    return {folder, folder.replace("\\", "\\\\"), slashes, quote(slashes), quote(slashes, safe="/:")} - {"", "/"}


def _any_of(texts: set[str]) -> str:
    return (
        "(?:" + "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True)) + ")" if texts else r"(?!)"
    )
