"""Which Python files of a folder are the user's own: what git ignores and what environments hold is left out."""

# A scan handles tens of thousands of paths, and plain strings are several times faster than `Path` objects:
# ruff: noqa: PTH100, PTH110, PTH116, PTH118

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

_NEVER = {
    *(".git", ".hg", ".svn", "node_modules", "__pycache__", "site-packages", "dist-packages"),
    *(".venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache"),
}
_ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")


@dataclass(frozen=True)
class _Rule:
    """One ignore pattern. It is asked for every path from the top down, so never about what lies in a match."""

    regex: re.Pattern[str]
    ignores: bool
    for_folders: bool
    for_names: bool


_Rules = tuple[str, list[_Rule]]
"""A folder (with its trailing separator) and the ignore rules that hold below it, the strongest first."""


def decode(data: bytes) -> str:
    """Return the text of a Python file as Python reads it: by BOM or coding comment, else UTF-8.

    Line ends stay as they are. Bytes that do not fit the encoding become U+FFFD; nothing is raised.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding, "replace")
    except (SyntaxError, LookupError, UnicodeError):  # Python could not read the file either
        return data.decode("utf-8-sig", "replace")


def read_source(path: Path) -> str:
    """Return the text of the Python file `path`. Raises `OSError` when it cannot be read."""
    return decode(path.read_bytes())


@lru_cache(maxsize=8192)
def file_key(path: str) -> str:
    """Return what two spellings of a file's path have in common: links resolved, case folded where it is no matter."""
    return os.path.normcase(os.path.realpath(path))


def absolute(path: Path) -> Path:
    """Return `path` from the root of the disk, without `..`, its links kept as they are."""
    return Path(os.path.abspath(path))


class Folder:
    """A workspace folder, and which files in it count.

    `exclude` are further ignore patterns, in the syntax of `.gitignore`, relative to the folder.
    """

    def __init__(self, root: Path, exclude: Sequence[str] = ()) -> None:
        self.root = absolute(root)
        self._outer = self._rules_above(self.root)
        self._exclude: list[_Rules] = [(_below(str(self.root)), _rules_from(exclude))] if exclude else []

    def python_files(self) -> Iterator[str]:
        """Yield the paths of the `.py` files, a folder's own before those of its subfolders.

        Links to folders are followed after everything else and never to a folder that was seen already,
        so a loop ends and a file turns up once, under its own name.
        """
        seen: set[tuple[int, int]] = set()
        pending: list[tuple[str, list[_Rules]]] = [(str(self.root), self._outer)]
        links: list[tuple[str, list[_Rules]]] = []
        while pending or links:
            folder, rules = pending.pop() if pending else links.pop(0)
            try:
                status = os.stat(folder)
                with os.scandir(folder) as scan:
                    entries = sorted(scan, key=lambda entry: entry.name)
            except OSError:
                continue  # gone, or not ours to read
            if (status.st_dev, status.st_ino) in seen or _is_environment({entry.name for entry in entries}):
                continue
            seen.add((status.st_dev, status.st_ino))
            rules = _with_rules_of(folder, rules, any(entry.name == ".gitignore" for entry in entries))
            subfolders: list[tuple[str, list[_Rules]]] = []
            for entry in entries:
                if entry.name.endswith(".py") and _is_file(entry):
                    if not self._leaves_out(entry.path, rules):
                        yield entry.path
                elif entry.name in _NEVER or not _is_folder(entry):
                    continue
                elif not self._leaves_out(entry.path, rules, is_folder=True):
                    (links if entry.is_symlink() else subfolders).append((entry.path, rules))
            pending.extend(reversed(subfolders))

    def holds(self, path: Path) -> bool:
        """Say whether `python_files` would yield `path`, links apart, if it existed."""
        try:
            parts = absolute(path).relative_to(self.root).parts
        except ValueError:
            return False
        folder, rules = str(self.root), self._outer
        for part in parts[:-1]:
            rules = _with_rules_of(folder, rules, os.path.exists(os.path.join(folder, ".gitignore")))
            folder = os.path.join(folder, part)
            marks = {mark for mark in _ENVIRONMENT_MARKS if os.path.exists(os.path.join(folder, mark))}
            if part in _NEVER or _is_environment(marks) or self._leaves_out(folder, rules, is_folder=True):
                return False
        rules = _with_rules_of(folder, rules, os.path.exists(os.path.join(folder, ".gitignore")))
        file = str(self.root.joinpath(*parts))
        return file != folder and file.endswith(".py") and not self._leaves_out(file, rules)

    def _leaves_out(self, path: str, rules: list[_Rules], *, is_folder: bool = False) -> bool:
        if not rules and not self._exclude:
            return False
        return _ignored(path, rules, is_folder) or _ignored(path, self._exclude, is_folder)

    @staticmethod
    def _rules_above(root: Path) -> list[_Rules]:
        """Return the rules of the repository that `root` lies in; none where they ignore `root` itself."""
        above: list[Path] = []
        for folder in (root, *root.parents):
            if folder != root:
                above.append(folder)
            if (folder / ".git").exists():
                break
        else:
            return []
        rules: list[_Rules] = []
        for folder, inner in pairwise([*reversed(above), root]):
            rules = _with_rules_of(str(folder), rules, (folder / ".gitignore").exists())
            if _ignored(str(inner), rules, is_folder=True):
                return []
        return rules


def _below(folder: str) -> str:
    return os.path.join(folder, "")


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_environment(names: set[str]) -> bool:
    return not names.isdisjoint(_ENVIRONMENT_MARKS)


def _with_rules_of(folder: str, rules: list[_Rules], has_any: bool) -> list[_Rules]:
    if not has_any:
        return rules
    try:
        text = Path(folder, ".gitignore").read_bytes().decode("utf-8-sig", "replace")
    except OSError:  # not a file, or not ours to read
        return rules
    return [*rules, (_below(folder), _rules_from(line.removesuffix("\r") for line in text.split("\n")))]


def _rules_from(lines: Iterable[str]) -> list[_Rule]:
    return [rule for rule in map(_rule, lines) if rule][::-1]


def _rule(line: str) -> _Rule | None:
    """Return the rule of a line, none where it is blank, a comment, or a pattern that git would pass over as well."""
    if line.startswith("#"):
        return None
    pattern = re.sub(r"(?<!\\) +$", "", line).removeprefix("!")
    for_folders = pattern.endswith("/")
    # What lies in `sub/**` is whatever has a name below it, and a pattern that holds at any depth is one for names.
    pattern = re.sub(r"(?:^|/)\*\*$", "/**/*", pattern.removesuffix("/"))
    anywhere = re.sub(r"^/?(?:\*\*/)+", "", pattern)
    for_names = "/" not in anywhere
    from pathspec import GitIgnoreSpec  # where nothing is ignored, nothing waits for it

    try:
        [parsed] = GitIgnoreSpec.from_lines([f"/{anywhere}" if for_names else pattern]).patterns
    except (ValueError, re.error):
        return None
    return _Rule(parsed.regex, not line.startswith("!"), for_folders, for_names) if parsed.regex else None


def _ignored(path: str, rules: list[_Rules], is_folder: bool) -> bool:
    for folder, own in reversed(rules):  # the nearest file that says anything decides
        below = path[len(folder) :].replace(os.sep, "/")
        name = below.rpartition("/")[2]
        for rule in own:
            if (is_folder or not rule.for_folders) and rule.regex.fullmatch(name if rule.for_names else below):
                return rule.ignores
    return False
