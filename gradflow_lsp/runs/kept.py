"""What stands ready for the next runs in one interpreter, and what it has imported by then.

The first process has torch. The runs say which installed modules they needed beside it; where that is worth the
while, a second process has those of the latest probe. It serves probes that need all of these modules, so that none
meets what only another has imported. Both go when the environment changes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Any, Literal, Protocol, Self

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
        self.interpreter = interpreter
        self._kind = _KINDS.get(way) if interpreter.place is None else None  # what waits elsewhere may cost there
        self._plain = _Holder()
        self._rich = _Holder()
        self._imported: frozenset[str] = frozenset()
        self._renewing: asyncio.Task[None] | None = None
        self._needed: dict[object, tuple[str, ...]] = {}
        self._before: frozenset[str] | None = None
        self._doubted: set[str] = set()
        self._unsuited: set[object] = set()
        self._users = 0
        self._unused = asyncio.Event()

    @contextlib.contextmanager
    def in_use(self) -> Iterator[Self]:
        """Keep it from ending while somebody runs, or is about to run, what comes from it."""
        self._users += 1
        try:
            yield self
        finally:
            self._users -= 1
            if not self._users:
                self._unused.set()

    async def process(self, probe: object) -> RunProcess:
        """Return a process for one run of a probe. Raises `LaunchFailed`."""
        if self._kind is None:
            return await spawn(self.interpreter)
        if (imported := self._imported) and self._suits(probe):
            if rich := await self._rich.usable():
                with contextlib.suppress(ConnectionError):
                    return await rich.process()
            elif self._imported is imported:  # it has gone, and may be renewed
                self._imported = frozenset()
        for _ in range(_ATTEMPTS):
            kept = await self._plain.usable() or await self._plain.start(self._kind.start(self.interpreter, []))
            try:
                return await kept.process()
            except ConnectionError:  # it has ended since; the next one is a new one
                continue
        raise failures.ended_early(self.interpreter, None, "")

    def learn(self, probe: object, imported: Iterable[str]) -> None:
        """Take note of the installed modules that a probe's latest run had to import."""
        self._before = _packages(next(reversed(self._needed.values()))) if self._needed else None
        self._needed[probe] = tuple(dict.fromkeys((*self._needed.pop(probe, ()), *imported)))

    def refuse(self, probe: object) -> None:
        """Take note that a probe must import by itself whatever it needs."""
        self._unsuited.add(probe)

    def renew(self) -> None:
        """Where it is worth the while, start a process with what the latest run needed.

        One that is there gives way only once two runs in a row have needed other packages. To be called when nothing
        else goes on.
        """
        probe = next(reversed(self._needed), None)
        if self._kind is None or probe is None or probe in self._unsuited:
            return
        if self._renewing is not None and not self._renewing.done():
            return
        wanted = self._wanted(probe)
        missing = set(wanted) - (self._imported if self._suits(probe) else set())
        settled = not self._imported or self._suits(probe) or self._before == _packages(self._needed[probe])
        if settled and len(missing) >= _WORTHWHILE:
            self._renewing = asyncio.create_task(self._renew(self._kind, probe))

    async def retire(self) -> None:
        """End what is kept, once nobody uses it; to be called when nobody will any more."""
        if self._users:
            self._unused.clear()
            await self._unused.wait()
        await self.close()

    async def close(self) -> None:
        """End what is kept, and the runs that came from it."""
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)
        await asyncio.gather(self._plain.close(), self._rich.close())

    def _suits(self, probe: object) -> bool:
        return probe not in self._unsuited and self._imported.issubset(self._needed.get(probe, ()))

    async def _renew(self, kind: type[Kept], probe: object) -> None:
        for _ in range(_ATTEMPTS):
            wanted = self._wanted(probe)
            if len(wanted) < _WORTHWHILE:
                return
            try:
                kept = await kind.start(self.interpreter, wanted)
            except failures.LaunchFailed as failure:
                log.info("no interpreter imports ahead of runs: %s", failure.error.message)
                return
            if not kept.ready.doubts:
                self._rich.take(kept)
                self._imported = frozenset(wanted)
                return
            await kept.close()
            for package, why in kept.ready.doubts:
                log.info("%s is not imported ahead of runs: %s", package, why)
                self._doubted.add(package)

    def _wanted(self, probe: object) -> list[str]:
        """The modules that a probe and all that use the same packages have needed, in the order of imports."""
        packages = _packages(self._needed[probe])
        alike = [set(needed) for needed in self._needed.values() if _packages(needed) == packages]
        common = {name for name in set.intersection(*alike) if name.partition(".")[0] not in self._doubted}
        wanted = [name for name in self._needed[probe] if name in common]
        fitting = takewhile(lambda size: size <= _MOST_AHEAD, accumulate(len(name) + 4 for name in wanted))
        return wanted[: len(list(fitting))]


def _packages(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.partition(".")[0] for name in names)


class _Holder:
    """Holds what is kept, until it has ended or its environment has changed; it ends with the last of its runs."""

    def __init__(self) -> None:
        self._kept: asyncio.Future[Kept] | None = None
        self._retired: set[asyncio.Task[None]] = set()

    async def usable(self) -> Kept | None:
        """Return what is held, or is about to be, if runs can come from it. Raises `LaunchFailed`."""
        held = self._kept
        if held is None:
            return None
        if not held.done():
            await asyncio.shield(held)  # others may wait for it, or come to want it
        if not held.cancelled() and held.exception() is None:
            kept = held.result()
            if kept.alive and not await asyncio.to_thread(kept.ready.is_outdated):
                return kept
        if self._kept is held:  # nobody else has found out meanwhile
            self._let_go()
        return None

    async def start(self, starting: Coroutine[Any, Any, Kept]) -> Kept:
        """Hold what is being started, unless something is held by now, and return it. Raises `LaunchFailed`."""
        if self._kept is None:
            self._kept = asyncio.create_task(starting)
        else:
            starting.close()
        return await asyncio.shield(self._kept)

    def take(self, kept: Kept) -> None:
        """Hold something else."""
        self._let_go()
        self._kept = asyncio.get_running_loop().create_future()
        self._kept.set_result(kept)

    async def close(self) -> None:
        """End what is held, with the runs that came from it."""
        held, self._kept = self._kept, None
        ending: list[asyncio.Future[Any]] = [*self._retired, *([held] if held is not None else [])]
        for each in ending:
            each.cancel()  # what is still importing torch, or waits for its runs
        await asyncio.gather(*ending, return_exceptions=True)
        if held is not None and not held.cancelled() and held.exception() is None:
            await held.result().close()

    def _let_go(self) -> None:
        held, self._kept = self._kept, None
        if held is not None and held.done() and not held.cancelled() and held.exception() is None:
            task = asyncio.create_task(held.result().retire())
            self._retired.add(task)
            task.add_done_callback(self._retired.discard)
