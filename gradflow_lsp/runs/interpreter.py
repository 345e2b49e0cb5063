"""Which Python runs the probes, why that one, and how to have another."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from gradflow_lsp.runs.elsewhere import Elsewhere
from gradflow_lsp.runs.environments import is_conda_base, python_in
from gradflow_lsp.runs.projects import Found, pythons_of

SETTING = "the setting gradflow.interpreter"
_CHANGE = "set gradflow.interpreter, or --python on the command line"
_CHANGE_THERE = "change gradflow.launcher, or gradflow.interpreter for the Python there"


@dataclass(frozen=True)
class Interpreter:
    """A command that starts Python, and phrases for people: why it was chosen, and what to do to have another.

    `place` says where it is started, if not simply here. `passed_over` has a sentence for each thing that came before
    it and leads nowhere.
    """

    command: tuple[str, ...]
    why: str
    place: Elsewhere | None = field(default=None, kw_only=True)
    change: str = field(default=_CHANGE, compare=False)
    passed_over: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return shlex.join(self.called())

    def called(self, *arguments: str) -> list[str]:
        """Return the words of a call of it with some arguments, the launcher's among them."""
        words = [*self.command, *arguments]
        return words if self.place is None else self.place.command(words)

    @property
    def trouble(self) -> str | None:
        """What keeps the command from being started, as far as looking at it tells; a clause without a full stop."""
        first = self.called()[0]
        program = Path(first)
        if not program.name or first == program.name:
            return None if shutil.which(first) else f"there is no program {first} on the PATH"
        if program.is_symlink() and not program.exists():
            return f"it is a link to {program.readlink()}, which is gone, so its environment has to be made anew"
        if not program.exists():
            return "no such file"
        if program.is_dir():
            return "it is a folder without a Python in it"
        return None if os.access(program, os.X_OK) else "it may not be executed"


def find_interpreter(
    folder: Path | None,
    *,
    setting: str | Sequence[str] | None = None,
    origin: str | None = None,
    client: str | Sequence[str] | None = None,
    launcher: Sequence[str] | None = None,
    mappings: Mapping[str, str] = MappingProxyType({}),
    environ: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> Interpreter:
    """Choose the Python for the probes in `folder` (`None`: no workspace folder is open).

    The first of these: `setting` (a path, absolute or from `folder`, a name on the `PATH`, the folder of an
    environment, or a command as a list; `origin` says for people where it is written), what the `client` passes in the
    same ways, the active environment, the project's own (see `projects`), conda's base environment where that is
    active, the Python that runs this. The first two are believed unseen, and `Interpreter.trouble` tells where they
    lead nowhere; others that lead nowhere are passed over.

    With a `launcher` it is that which starts the Python. Where paths there are others than here (`mappings`, from there
    to here), nothing here tells which Python that may be: it is `setting` as it is written, or `python3`.
    """
    resolve = _Words(folder, environ, platform)
    if launcher:
        words = tuple(map(resolve.expand, launcher))
        place = Elsewhere(words, tuple((there, resolve.expand(here)) for there, here in mappings.items()))
        if mappings:
            command = (setting,) if isinstance(setting, str) else tuple(setting or ("python3",))
            why = _of_setting(origin)[0] if setting else "the Python that is there"
            return Interpreter(command, why, _CHANGE_THERE, place=place)
        here = find_interpreter(
            folder, setting=setting, origin=origin, client=client, environ=environ, platform=platform
        )
        return replace(here, change=_CHANGE_THERE, place=place)
    if setting:
        return Interpreter(resolve.command(setting), *_of_setting(origin))
    if client:
        change = "select another one there, or set gradflow.interpreter"
        return Interpreter(resolve.command(client), "chosen in the editor", change)
    passed_over: list[str] = []
    for python, why in _found(folder, environ, platform):
        if os.path.lexists(python):
            return Interpreter((str(python.absolute()),), why, passed_over=tuple(passed_over))
        passed_over.append(f"{python} is not there, so {why} was passed over.")
    change = f"make a .venv in the workspace folder, or {_CHANGE}"
    why = "the Python that runs gradflow-lsp, as no other was found"
    return Interpreter((sys.executable,), why, change, tuple(passed_over))


def _of_setting(origin: str | None) -> tuple[str, str]:
    if origin is None:
        return SETTING, _CHANGE
    if origin.startswith("the flag"):
        return origin, "pass a different one to --python"
    return f"the setting interpreter in {origin}", f"change it in {origin}"


def _found(folder: Path | None, environ: Mapping[str, str], platform: str) -> Iterator[Found]:
    def active(variable: str) -> Found:
        prefix = Path(environ[variable])
        return python_in(prefix, platform) or prefix / "bin/python", f"the active environment ({variable})"

    conda = environ.get("CONDA_PREFIX")
    base = bool(conda) and is_conda_base(Path(conda or ""))
    if environ.get("VIRTUAL_ENV"):
        yield active("VIRTUAL_ENV")
    if conda and not base:
        yield active("CONDA_PREFIX")
    if folder is not None:
        yield from pythons_of(folder, environ, platform)
    if conda and base:
        yield active("CONDA_PREFIX")


@dataclass(frozen=True)
class _Words:
    """What the words of a setting mean to a person who works in a folder."""

    folder: Path | None
    environ: Mapping[str, str]
    platform: str

    def command(self, words: str | Sequence[str]) -> tuple[str, ...]:
        """Return the command that is meant by a path, or by a list of words."""
        program, *arguments = [words] if isinstance(words, str) else words
        return self.program(program), *map(self.expand, arguments)

    def program(self, word: str) -> str:
        """Return the program that a word names: a path as written or from the folder, or a name on the `PATH`."""
        word = self.expand(word)
        path = (self.folder or Path.cwd()).absolute() / word
        if python := python_in(path, self.platform):
            return str(python)
        if not path.is_file() and Path(word).name == word:
            on_path = shutil.which(word, path=self.environ.get("PATH"))
            return on_path or (str(path) if path.is_dir() else word)
        return os.path.normpath(path)

    def expand(self, word: str) -> str:
        """Put in what `~` and variables stand for, as shells and VS Code write them; unknown ones stay as they are."""

        def value(match: re.Match[str]) -> str:
            name = next(filter(None, match.groups()))
            if name in ("workspaceFolder", "workspaceRoot"):
                return str(self.folder or Path.cwd())
            home = "~" if name == "userHome" else match[0]
            return self.environ.get(name.removeprefix("env:"), home)

        return os.path.expanduser(_VARIABLE.sub(value, word))  # noqa: PTH111  pathlib's drops a leading ./ and may raise


_VARIABLE = re.compile(r"\$\{((?:env:)?\w+)\}|\$(\w+)|%(\w+)%")
