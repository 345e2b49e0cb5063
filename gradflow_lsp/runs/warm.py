"""A warm interpreter: torch is imported once, and each run is a fork of it, clean of any other run's modules.

Linux only: macOS's system libraries do not survive a fork, and Windows has none.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import socket
import sys
import uuid
from asyncio.subprocess import Process
from collections.abc import Sequence

from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.launch import LONGEST_LINE, Ready, RunProcess, Tail, greet, start
from gradflow_lsp.runs.tree import kill_marked, kill_tree

_CLOSE_LIMIT = 2.0
_FORK_LIMIT = 10.0
"""Seconds that a fork may take: usually a few milliseconds."""


class Template:
    """The server's end of a template process (see `probe/template.py`)."""

    def __init__(self, process: Process, mark: str, ready: Ready, requests: socket.socket, output: Tail) -> None:
        self.ready: Ready = ready
        self._process = process
        self._mark = mark
        self._requests = requests
        self._output = output
        self._forks: dict[int, _Fork] = {}
        self._numbers = itertools.count(1)
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, interpreter: Interpreter, ahead: Sequence[str]) -> Template:
        """Start a template and wait until it has imported torch and some modules. Raises `LaunchFailed`."""
        if sys.platform != "linux":
            raise NotImplementedError
        mark = uuid.uuid4().hex
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        try:
            with theirs:
                ours.send(json.dumps(ahead).encode())
                process = await start(interpreter, "template", stdin=theirs.fileno(), mark=mark)
            assert process.stderr is not None
            output = Tail(process.stderr)
            ready = await greet(process, interpreter, output)
        except BaseException:
            ours.close()
            raise
        return cls(process, mark, ready, ours, output)

    @property
    def alive(self) -> bool:
        """Whether runs can be forked."""
        return self._requests.fileno() != -1

    async def process(self) -> RunProcess:
        """Fork a run's process. Raises `ConnectionError` when the template has ended."""
        if sys.platform != "linux":
            raise NotImplementedError
        number, fork = next(self._numbers), _Fork()
        with contextlib.ExitStack() as ours:  # a child whose control pipe ends, ends by itself
            with contextlib.ExitStack() as theirs:
                control, writing = await _control(ours, theirs)
                result, results = await _reader(ours, theirs)
                output, prints = await _reader(ours, theirs)
                try:
                    socket.send_fds(self._requests, [b"%d" % number], [control, result, output])
                except OSError:
                    raise ConnectionError("the template has ended") from None
            self._forks[number] = fork
            try:
                async with asyncio.timeout(_FORK_LIMIT):
                    pid = await fork.pid
            except TimeoutError as reason:
                kill_tree(self._process.pid)
                await asyncio.wait({self._listening})
                raise ConnectionError("the template no longer answers") from reason
            return RunProcess(pid, self.ready, writing, results, Tail(prints), fork.exited, ours.pop_all().close)

    async def retire(self) -> None:
        """End the template once its runs have ended."""
        try:
            while self._forks:
                await asyncio.wait({fork.exited for fork in self._forks.values()})
        finally:
            await self.close()

    async def close(self) -> None:
        """End the template with all its runs."""
        self._requests.close()
        ended = asyncio.gather(self._listening, self._process.wait())
        _, late = await asyncio.wait({ended}, timeout=_CLOSE_LIMIT)
        if late:
            kill_tree(self._process.pid)
            await asyncio.wait({ended}, timeout=_CLOSE_LIMIT)
        await self._output.finish()

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError):  # half a line: the template was killed
            while line := await self._process.stdout.readline():
                self._hear(json.loads(line))
        self._requests.close()
        lost, self._forks = self._forks, {}
        if lost:  # nobody is left who could end what those runs have started
            await asyncio.to_thread(kill_marked, self._mark)
        for fork in lost.values():
            fork.lose()

    def _hear(self, message: dict[str, int]) -> None:
        match message:
            case {"run": number, "pid": pid}:
                self._forks[number].settle_pid(pid)
            case {"run": number, "exit": exit_status}:
                self._forks.pop(number).exited.set_result(exit_status)


class _Fork:
    """What the template has said of one run so far."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.pid: asyncio.Future[int] = loop.create_future()
        self.exited: asyncio.Future[int | None] = loop.create_future()

    def settle_pid(self, pid: int) -> None:
        """Learn the process's number."""
        if not self.pid.done():  # it may have been cancelled
            self.pid.set_result(pid)

    def lose(self) -> None:
        """The template has ended, and with it whoever could see how the run ends."""
        if self.pid.done() and not self.pid.cancelled():
            kill_tree(self.pid.result())
        elif not self.pid.done():
            self.pid.set_exception(ConnectionError("the template has ended"))
        self.exited.set_result(None)


async def _control(ours: contextlib.ExitStack, theirs: contextlib.ExitStack) -> tuple[int, asyncio.WriteTransport]:
    """Return the reading end of a new pipe and a transport for the other; the stacks close them."""
    fd, our_fd = os.pipe()
    theirs.callback(os.close, fd)
    transport, _ = await asyncio.get_running_loop().connect_write_pipe(asyncio.BaseProtocol, os.fdopen(our_fd, "wb", 0))
    ours.callback(transport.close)
    return fd, transport


async def _reader(ours: contextlib.ExitStack, theirs: contextlib.ExitStack) -> tuple[int, asyncio.StreamReader]:
    """Return the writing end of a new pipe and a reader of the other; the stacks close them."""
    our_fd, fd = os.pipe()
    theirs.callback(os.close, fd)
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(our_fd, "rb", 0))
    ours.callback(transport.close)
    return fd, reader
