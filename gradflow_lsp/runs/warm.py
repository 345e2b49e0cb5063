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
        return not self._listening.done()

    async def process(self) -> RunProcess:
        """Fork a run's process. Raises `ConnectionError` when the template has ended."""
        if sys.platform != "linux":
            raise NotImplementedError
        number, fork = next(self._numbers), _Fork()
        (control, our_control), (our_result, result), (our_output, output) = os.pipe(), os.pipe(), os.pipe()
        try:
            socket.send_fds(self._requests, [b"%d" % number], [control, result, output])
        except OSError:
            for fd in (our_control, our_result, our_output):
                os.close(fd)
            raise ConnectionError("the template has ended") from None
        finally:
            for fd in (control, result, output):
                os.close(fd)
        self._forks[number] = fork
        loop = asyncio.get_running_loop()
        writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(our_control, "wb", 0))
        results, result_transport = await _reader(our_result)
        prints, print_transport = await _reader(our_output)

        def close() -> None:
            for transport in (writing, result_transport, print_transport):
                transport.close()

        try:
            async with asyncio.timeout(_FORK_LIMIT):
                pid = await fork.pid
        except BaseException as reason:  # at the end of its control pipe, the child ends by itself
            close()
            if isinstance(reason, TimeoutError):
                kill_tree(self._process.pid)
                await self._listening
                raise ConnectionError("the template no longer answers") from reason
            raise
        return RunProcess(pid, self.ready, writing, results, Tail(prints), fork.exited, close)

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
        try:
            async with asyncio.timeout(_CLOSE_LIMIT):
                await self._listening
                await self._process.wait()
        except TimeoutError:
            kill_tree(self._process.pid)
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


async def _reader(fd: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(fd, "rb", 0))
    return reader, transport
