"""What stands ready for the next runs in one interpreter, and what it has imported by then.

The first process has torch. The runs say which installed packages they needed beside it; where that is worth the
while, a process with those takes the first one's place. It goes as well when the environment changes.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterable, Sequence
from itertools import accumulate, takewhile
from typing import Literal, Protocol, Self

from gradflow_lsp.runs import failures
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.launch import Ready, RunProcess, spawn
from gradflow_lsp.runs.spare import Spare
from gradflow_lsp.runs.warm import Template

Way = Literal["fork", "spare", "none"]
"""How processes are kept: one that forks, one that waits to be used, or none."""

BEST_WAY: Way = "fork" if sys.platform == "linux" else "spare"

_ATTEMPTS = 3
_MOST_AHEAD = 120_000
"""Characters of modules' names: two or three thousand modules, and what fits in one message to a template."""
_WORTHWHILE = 30
"""So many modules that runs had to import themselves: about 50 ms of each run. Another process costs seconds, once."""

log = logging.getLogger(__name__)


class Kept(Protocol):
    """A process or two that have torch imported, and where runs come from."""

    ready: Ready

    @classmethod
    async def start(cls, interpreter: Interpreter, ahead: Sequence[str]) -> Self:
        """Start one and wait until it is ready. Raises `LaunchFailed`."""

    @property
    def alive(self) -> bool:
        """Whether more runs can come from it."""

    async def process(self) -> RunProcess:
        """Return a new run's process. Raises `ConnectionError` when it has ended, or `LaunchFailed`."""

    async def retire(self) -> None:
        """End it once the runs that came from it have ended."""

    async def close(self) -> None:
        """End it at once, and with it the runs that came from it."""


_KINDS: dict[Way, type[Kept]] = {"fork": Template, "spare": Spare}


class Supply:
    """The source of processes for runs in one interpreter."""

    def __init__(self, interpreter: Interpreter, way: Way) -> None:
        self._interpreter = interpreter
        self._kind = _KINDS.get(way)
        self._kept: asyncio.Task[Kept] | None = None
        self._renewing: asyncio.Task[None] | None = None
        self._needed: dict[object, tuple[str, ...]] = {}
        self._doubted: set[str] = set()
        self._imported: frozenset[str] = frozenset()
        self._retired: set[asyncio.Task[None]] = set()

    @property
    def keeps_something(self) -> bool:
        """Whether there is a process that waits for runs."""
        return self._kept is not None

    async def process(self) -> RunProcess:
        """Return a process for one run. Raises `LaunchFailed`."""
        if self._kind is None:
            return await spawn(self._interpreter)
        for _ in range(_ATTEMPTS):
            kept = await self._ready()
            try:
                return await kept.process()
            except ConnectionError:  # it has ended since; the next one is a new one
                continue
        raise failures.ended_early(self._interpreter, None, "")

    def learn(self, probe: object, imported: Iterable[str]) -> None:
        """Take note of the installed modules that a probe's latest run had to import."""
        self._needed[probe] = tuple(dict.fromkeys((*self._needed.pop(probe, ()), *imported)))

    def renew(self) -> None:
        """Where it is worth the while, start a process with what the latest runs needed, in the present one's place.

        To be called when nothing else goes on.
        """
        ahead = self._ahead()
        busy = self._renewing is not None and not self._renewing.done()
        if self._kept is not None and not busy and len(set(ahead) - self._imported) >= _WORTHWHILE:
            self._renewing = asyncio.create_task(self._renew())

    async def close(self) -> None:
        """End everything that is kept, and the runs that came from it."""
        tasks = [task for task in (self._renewing, self._kept, *self._retired) if task is not None]
        kept, self._kept, self._renewing = self._kept, None, None
        for task in tasks:
            task.cancel()  # those that are still importing torch
        await asyncio.gather(*tasks, return_exceptions=True)
        if kept is not None and not kept.cancelled() and kept.exception() is None:
            await kept.result().close()

    async def _ready(self) -> Kept:
        starting = self._kept
        if starting is not None and starting.done() and not await self._is_of_use(starting):
            if self._kept is starting:  # nobody else has found out meanwhile
                self._let_go(starting)
                self._kept = None
            starting = self._kept
        if starting is None:
            starting = self._kept = asyncio.create_task(self._start())
        return await asyncio.shield(starting)  # others may wait for it, or come to want it

    async def _is_of_use(self, started: asyncio.Task[Kept]) -> bool:
        if started.cancelled() or started.exception() is not None or not started.result().alive:
            return False
        return not await asyncio.to_thread(started.result().ready.is_outdated)

    def _let_go(self, started: asyncio.Task[Kept]) -> None:
        if not started.cancelled() and started.exception() is None:
            task = asyncio.create_task(started.result().retire())
            self._retired.add(task)
            task.add_done_callback(self._retired.discard)

    async def _start(self) -> Kept:
        assert self._kind is not None
        for _ in range(_ATTEMPTS):
            ahead = self._ahead()
            kept = await self._kind.start(self._interpreter, ahead)
            if not kept.ready.doubts:
                self._imported = frozenset(ahead)
                return kept
            await kept.close()
            for package, why in kept.ready.doubts:
                log.info("%s is not imported ahead of runs: %s", package, why)
                self._doubted.add(package)
        self._imported = frozenset()
        return await self._kind.start(self._interpreter, [])

    async def _renew(self) -> None:
        before, task = self._kept, asyncio.create_task(self._start())
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise
        except failures.LaunchFailed as failure:
            log.info("the interpreter is not started anew: %s", failure.error.message)
            return
        if self._kept is before:
            self._kept = task
            if before is not None:
                self._let_go(before)

    def _ahead(self) -> list[str]:
        """The modules that the runs needed, the latest first, each run's in the order of its imports."""
        names = dict.fromkeys(name for needed in reversed(self._needed.values()) for name in needed)
        wanted = [name for name in names if name.partition(".")[0] not in self._doubted]
        fitting = takewhile(lambda size: size <= _MOST_AHEAD, accumulate(len(name) + 4 for name in wanted))
        return wanted[: len(list(fitting))]
