"""Runs probes: one request and an interpreter in, always a report out, whatever the user's code does.

A `Runner` keeps interpreters warm, lets a few runs go at once and queues the rest. A run ends with
its report, its process, its time or memory limit, or the cancelling of its task; its whole process tree ends with it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradflow_lsp.probe.protocol import RunRequest, Stage
from gradflow_lsp.probe.report import Environment, ProbeReport
from gradflow_lsp.runs import failures, printed
from gradflow_lsp.runs.conversation import Conversation, Unsuited
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.kept import BEST_WAY, Supply, Way
from gradflow_lsp.runs.launch import RunProcess
from gradflow_lsp.runs.slots import Slots

log = logging.getLogger(__name__)

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
        self._supplies: dict[object, Supply] = {}
        self._used_in: dict[tuple[str, ...], object] = {}
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
                with self._supply(request, interpreter).in_use() as supply:
                    return await self._run(supply, request, timeout, memory_limit, on_stage or (lambda stage: None))
        finally:
            self._running.discard(task)
            self._between_runs()

    def limit(self, *, parallel: int, idle: float) -> None:
        """Have this many runs at once from now on, and end what is kept after so many idle seconds."""
        self._slots.count = parallel
        self._idle = idle

    async def close(self) -> None:
        """Cancel the runs that are still going, and end the interpreters; the next run starts a fresh one."""
        supplies, self._supplies, self._used_in = self._supplies, {}, {}
        if self._later is not None:
            self._later.cancel()
        running = [task for task in self._running if task is not asyncio.current_task()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        closing = [supply.close() for supply in supplies.values()]
        await asyncio.gather(*closing, *self._ending, return_exceptions=True)

    async def _run(
        self,
        supply: Supply,
        request: RunRequest,
        timeout: float,
        memory_limit: int | None,
        on_stage: Callable[[Stage], None],
    ) -> ProbeReport:
        report = await self._run_once(supply, request, timeout, memory_limit, on_stage)
        if request.replay and _stayed_unexplained(report):
            seen_at_once = dataclasses.replace(request, replay=False)
            left = max(timeout - report.seconds.total, 0.0)
            second = await self._run_once(supply, seen_at_once, left, memory_limit, on_stage, again=True)
            if second.status == "ok":
                second.findings[:0] = [finding for finding in report.findings if finding.code == _NOT_CONFIRMED]
                second.seconds.total += report.seconds.total
                return second
        return report

    async def _run_once(
        self,
        supply: Supply,
        request: RunRequest,
        timeout: float,
        memory_limit: int | None,
        on_stage: Callable[[Stage], None],
        again: bool = False,
    ) -> ProbeReport:
        begun = time.monotonic()
        probe, interpreter = (request.path, request.function), supply.interpreter

        async def converse(*, may_refuse: bool) -> tuple[RunProcess, list[str], ProbeReport]:
            process = await supply.process(probe)
            try:
                conversation = Conversation(process, request, on_stage, may_refuse=may_refuse)
                report = await conversation.outcome(timeout, memory_limit)
                return process, conversation.imported, report
            finally:
                await process.end()

        try:
            try:
                process, imported, report = await converse(may_refuse=True)
            except Unsuited:
                supply.refuse(probe)
                process, imported, report = await converse(may_refuse=False)
        except failures.LaunchFailed as failure:
            report = failures.report(request, "failed", failure.error)
            printed.pass_on(request, failure.error.output or "")
            if failure.python is not None:
                report.environment = Environment(failure.python, None, request.device, str(interpreter))
        else:
            supply.learn(probe, imported)
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
        before, now = self._used_in.get(request.roots), (interpreter.command, interpreter.place)
        self._used_in[request.roots] = now
        if before is not None and before not in self._used_in.values():
            self._retire(self._supplies.pop(before))
        if now not in self._supplies:
            self._supplies[now] = Supply(interpreter, self._way)
        return self._supplies[now]

    def _between_runs(self) -> None:
        """When nothing runs: look after what is kept for the next run, and end it if none comes."""

        async def end_when_idle() -> None:
            await asyncio.sleep(self._idle)
            supplies, self._supplies, self._used_in = self._supplies, {}, {}
            for supply in supplies.values():
                self._retire(supply)

        if self._running:
            return
        if self._later is not None:
            self._later.cancel()
        if self._supplies:
            self._later = asyncio.create_task(end_when_idle())
        if self._ahead:
            for supply in self._supplies.values():
                supply.renew()

    def _retire(self, supply: Supply) -> None:
        """End a supply once its runs have ended, while other things go on."""
        task = asyncio.create_task(supply.retire())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _stayed_unexplained(report: ProbeReport) -> bool:
    """Whether something is wrong and the probe, called twice in one process, would not show it twice."""
    unconfirmed = any(finding.code == _NOT_CONFIRMED for finding in report.findings)
    return unconfirmed and any(cause.kind == "unknown" for cause in report.causes)
