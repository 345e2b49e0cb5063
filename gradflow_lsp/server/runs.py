"""The runs of this session: numbered, at most one a probe, each a task that ends in a report or is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from lsprotocol import types as lsp

from gradflow_lsp.annotate import activity, words
from gradflow_lsp.annotate.board import ProbeKey, Shown, file_key
from gradflow_lsp.probe.first_party import is_first_party
from gradflow_lsp.probe.protocol import RunRequest, Stage
from gradflow_lsp.probe.report import ProbeError, ProbeReport
from gradflow_lsp.runs import failures
from gradflow_lsp.server import on_save
from gradflow_lsp.server.progress import RunProgress
from gradflow_lsp.source.outline import ProbeSite

if TYPE_CHECKING:
    from gradflow_lsp.config import Settings
    from gradflow_lsp.runs.session import Runner
    from gradflow_lsp.server.session import Session

_FAILED = ("failed", "crashed", "timeout")
"""The states of a report that says nothing of the model, and that its user did not choose."""

State = Literal["queued", "running", "done", "cancelled"]


@dataclass
class Run:
    """One run; `stage` is a key of `activity.STAGES`, `report` is there once it is over."""

    number: int
    request: RunRequest
    state: State = "queued"
    stage: str = "queued"
    report: ProbeReport | None = None
    task: asyncio.Task[None] | None = None
    has_begun: bool = False
    """Whether its request is on the way; until then the request may change."""
    asked_with: Sequence[Run] = ()
    """The runs that the user asked for at once, this one among them; none if nobody asked for it, as on save."""
    shown: Shown | None = None
    """What was put on the lines of it, also when that has been cleared since."""
    saved_meanwhile: set[str] = field(default_factory=set)
    """The keys of the files that the user saved since it began."""

    @property
    def probe(self) -> tuple[str, str]:
        """The path and the function of its probe."""
        return self.request.path, self.request.function

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end."""
        return self.state in ("done", "cancelled")


