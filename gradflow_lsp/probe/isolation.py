"""What keeps a run's process and everything else apart: pipes out of the user's reach, a process group, a sure end.

POSIX gives all of it. On Windows there are no process groups here: only the process itself ends with its starter.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import os
import random
import select
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path

from .report import JsonValue

if sys.platform != "win32":
    import fcntl
    import resource

_write, _own_pid = os.write, os.getpid  # bound here: user code may replace them while it runs
_to_json = json.JSONEncoder(allow_nan=False).encode

_OUT_OF_REACH = 200
"""File descriptors from here on survive what programs do to the small ones; below the 256 that macOS allows."""


class Channel:
    """Writes JSON lines to whoever started this process. Threads may share it.

    `exposed` says that user code runs in this process, which may write to the descriptor as well.
    """

    def __init__(self, fd: int) -> None:
        self.exposed = False
        self._fd = fd
        self._process = _own_pid()
        self._lock = threading.Lock()

    def send(self, **message: JsonValue) -> None:
        """Write one line. A process that nobody listens to any more ends here."""
        if _own_pid() != self._process:
            os._exit(0)  # a copy that the user's code forked and then let return: only the original has a say
        start = b"\n" if self.exposed else b""  # after whatever others have written
        line = memoryview(start + _to_json(message).encode() + b"\n")
        with self._lock:
            try:
                while line:
                    line = line[_write(self._fd, line) :]
            except BrokenPipeError:
                end_group()

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._fd)


def keep(fd: int) -> int:
    """Return a duplicate of `fd` that lies out of the user's reach and that no child program inherits."""
    if sys.platform != "win32":
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_REACH)
    return os.dup(fd)


def shelter(control: int, result: int, output: int) -> tuple[int, int]:
    """Return `control` and `result` kept out of reach; leave nothing on standard input and `output` on 1 and 2."""
    kept = keep(control), keep(result)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    for fd in {control, result, output, nothing} - {0, 1, 2}:
        os.close(fd)
    return kept


def lead_group() -> None:
    """Make this process the leader of a session and process group of its own."""
    if sys.platform != "win32":
        with contextlib.suppress(PermissionError):  # it already leads one
            os.setsid()


def end_group() -> None:
    """End this process and its group at once."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def die_with_parent(yes: bool = True) -> None:
    """Have the kernel end this process when its parent ends (Linux only), or no longer have it so."""
    if sys.platform == "linux":
        _prctl(1, signal.SIGKILL if yes else 0)  # PR_SET_PDEATHSIG


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that they stay where they are found (Linux only)."""
    if sys.platform == "linux":
        _prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def stand_guard(control: int, result: int) -> None:
    """Go on in a child of this process, which stays behind and sees that nothing outlives the child (Linux only).

    When the child ends, or `control` does and with it whoever wanted the run, this process ends all that the child has
    started, wherever it has gone to, and then ends as the child did.
    """
    if sys.platform != "linux":
        return
    ended, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # any handler will do: it makes Python write to `wake`
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    child = os.fork()
    if child == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(ended)
        os.close(wake)
        lead_group()
        die_with_parent()
        return
    adopt_orphans()
    die_with_parent(False)  # from here on `control` tells
    for fd in (1, 2, result):  # the child's alone
        os.close(fd)
    events = select.poll()
    events.register(control, 0)  # nothing but its end
    events.register(ended, select.POLLIN)
    exits: dict[int, int] = {}
    while child not in exits:
        if any(fd == control for fd, _ in events.poll()):
            os.kill(child, signal.SIGKILL)
        with contextlib.suppress(BlockingIOError):
            os.read(ended, 4096)
        _bury(exits)
    while remaining := children():
        for pid in remaining:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os.waitpid(-1, 0)
    if os.WIFSIGNALED(exits[child]):
        number = os.WTERMSIG(exits[child])
        with contextlib.suppress(OSError):  # nobody can change what SIGKILL does
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(exits[child]))


def _bury(exits: dict[int, int]) -> None:
    with contextlib.suppress(ChildProcessError):
        while (dead := os.waitpid(-1, os.WNOHANG))[0]:
            exits[dead[0]] = dead[1]


def children() -> list[int]:
    """Return the numbers of this process's children, adopted ones too (Linux; empty where the kernel hides them)."""
    try:
        return [int(pid) for pid in Path("/proc/thread-self/children").read_text().split()]
    except OSError:
        return []


def _prctl(option: int, value: int) -> None:
    import ctypes

    with contextlib.suppress(OSError, AttributeError):  # a libc without it: the control pipe still ends the process
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def lines(fd: int) -> Iterator[bytes]:
    """Yield the lines that arrive on `fd` until it ends."""
    buffer = b""
    while True:
        line, newline, rest = buffer.partition(b"\n")
        if newline:
            buffer = rest
            yield line
        elif chunk := os.read(fd, 65536):
            buffer += chunk
        else:
            return


def answer_until_the_end(control: Iterator[bytes], answer: Callable[[], None]) -> threading.Thread:
    """Call `answer` for every further line of `control`, on a thread of its own; at its end, end this process."""

    def watch() -> None:
        if sys.platform != "win32":  # signals are for the thread that the user's code runs on
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        with contextlib.suppress(OSError):
            for _ in control:
                with contextlib.suppress(Exception):  # it may need what user code has replaced just now
                    answer()
        end_group()

    thread = threading.Thread(target=watch, name="gradflow control", daemon=True)
    thread.start()
    return thread


def look_like_a_fresh_interpreter(path: str, folder: str) -> None:
    """Give the user's code the surroundings it would find when started by hand: `path` as `argv`, `folder` as cwd."""
    sys.argv = [path]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # for what the user's code starts: nothing is written beside its files
    with contextlib.suppress(OSError):  # the file may be unsaved, its folder not there
        os.chdir(folder)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    with contextlib.suppress(OSError):  # a crash in native code then prints the Python lines that led to it
        faulthandler.enable(keep(2))
    if sys.platform != "win32":  # and leaves no file
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def seed_everything(seed: int) -> None:
    """Seed every random generator that model code draws from: `random`, numpy where it is installed, torch."""
    import torch

    random.seed(seed)
    torch.manual_seed(seed)
    with contextlib.suppress(ImportError):
        import numpy

        numpy.random.seed(seed % 2**32)


def flush_output() -> None:
    """Push out what the user's code has printed so far."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # the user's code may have closed them, or put anything in their place
            stream.flush()
