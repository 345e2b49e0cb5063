"""What a run may leave behind: files, and processes, found by a mark in their environment wherever they are."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import psutil

MARK = "GRADFLOW_FAULT"


def marked(mark: str) -> list[psutil.Process]:
    """Return all processes with this mark, in whatever session they are and whoever their parent is by now."""
    entry = f"{MARK}={mark}".encode()
    return [process for process in _processes() if entry in _environment(process)]


def strays(mark: str, expected: Collection[int]) -> list[psutil.Process]:
    """Return the marked processes besides the `expected`, and the corpses that a marked one has not waited for."""
    there = marked(mark)
    parents = {process.pid for process in there}
    return [
        *(process for process in there if process.pid not in expected),
        *(process for process in _processes() if _parent_of_corpse(process) in parents),
    ]


def wait_until_gone(mark: str, expected: Callable[[], Collection[int]], patience: float) -> list[psutil.Process]:
    """Wait until there are no strays, `patience` seconds at most; return those that are left.

    `expected` is asked each time: a server may replace what it keeps.
    """
    end = time.monotonic() + patience
    while (left := strays(mark, expected())) and time.monotonic() < end:
        psutil.wait_procs(left, timeout=0.1)
    return left


def end_all(mark: str) -> None:
    """Kill whatever has the mark, again and again until nothing has."""
    while there := marked(mark):
        for process in there:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(there, timeout=1)


def files_in(*folders: Path) -> dict[str, str]:
    """Return everything below the folders by path, with what it is or its content's digest.

    Left out is the folder in which torch keeps what it compiles, which it makes without being asked.
    """
    paths = (path for folder in folders for path in sorted(folder.rglob("*")))
    return {str(path): _content(path) for path in paths if "torchinductor_" not in str(path)}


def _processes() -> Iterator[psutil.Process]:
    for pid in psutil.pids():
        with contextlib.suppress(psutil.NoSuchProcess):
            yield psutil.Process(pid)


def _environment(process: psutil.Process) -> list[bytes]:
    with contextlib.suppress(OSError):  # it has ended, or belongs to somebody else
        return Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    return []


def _parent_of_corpse(process: psutil.Process) -> int | None:
    """The parent of a process that has ended and that nobody has waited for; `None` for one that lives."""
    with contextlib.suppress(psutil.NoSuchProcess):
        if process.status() == psutil.STATUS_ZOMBIE:
            return process.ppid()
    return None


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else f"mode {path.stat().st_mode:o}"
