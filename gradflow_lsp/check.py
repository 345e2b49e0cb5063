"""What `gradflow-lsp check` does: finds the probes under some paths, runs them, and returns what to show, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradflow_lsp.annotate.activity import STAGES
from gradflow_lsp.annotate.hidden import hidden_by_comments
from gradflow_lsp.annotate.places import unmoved
from gradflow_lsp.annotate.view import View
from gradflow_lsp.config import Loaded, Settings, load
from gradflow_lsp.probe.protocol import RunRequest, Stage
from gradflow_lsp.probe.report import ProbeReport
from gradflow_lsp.runs.interpreter import Interpreter, find_interpreter
from gradflow_lsp.runs.session import Runner
from gradflow_lsp.source.folders import absolute, read_source
from gradflow_lsp.source.index import discover

_WORKSPACE_MARKS = ("pyproject.toml", "setup.py", ".git")

OnProgress = Callable[[RunRequest, str], None]
"""Told which probe has come to which stage, in words."""


@dataclass(frozen=True)
class Job:
    """One probe to run, with the interpreter and the settings of its workspace."""

    request: RunRequest
    interpreter: Interpreter
    settings: Settings


@dataclass
class Plan:
    """What is to be run, in order, and what is to be said about the call.

    `errors` make the call wrong (a path that does not exist, a named file without a probe), `notes` do not.
    """

    jobs: list[Job] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def workspace_of(path: Path) -> Path:
    """Return the nearest folder upwards that looks like a project's, else the folder of `path` itself."""
    own = path if path.is_dir() else path.parent
    parents = (own, *own.parents)
    return next((folder for folder in parents if any((folder / mark).exists() for mark in _WORKSPACE_MARKS)), own)


def interpreter_of(workspace: Path, loaded: Loaded) -> Interpreter:
    """Return the Python that runs the probes of a workspace, by its settings."""
    settings = loaded.settings
    return find_interpreter(
        workspace,
        setting=settings.interpreter,
        origin=loaded.origins["interpreter"],
        launcher=settings.launcher,
        mappings=settings.path_mappings,
    )


def plan(paths: Sequence[Path], flags: Mapping[str, Any]) -> Plan:
    """Find the probes under `paths`, in the order given, each once; reads files and runs nothing of the user's."""
    result = Plan()
    settings: dict[Path, Loaded] = {}
    seen: set[tuple[Path, str]] = set()
    for path in map(absolute, paths):
        workspace = workspace_of(path)
        if workspace not in settings:
            settings[workspace] = load(workspace, flags=flags)
            result.notes += [problem for problem in settings[workspace].problems if problem not in result.notes]
        jobs = _jobs(path, workspace, settings[workspace], result)
        for job in jobs:
            key = Path(job.request.path), job.request.function
            if key not in seen:
                seen.add(key)
                result.jobs.append(job)
    return result


def _jobs(path: Path, workspace: Path, loaded: Loaded, plan: Plan) -> list[Job]:
    settings = loaded.settings
    try:
        found = discover([path], settings.exclude)
    except OSError as error:
        plan.errors.append(f"{path}: this path cannot be read ({error.strerror or error}).")
        return []
    sites = [(file, site) for file, sites in found for site in sites]
    if not sites:
        hint = (
            "a probe is a top-level function gradflow_probe() that needs no argument and returns a model and its loss"
        )
        (plan.notes if path.is_dir() else plan.errors).append(f"{path}: there is no probe here; {hint}.")
        return []
    interpreter = interpreter_of(workspace, loaded)
    return [
        Job(
            RunRequest(
                path=str(file),
                function=site.function,
                line=site.name_span.line,
                roots=(str(workspace),),
                seed=settings.seed,
                device=settings.device,
                threads=settings.threads,
                replay=settings.replay,
            ),
            interpreter,
            settings,
        )
        for file, site in sites
    ]


async def run(jobs: Sequence[Job], on_progress: OnProgress) -> list[View]:
    """Run the probes, several at once as the settings allow, and return what is to be shown, in the order of the jobs.

    When the awaiting task is cancelled, every process that was started has ended before this raises.
    """
    runner = Runner(parallel=min((job.settings.parallel_runs for job in jobs), default=1))

    async def run_one(job: Job) -> ProbeReport:
        def on_stage(stage: Stage) -> None:
            on_progress(job.request, STAGES[stage])

        return await runner.run(
            job.request,
            job.interpreter,
            timeout=job.settings.timeout,
            memory_limit=job.settings.memory_limit,
            on_stage=on_stage,
        )

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run_one(job)) for job in jobs]
        return as_shown([task.result() for task in tasks], jobs)
    finally:
        await runner.close()


def as_shown(reports: Sequence[ProbeReport], jobs: Sequence[Job]) -> list[View]:
    """Lay the settings of each job, and the comments in the files that the runs read, over their reports."""
    hidden = hidden_by_comments([(report, unmoved) for report in reports], _text)
    return [View.of(r, h, job.settings.severity) for r, h, job in zip(reports, hidden, jobs, strict=True)]


def _text(path: str) -> str | None:
    try:
        return read_source(Path(path))
    except OSError:
        return None