class Runs:
    """Starts runs, knows the latest of each probe, and ends them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._latest: dict[ProbeKey, Run] = {}
        self._count = 0
        self._runner: Runner | None = None

    def latest(self, path: str, function: str) -> Run | None:
        """Return the latest run of a probe."""
        return self._latest.get(ProbeKey.of(path, function))

    def all(self) -> list[Run]:
        """Return the latest run of every probe that was ever run."""
        return list(self._latest.values())

    def going_on(self) -> list[Run]:
        """Return the runs that have not come to their end."""
        return [run for run in self.all() if not run.is_over]

    def stage(self, path: str, function: str) -> str | None:
        """Return what the latest run of a probe is doing, `cancelled` if it was, `None` if it was done or none was."""
        run = self.latest(path, function)
        if run is None or run.state == "done":
            return None
        return "cancelled" if run.state == "cancelled" else run.stage

    def start(self, path: str, probe: ProbeSite) -> Run:
        """Start a run in the background, on the text as it is now, in place of one that still goes on."""
        self.cancel(run for run in [self.latest(path, probe.function)] if run)
        request = self.request(path, probe.function, probe.name_span.line)
        self._count += 1
        run = self._latest[ProbeKey.of(path, probe.function)] = Run(self._count, request)
        run.task = self._session.in_background(self._execute(run))
        run.task.add_done_callback(lambda task: self._end(run))
        return run

    def start_asked_for(self, probes: Iterable[tuple[str, ProbeSite]]) -> list[Run]:
        """Start a run of each probe as `start` does, because the user wants that; which of them fail is told."""
        runs = [self.start(path, probe) for path, probe in probes]
        for run in runs:
            run.asked_with = runs
        return runs

    def start_unless_about_to(self, path: str, probe: ProbeSite) -> Run:
        """Start a run as `start` does; one that has not begun takes the text as it is now instead, and is returned."""
        latest = self.latest(path, probe.function)
        if latest and latest.task and not (latest.is_over or latest.has_begun or latest.task.cancelling()):
            latest.request = self.request(path, probe.function, probe.name_span.line)
            return latest
        return self.start(path, probe)

    def request(self, path: str, function: str, line: int) -> RunRequest:
        """Return the request for a probe on the text of all files as it is now."""
        roots = tuple(map(str, self._session.roots_of(path)))
        return RunRequest(
            path=path,
            function=function,
            line=line,
            roots=roots,
            overlays={
                document.path: document.text
                for document in self._session.documents
                if document.path and (file_key(document.path) == file_key(path) or is_first_party(document.path, roots))
            },
        )

    def cancel(self, runs: Iterable[Run]) -> list[Run]:
        """End those of the runs that still go on, and return them."""
        going_on = [run for run in runs if not run.is_over]
        for run in going_on:
            if run.task is not None:
                run.task.cancel()
        return going_on

    def close(self) -> Coroutine[Any, Any, None]:
        """End all runs and every process that was kept for them; the work that waits until they are gone is returned.

        What is started from now on is not touched.
        """
        tasks = [run.task for run in self.cancel(self.all()) if run.task is not None]
        runner, self._runner = self._runner, None

        async def gone() -> None:
            await asyncio.gather(*tasks, return_exceptions=True)
            if runner is not None:
                await runner.close()

        return gone()

    def settings_changed(self) -> None:
        """Have as many runs at once, and what is kept for as long, as the settings say by now."""
        if self._runner is not None and self._session.folders:
            folder = next(iter(self._session.folders.values()))
            self._limit(self._runner, self._session.settings.of_folder(folder))

    @staticmethod
    def _limit(runner: Runner, settings: Settings) -> None:
        runner.limit(parallel=settings.parallel_runs, idle=60 * settings.idle_minutes)

    async def _execute(self, run: Run) -> None:
        session = self._session
        title = activity.run_of(*run.probe, among=len(run.asked_with))
        progress = RunProgress(session, title, activity.STAGES[run.stage], lambda: self.cancel([run]))
        session.lenses_changed()

        def on_stage(stage: Stage) -> None:
            run.state, run.stage = "running", stage
            progress.stage(activity.STAGES[stage])
            session.lenses_changed()

        report = failures.cancelled(run.request)
        state: State = "cancelled"
        try:
            await session.settings.ready()
            run.has_begun = True
            report = await self.report(run.request, on_stage)
            run.shown = await session.show(report, run.request)
            state = "done"
        finally:
            run.report, run.state = report, state
            progress.end(words.outcome(report), aloud=self._is_awaited(run) and report.status not in _FAILED)
            self._tell_failures(run.asked_with)
            session.lenses_changed()
        on_save.ended(session, run)

    def _end(self, run: Run) -> None:
        """End a run that was cancelled before its first step."""
        if not run.is_over:
            run.report, run.state = failures.cancelled(run.request), "cancelled"
            self._session.lenses_changed()
            self._tell_failures(run.asked_with)

    def _is_awaited(self, run: Run) -> bool:
        """Tell whether the user asked for a run, and for no other in its place since."""
        return bool(run.asked_with) and self.latest(*run.probe) is run

    def _tell_failures(self, runs: Sequence[Run]) -> None:
        """Once all of these runs are over, tell the user which came to nothing, if any did."""
        reports = [run.report for run in runs if run.report and run.report.status in _FAILED]
        if reports and all(run.is_over for run in runs):
            self._session.tell(activity.failed(reports, len(runs)), lsp.MessageType.Warning)

    async def report(self, request: RunRequest, on_stage: Callable[[Stage], None]) -> ProbeReport:
        """Run what is requested, by the settings of its folder, and return the report; no probe counts as run by it."""
        session = self._session
        await session.settings.ready()
        folder = session.folder_of(request.path)
        settings = session.settings.of_folder(folder)
        if self._runner is None:
            from gradflow_lsp.runs.session import Runner  # not before something is to be run

            self._runner = Runner(ahead=True)
        self._limit(self._runner, settings)
        try:
            return await self._runner.run(
                replace(
                    request,
                    seed=settings.seed,
                    device=settings.device,
                    threads=settings.threads,
                    replay=settings.replay,
                ),
                session.settings.interpreter(folder),
                timeout=settings.timeout,
                memory_limit=settings.memory_limit,
                on_stage=on_stage,
            )
        except Exception as error:  # a fault of ours: it is the user's to know, and nobody else's to handle
            session.log.exception("a run failed")
            sentence = f"The run could not be made ({type(error).__name__}: {error}). The server's log says more."
            return failures.report(request, "failed", ProbeError("launcher-failed", sentence))
