"""A run's process with everything it started: ending it, and how much memory it takes."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

import psutil

MARK = "GRADFLOW_WORKER"
"""The environment variable by which all that a worker has started can be found."""

_PASSES = 100
"""How often to look for processes that start others: one that is quicker than this cannot be caught."""


def kill_tree(pid: int) -> None:
    """End the process, its group, and all its descendants, at once. Nothing happens where they are gone."""
    doomed = _tree(pid)
    kill_group(pid)
    for process in doomed:
        with contextlib.suppress(psutil.Error):
            process.kill()


def kill_group(leader: int) -> None:
    """End what is left of the process group of `leader`, which itself may have ended (POSIX)."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def kill_marked(mark: str) -> None:
    """End every process in whose environment `mark` is the value of `MARK`, whoever its parent is by now."""
    for _ in range(_PASSES):
        if not _kill_marked_once(mark):
            return


def _kill_marked_once(mark: str) -> bool:
    """End those that are there now; return whether there may be others, started meanwhile."""
    moved = False
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark:
                process.kill()
                moved = True
        except psutil.NoSuchProcess:  # it may have had the mark, and left a child
            moved = True
        except (psutil.Error, OSError):
            continue
    return moved


def crash(pid: int) -> None:
    """Have a run's process end in a crash, in which Python prints the lines that it is at (POSIX)."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGABRT)
            os.kill(pid, signal.SIGCONT)  # should it have been stopped: it takes the other before it goes on


def memory_of(pid: int) -> int:
    """Return the bytes of memory that the process and its descendants hold, shared pages counted once among them."""
    total = 0
    for process in _tree(pid):
        with contextlib.suppress(psutil.Error):
            used = process.memory_full_info()
            total += getattr(used, "pss", used.rss)
    return total


def _tree(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []
