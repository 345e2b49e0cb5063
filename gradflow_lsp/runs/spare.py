"""A spare interpreter: one that has torch imported and waits, is used for one run, and is replaced at once.

For systems on which a process cannot be forked: macOS's own libraries do not survive it, and Windows has no fork.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from gradflow_lsp.runs.failures import LaunchFailed
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.launch import Ready, RunProcess, spawn


class Spare:
    """The interpreter that waits for the next run; another is started when that run ends."""

    def __init__(self, interpreter: Interpreter, ahead: Sequence[str], first: RunProcess) -> None:
        self.ready: Ready = first.ready
        self._interpreter = interpreter
        self._ahead = ahead
        self._waiting: asyncio.Future[RunProcess] | None = asyncio.get_running_loop().create_future()
        self._waiting.set_result(first)
        self._used: set[RunProcess] = set()
        self._over = False

    @classmethod
    async def start(cls, interpreter: Interpreter, ahead: Sequence[str]) -> Spare:
        """Start an interpreter and wait until it has imported torch. Raises `LaunchFailed`."""
        return cls(interpreter, ahead, await spawn(interpreter, ahead))

    @property
    def alive(self) -> bool:
        """Whether runs can come from it: whatever becomes of one process, the next is another."""
        return not self._over

    async def process(self) -> RunProcess:
        """Return the process that waits. Raises `LaunchFailed`, and `ConnectionError` where it has died meanwhile."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            process = await spawn(self._interpreter, self._ahead)
        else:
            try:
                process = await waiting
            except LaunchFailed as failure:
                raise ConnectionError("the process that was to wait has not started") from failure
            if process.exited.done():
                raise ConnectionError("the process that waited has ended")
        self._used.add(process)
        process.exited.add_done_callback(lambda _: self._was_used(process))
        return process

    async def retire(self) -> None:
        """End the process that waits; those of the runs that go on end with them."""
        self._over = True
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.cancel()
            (process,) = await asyncio.gather(waiting, return_exceptions=True)
            if isinstance(process, RunProcess):
                await process.end()

    async def close(self) -> None:
        """End the process that waits, and those of the runs that go on."""
        await asyncio.gather(self.retire(), *(process.end() for process in self._used))

    def _was_used(self, process: RunProcess) -> None:
        self._used.discard(process)
        if not self._over and self._waiting is None:
            self._waiting = asyncio.ensure_future(spawn(self._interpreter, self._ahead))
