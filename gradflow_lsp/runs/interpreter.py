"""Which Python runs the probes, and why that one."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Interpreter:
    """A command that starts Python, and a phrase for people that says why it was chosen."""

    command: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        return shlex.join(self.command)


def find_interpreter(
    folder: Path | None,
    *,
    setting: str | Sequence[str] | None = None,
    client: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Interpreter:
    """Choose the Python for the probes in `folder` (`None`: no workspace folder is open).

    The first of these that is there: `setting` (a path, absolute or from `folder`, a name on the `PATH`, the folder of
    an environment, or a command as a list), what the `client` passes, the active environment, `.venv` or `venv` in
    `folder`, the Python that runs this. The first two are believed unseen: a run says so where they lead nowhere.
    Symbolic links are kept as they are, since an environment's `python` is one and means that environment.
    """
    if setting:
        words = [setting] if isinstance(setting, str) else list(setting)
        return Interpreter((_program(words[0], folder, environ), *words[1:]), "the setting gradflow.interpreter")
    if client:
        return Interpreter((_program(client, folder, environ),), "chosen in the editor")
    for python, why in _environments(folder, environ):
        if python is not None:
            return Interpreter((str(python),), why)
    return Interpreter((sys.executable,), "the Python that runs gradflow-lsp, as no other was found")


def _environments(folder: Path | None, environ: Mapping[str, str]) -> Iterator[tuple[Path | None, str]]:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if prefix := environ.get(variable):
            yield _python_of(Path(prefix)), f"the active environment ({variable})"
    for name in (".venv", "venv"):
        if folder is not None:
            yield _python_of((folder / name).absolute()), f"the environment in {name}"


def _python_of(environment: Path) -> Path | None:
    """The Python of a virtual or conda environment, `None` where there is none."""
    places = ("Scripts/python.exe", "python.exe") if sys.platform == "win32" else ("bin/python", "bin/python3")
    return next((python for place in places if (python := environment / place).exists()), None)


def _program(word: str, folder: Path | None, environ: Mapping[str, str]) -> str:
    """The program that a person's `word` for it means: a path as written or from `folder`, or a name on the `PATH`."""
    path = Path(word).expanduser()
    if not path.is_absolute():
        path = (folder or Path.cwd()).absolute() / path
    if python := _python_of(path):
        return str(python)
    if not path.is_file() and Path(word).name == word:
        return shutil.which(word, path=environ.get("PATH")) or word
    return os.path.normpath(path)
