"""The conversation with one run's process: the request in, stages and a report out, or what came instead of one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable
from typing import Any, get_args

from gradflow_lsp.probe.protocol import RunRequest, Stage
from gradflow_lsp.probe.report import ProbeReport
from gradflow_lsp.runs import failures
from gradflow_lsp.runs.launch import RunProcess, parsed
from gradflow_lsp.runs.tree import crash, memory_of

log = logging.getLogger(__name__)

_LAST_WORDS = 2.0
"""Seconds in which what a process wrote before its end must have arrived."""
_WHEREABOUTS = 0.5
"""Seconds that a process may take to say where it is: one that is inside native code cannot."""
_MEMORY_INTERVAL = 0.2
_LONG = 1 << 16
"""Bytes of a line from which on it is read in a thread: a report on thousands of layers would keep others waiting."""


class Unsuited(Exception):
    """The code would not find what was imported ahead as it would have imported it by itself."""


class Conversation:
    """The conversation with one run's process, which may refuse the request once (`may_refuse`)."""

    def __init__(
        self, process: RunProcess, request: RunRequest, on_stage: Callable[[Stage], None], *, may_refuse: bool
    ) -> None:
        self._process = process
        self._request = request
        self._on_stage = on_stage
        self._may_refuse = may_refuse
        self._stage: Stage = "import"
        self.imported: list[str] = []
        """The installed modules that the run has imported."""
        self._sources: dict[str, str] = {}
        self._looked_for: list[str] = []
        self._where: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    async def outcome(self, timeout: float, memory_limit: int | None) -> ProbeReport:
        """Send the request and return the process's report, or the report of what came instead. Raises `Unsuited`."""
        process, request = self._process, self._request
        asked = request if process.place is None else process.place.request(request)
        process.control.write(json.dumps(asked.to_json()).encode() + b"\n")
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
        with contextlib.suppress(ValueError):  # a line longer than any of ours
            while (line := await self._process.result.readline()).endswith(b"\n"):
                match await asyncio.to_thread(self._said, line) if len(line) >= _LONG else self._said(line):
                    case {"stage": stage} if stage in get_args(Stage):
                        self._stage = stage
                        log.debug("%s: %s", self._request.function, stage)
                        self._on_stage(stage)
                    case {"where": where} if not self._where.done():
                        self._where.set_result(where)
                    case {"source": str(path), "sha256": str(digest)}:
                        self._sources[path] = digest
                    case {"looked_for": list(paths)} if _are_words(paths):
                        self._looked_for = paths
                    case {"unsuited": _} if self._may_refuse:
                        raise Unsuited
                    case {"imported": list(names)} if _are_words(names):
                        self.imported = names
                    case ProbeReport() as report:
                        report.looked_for = self._looked_for
                        return report
        return None

    def _said(self, line: bytes) -> Any:
        """The report or other message in a line, in which a process's code may have written anything."""
        said, place = parsed(line), self._process.place
        if place is not None:
            said = place.message(said)
        match said:
            case {"report": dict(encoded)}:
                with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
                    return ProbeReport.from_json(encoded)
        return said

    async def _ask_where(self) -> dict[str, Any] | None:
        self._process.control.write(b"where\n")
        await asyncio.wait({self._where}, timeout=_WHEREABOUTS)
        if not self._where.done():
            crash(self._process.pid)  # Python prints where it is even then
            await asyncio.wait({self._process.exited}, timeout=_LAST_WORDS)
        return self._where.result() if self._where.done() else None


def _are_words(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


async def _outgrow(pid: int, limit: int | None) -> int:
    """Return `limit`, in bytes, once the process tree takes more memory; without a limit, never return."""
    while limit is None or memory_of(pid) <= limit:
        await asyncio.sleep(_MEMORY_INTERVAL if limit is not None else 3600.0)
    return limit
