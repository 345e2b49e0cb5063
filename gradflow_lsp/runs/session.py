"""Runs probes: one request and an interpreter in, always a report out, whatever the user's code does.

A `Runner` keeps interpreters warm, lets a few runs go at once and queues the rest. A run ends with
its report, its process, its time or memory limit, or the cancelling of its task; its whole process tree ends with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import logging
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, get_args

from gradflow_lsp.probe.protocol import RunRequest, Stage
from gradflow_lsp.probe.report import Environment, ProbeReport
from gradflow_lsp.runs import failures, printed
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.kept import BEST_WAY, Supply, Way
from gradflow_lsp.runs.launch import RunProcess, parsed
from gradflow_lsp.runs.slots import Slots
from gradflow_lsp.runs.tree import crash, memory_of

log = logging.getLogger(__name__)

_LAST_WORDS = 2.0
"""Seconds in which what a process wrote before its end must have arrived."""
_WHEREABOUTS = 0.5
"""Seconds that a process may take to say where it is: one that is inside native code cannot."""
_MEMORY_INTERVAL = 0.2
_NOT_CONFIRMED = "not-confirmed"


class Runner:
    """Runs probes, at most `parallel` at once.

    `way` says how interpreters are kept ready for the next run; they are ended when nothing has run for `idle` seconds.
    With `ahead`, they import what earlier runs needed before the next one asks.
    """

    def __init__(self, *, parallel: int = 2, idle: float = 600.0, way: Way = BEST_WAY, ahead: bool = False) -> None:
        self._slots = Slots(parallel)
        self._idle = idle
        self._way = way
        self._ahead = ahead
        self._supplies: dict[tuple[str, ...], Supply] = {}
        self._used_in: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._running: set[asyncio.Task[Any]] = set()
        self._later: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()

    async def run(
        self,
        request: RunRequest,
        interpreter: Interpreter,
        *,
        timeout: float = 60.0,
        memory_limit: int | None = None,
        on_stage: Callable[[Stage], None] | None = None,
    ) -> ProbeReport:
        """Run one probe and return its report; whatever is wrong with the probe or the interpreter is in the report.

        `timeout` is in seconds from the moment torch is there; `memory_limit` in bytes, for the whole process tree.
        Cancelling the task that awaits this ends the run's process tree before `CancelledError` is raised.
        """
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            async with self._slots:
                return await self._run(request, interpreter, timeout, memory_limit, on_stage or (lambda stage: None))
        finally:
            self._running.discard(task)
            self._between_runs()

    def limit(self, *, parallel: int, idle: float) -> None:
        """Have this many runs at once from now on, and end what is kept after so many idle seconds."""
        self._slots.count = parallel
        self._idle = idle

    async def close(self) -> None:
        """Cancel the runs that are still going, and end the interpreters; the next run starts a fresh one."""
        running = [task for task in self._running if task is not asyncio.current_task()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if self._later is not None:
            self._later.cancel()
        for ending in self._ending:  # it may wait for an interpreter that never starts
            ending.cancel()
        await asyncio.gather(self._end_supplies(), *self._ending, return_exceptions=True)

    async def _run(
        self,
        request: RunRequest,
        interpreter: Interpreter,
        timeout: float,
        memory_limit: int | None,
        on_stage: Callable[[Stage], None],
    ) -> ProbeReport:
        report = await self._run_once(request, interpreter, timeout, memory_limit, on_stage)
        if request.replay and _stayed_unexplained(report):
            seen_at_once = dataclasses.replace(request, replay=False)
            left = max(timeout - report.seconds.total, 0.0)
            second = await self._run_once(seen_at_once, interpreter, left, memory_limit, on_stage, again=True)
            if second.status == "ok":
                second.findings[:0] = [finding for finding in report.findings if finding.code == _NOT_CONFIRMED]
                second.seconds.total += report.seconds.total
                return second
        return report

    async def _run_once(
        self,
        request: RunRequest,
        interpreter: Interpreter,
        timeout: float,
        memory_limit: int | None,
        on_stage: Callable[[Stage], None],
        again: bool = False,
    ) -> ProbeReport:
        begun = time.monotonic()
        supply, probe = self._supply(request, interpreter), (request.path, request.function)
        try:
            process = await supply.process(probe)
            try:
                run = _Run(process, request, on_stage)
                report = await run.outcome(timeout, memory_limit)
            except _Unsuited:
                supply.refuse(probe)
                await process.end()
                process = await supply.process(probe)
                run = _Run(process, request, on_stage)
                report = await run.outcome(timeout, memory_limit)
            finally:
                await process.end()
        except failures.LaunchFailed as failure:
            report = failures.report(request, "failed", failure.error)
            printed.pass_on(request, failure.error.output or "")
            if failure.python is not None:
                report.environment = Environment(failure.python, None, request.device, str(interpreter))
        else:
            supply.learn(probe, run.imported)
            stopped = report.error is not None and report.error.kind in ("timeout", "out-of-memory")
            if not again:
                printed.pass_on(request, process.output.text, stopped=stopped)
            ready = process.ready
            if report.environment is None:
                report.environment = Environment(ready.python, ready.torch, request.device, ready.interpreter)
            if report.error is not None:
                report.error.output = failures.printed(process.output.text, stopped=stopped)
        report.seconds.total = report.seconds.total or time.monotonic() - begun
        how = f"{report.status} after {report.seconds.total:.3g} s"
        detail = f"run by {interpreter} ({interpreter.why}); {report.environment}"
        log.debug("%s in %s: %s", request.function, Path(request.path).name, how, extra={"detail": detail})
        return report

    def _supply(self, request: RunRequest, interpreter: Interpreter) -> Supply:
        """The source of processes; that of another interpreter ends when no workspace uses it any more."""
        before = self._used_in.get(request.roots)
        self._used_in[request.roots] = interpreter.command
        if before is not None and before not in self._used_in.values():
            self._end_later(self._supplies.pop(before).retire())
        if interpreter.command not in self._supplies:
            self._supplies[interpreter.command] = Supply(interpreter, self._way)
        return self._supplies[interpreter.command]

    def _between_runs(self) -> None:
        """When nothing runs: look after what is kept for the next run, and end it if none comes."""

        async def retire() -> None:
            await asyncio.sleep(self._idle)
            if not self._running:
                await self._end_supplies()

        if not self._running:
            if self._ahead:
                for supply in self._supplies.values():
                    supply.renew()
            if self._later is not None:
                self._later.cancel()
            self._later = asyncio.create_task(retire())

    async def _end_supplies(self) -> None:
        supplies, self._supplies, self._used_in = self._supplies, {}, {}
        await asyncio.gather(*(supply.close() for supply in supplies.values()))

    def _end_later(self, ending: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(ending)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _stayed_unexplained(report: ProbeReport) -> bool:
    """Whether something is wrong and the probe, called twice in one process, would not show it twice."""
    unconfirmed = any(finding.code == _NOT_CONFIRMED for finding in report.findings)
    return unconfirmed and any(cause.kind == "unknown" for cause in report.causes)


class _Unsuited(Exception):
    """The code would not find what was imported ahead as it would have imported it by itself."""


class _Run:
    """The conversation with one run's process."""

    def __init__(self, process: RunProcess, request: RunRequest, on_stage: Callable[[Stage], None]) -> None:
        self._process = process
        self._request = request
        self._on_stage = on_stage
        self._stage: Stage = "import"
        self.imported: list[str] = []
        """The installed modules that the run has imported."""
        self._sources: dict[str, str] = {}
        self._looked_for: list[str] = []
        self._where: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    async def outcome(self, timeout: float, memory_limit: int | None) -> ProbeReport:
        """Send the request and return the process's report, or the report of what came instead. Raises `_Unsuited`."""
        process, request = self._process, self._request
        process.control.write(json.dumps(request.to_json()).encode() + b"\n")
        reading = asyncio.create_task(self._read())
        outgrowing = asyncio.create_task(_outgrow(process.pid, memory_limit))
        try:
            ways: list[asyncio.Future[Any]] = [reading, process.exited, outgrowing]
            await asyncio.wait(ways, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            if reading.done() or process.exited.done():
                await asyncio.wait({reading}, timeout=_LAST_WORDS)
                if reading.done() and (report := reading.result()) is not None:
                    return report
                await asyncio.wait({process.exited}, timeout=_LAST_WORDS)
                exit_status = process.exited.result() if (is_over := process.exited.done()) else None
                await process.end()
                if is_over:
                    ending = failures.ended(exit_status, self._stage, process.output.text, request)
                else:
                    ending = failures.out_of_reach(self._stage, request)
            else:
                where = await self._ask_where()
                await process.end()
                output = process.output.text
                if outgrowing.done():
                    ending = failures.out_of_memory(outgrowing.result(), self._stage, where, output, request)
                else:
                    ending = failures.out_of_time(timeout, self._stage, where, output, request)
            report = failures.report(request, *ending)
            report.sources = dict(self._sources)
            return report
        finally:
            reading.cancel()
            outgrowing.cancel()

    async def _read(self) -> ProbeReport | None:
        """Follow the stages; return the report, or `None` where the pipe ends without one."""
        while (line := await self._process.result.readline()).endswith(b"\n"):
            match parsed(line):  # a process's code may write anything here
                case {"stage": stage} if stage in get_args(Stage):
                    self._stage = stage
                    log.debug("%s: %s", self._request.function, stage)
                    self._on_stage(stage)
                case {"where": where} if not self._where.done():
                    self._where.set_result(where)
                case {"source": str(path), "sha256": str(digest)}:
                    self._sources[path] = digest
                case {"looked_for": list(paths)}:
                    self._looked_for = paths
                case {"unsuited": _}:
                    raise _Unsuited
                case {"imported": list(names)}:
                    self.imported = names
                case {"report": dict(encoded)}:
                    with contextlib.suppress(KeyError, TypeError, ValueError):
                        report = ProbeReport.from_json(encoded)
                        report.looked_for = self._looked_for
                        return report
        return None

    async def _ask_where(self) -> dict[str, Any] | None:
        self._process.control.write(b"where\n")
        await asyncio.wait({self._where}, timeout=_WHEREABOUTS)
        if not self._where.done():
            crash(self._process.pid)  # Python prints where it is even then
            await asyncio.wait({self._process.exited}, timeout=_LAST_WORDS)
        return self._where.result() if self._where.done() else None


async def _outgrow(pid: int, limit: int | None) -> int:
    """Return `limit`, in bytes, once the process tree takes more memory; without a limit, never return."""
    while limit is None or memory_of(pid) <= limit:
        await asyncio.sleep(_MEMORY_INTERVAL if limit is not None else 3600.0)
    return limit
