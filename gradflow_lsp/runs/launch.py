"""Starts a process in the user's interpreter that has torch imported and waits for one request.

Everything that runs a probe comes from here: `spawn` starts an interpreter for one run; `kept.py` has what keeps one
ready, by forking runs from it (Linux) or by having the next one wait (Windows and macOS, where it is not tested).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradflow_lsp.probe import bootstrap
from gradflow_lsp.runs import failures
from gradflow_lsp.runs.carried import LOADER, baggage
from gradflow_lsp.runs.elsewhere import Elsewhere
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.surroundings import environment_for
from gradflow_lsp.runs.tree import MARK, kill_group, kill_tree

START_LIMIT = 180.0
"""Seconds that an interpreter may take to import torch: a cold disk is slow, and no fault of the user's."""

LONGEST_LINE = 2**28
"""Bytes that one line of JSON may have: a report of a very large model."""

_KEPT = 65536
_END_LIMIT = 5.0


@dataclass(frozen=True)
class Ready:
    """What an interpreter says of itself once it has imported torch, and what it was told to import ahead.

    `doubts` are the packages, each with the reason, through which runs in it would not be as in a fresh one. `depends`
    maps the files and folders that make its environment to their times in ns.
    """

    python: str
    torch: str
    interpreter: str
    pid: int
    """Its process: not always the one that was started, as that may stay behind as its guard."""
    doubts: Sequence[tuple[str, str]]
    depends: Mapping[str, int]

    def is_outdated(self) -> bool:
        """Whether something was installed or removed since. Looks at the disk."""
        return any(_changed_at(path) != time for path, time in self.depends.items())


@dataclass(eq=False)
class RunProcess:
    """A process that waits for one request on `control`, answers on `result`, and whose prints arrive in `output`."""

    pid: int
    ready: Ready
    control: asyncio.WriteTransport
    result: asyncio.StreamReader
    output: Tail
    exited: asyncio.Future[int | None]
    """The exit status, once the process and its group have ended: negative for a signal, `None` if nobody saw it."""
    close: Callable[[], None] = field(default=lambda: None)
    place: Elsewhere | None = None
    """Where it runs, if not here: `pid` is then the launcher's."""

    async def end(self) -> None:
        """End the process with everything it started, and wait until it has ended."""
        if not self.exited.done():
            kill_tree(self.pid)
        self.control.close()
        try:
            await asyncio.wait({self.exited}, timeout=_END_LIMIT)
            await self.output.finish()
        finally:  # also where the run is cancelled at this very moment
            self.output.close()
            self.close()


class Tail:
    """The last 64 KiB that arrive on a stream; the rest is read and dropped, so that a flood blocks nobody.

    What is kept is `translated` before anybody reads it.
    """

    def __init__(self, stream: asyncio.StreamReader, translated: Callable[[str], str] = str) -> None:
        self._bytes = bytearray()
        self._translated = translated
        self._reading = asyncio.create_task(self._read(stream))

    @property
    def text(self) -> str:
        """What is kept, as text."""
        return self._translated(self._bytes.decode("utf-8", errors="replace").replace("\r\n", "\n"))

    async def finish(self) -> None:
        """Wait for what is still in the pipe; not for a writer that has escaped."""
        await asyncio.wait({self._reading}, timeout=1.0)
        self.close()

    def close(self) -> None:
        """Read no more."""
        self._reading.cancel()

    async def _read(self, stream: asyncio.StreamReader) -> None:
        while chunk := await stream.read(_KEPT):
            self._bytes += chunk
            del self._bytes[:-_KEPT]


async def spawn(interpreter: Interpreter, ahead: Sequence[str] = ()) -> RunProcess:
    """Start an interpreter for one run, with some modules imported. Raises `LaunchFailed`."""
    process, place = await start(interpreter, "once", stdin=PIPE), interpreter.place
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    if place is not None:
        process.stdin.write(baggage())
    process.stdin.write(json.dumps(ahead).encode() + b"\n")
    output = Tail(process.stderr, str if place is None else place.text)
    ready = await greet(process, interpreter, output)
    return RunProcess(
        ready.pid if place is None else process.pid,
        ready,
        process.stdin.transport,
        process.stdout,
        output,
        asyncio.create_task(_end_of(process)),
        place=place,
    )


async def _end_of(process: Process) -> int | None:
    exit_status = await process.wait()
    kill_group(process.pid)
    return exit_status


async def start(interpreter: Interpreter, way: str, stdin: int, mark: str = "") -> Process:
    """Start the worker in `interpreter`, in one of its two ways, with a mark. Raises `LaunchFailed`.

    Where it is started elsewhere, it waits for its `baggage()` first.
    """
    script = [bootstrap.__file__, way] if interpreter.place is None else ["-c", LOADER, way, str(len(baggage()))]
    try:
        return await asyncio.create_subprocess_exec(
            *interpreter.called(*script),
            stdin=stdin,
            stdout=PIPE,
            stderr=PIPE,
            limit=LONGEST_LINE,
            env={**environment_for(interpreter), MARK: mark},
            start_new_session=True,
        )
    except OSError as reason:
        raise failures.no_interpreter(interpreter, reason) from reason


async def greet(process: Process, interpreter: Interpreter, output: Tail) -> Ready:
    """Wait until a started worker has imported torch. Raises `LaunchFailed`, and then the process has ended."""
    try:
        async with asyncio.timeout(START_LIMIT):
            return await _greet(process, interpreter, output)
    except BaseException as failure:
        if process.returncode is None:
            kill_tree(process.pid)
            await asyncio.wait({asyncio.create_task(process.wait())}, timeout=_END_LIMIT)
        if isinstance(failure, TimeoutError):
            raise failures.not_ready(interpreter, START_LIMIT, output.text) from failure
        raise


async def _greet(process: Process, interpreter: Interpreter, output: Tail) -> Ready:
    assert process.stdout is not None
    while line := await process.stdout.readline():
        match parsed(line):
            case {"ready": dict(ready)}:
                return Ready(**ready)
            case {"failed": {"kind": "no-torch", "detail": detail, "python": python}}:
                await output.finish()
                raise failures.no_torch(interpreter, detail, python, output.text)
            case {"failed": {"python": python}}:
                raise failures.too_old(interpreter, python)
    exit_status = await process.wait()  # other lines are what the interpreter's own start-up files print
    await output.finish()
    raise failures.ended_early(interpreter, exit_status, output.text)


def _changed_at(path: str) -> int | None:
    with contextlib.suppress(OSError):
        return Path(path).stat().st_mtime_ns
    return None


def parsed(line: bytes) -> Any:
    """Return the JSON value in a line, `None` where it has none."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(line)
    return None
