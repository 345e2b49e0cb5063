"""Which Python files of a folder are the user's own: what git ignores and what environments hold is left out."""

# A scan handles tens of thousands of paths, and plain strings are several times faster than `Path` objects:
# ruff: noqa: PTH100, PTH110, PTH116, PTH118

from __future__ import annotations

import codecs
import io
import os
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

_NEVER = {
    *(".git", ".hg", ".svn", "node_modules", "__pycache__", "site-packages", "dist-packages"),
    *(".venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache"),
}
_ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")

_Rules = tuple[str, GitIgnoreSpec]
"""A folder (with its trailing separator) and the ignore rules that hold below it."""


def decode(data: bytes) -> str:
    """Return the text of a Python file as Python reads it: by BOM or coding comment, else UTF-8.

    Line ends stay as they are. Bytes that do not fit the encoding become U+FFFD; nothing is raised.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:  # an encoding that Python does not know, or a first line that is not in it
        encoding = "utf-8-sig"
    if codecs.lookup(encoding).name == "utf-8" and data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    return data.decode(encoding, "replace")


def read_source(path: Path) -> str:
    """Return the text of the Python file `path`. Raises `OSError` when it cannot be read."""
    return decode(path.read_bytes())


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
        if exclude:
            self._outer.append((_below(str(self.root)), GitIgnoreSpec.from_lines(exclude)))

    def python_files(self) -> Iterator[Path]:
        """Yield the `.py` files, a folder's own before those of its subfolders.

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
                    if not _ignored(entry.path, rules):
                        yield Path(entry.path)
                elif entry.name not in _NEVER and _is_folder(entry) and not _ignored(_below(entry.path), rules):
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
            if part in _NEVER or _is_environment(marks) or _ignored(_below(folder), rules):
                return False
        rules = _with_rules_of(folder, rules, os.path.exists(os.path.join(folder, ".gitignore")))
        return bool(parts) and parts[-1].endswith(".py") and not _ignored(os.path.join(folder, parts[-1]), rules)

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
        for folder in reversed(above):
            rules = _with_rules_of(str(folder), rules, (folder / ".gitignore").exists())
        return [] if _ignored(_below(str(root)), rules) else rules


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
        lines = Path(folder, ".gitignore").read_text("utf-8", "replace").splitlines()
        return [*rules, (_below(folder), GitIgnoreSpec.from_lines(lines))]
    except (OSError, ValueError):  # not a file we may read, or a pattern that git would refuse as well
        return rules


def _ignored(path: str, rules: list[_Rules]) -> bool:
    for folder, spec in reversed(rules):  # the nearest file that says anything decides
        verdict = spec.check_file(path[len(folder) :].replace(os.sep, "/")).include
        if verdict is not None:
            return verdict
    return False
