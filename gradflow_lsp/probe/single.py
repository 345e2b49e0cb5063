"""One run, in the process that is there for it: takes a request on the control pipe, writes lines to the result pipe.

After the request, each further line on the control pipe asks where the code is now, and `{"where": …}` answers. Before
the report goes `{"imported": […]}`: the installed modules that the run had to import itself. After it the process
waits: whoever started it ends it, together with everything that the user's code left running.

Where the user's code would not have imported the same as was imported ahead, `{"unsuited": why}` is the last it says.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import threading
from collections.abc import Collection, Iterator, Sequence

import torch

from . import engine, failures
from .ahead import installed_since
from .isolation import (
    Channel,
    adopt_orphans,
    answer_until_the_end,
    end_group,
    flush_output,
    look_like_a_fresh_interpreter,
    seed_everything,
)
from .placing import first_found, hidden_by, project_folder
from .protocol import RunRequest, Stage
from .report import ProbeReport
from .sources import looked_for, tell_of_sources


def run_one(messages: Iterator[bytes], answers: Channel, ahead: Sequence[str]) -> None:
    """Take one request from the messages, run it and report; return when nobody waits any more.

    `ahead` are the modules that were imported for it in advance.
    """
    adopt_orphans()
    before = set(sys.modules)
    line = next(messages, None)
    if line is None:
        return
    answers.exposed = True
    request = RunRequest.from_json(json.loads(line))
    if not request.roots:  # a lone file: its folder is the workspace
        request = dataclasses.replace(request, roots=(project_folder(request.path, ()),))
    packages = {name.partition(".")[0] for name in ahead}
    if packages and (hidden := hidden_by(request, packages)):
        answers.send(unsuited=hidden)
        return
    watcher = answer_until_the_end(messages, lambda: _say_where(request, answers))
    report = _run(request, answers, packages)
    flush_output()
    with contextlib.suppress(Exception):  # there may be no memory left; the report goes before what is nice to know
        answers.send(looked_for=list(looked_for()))
        answers.send(imported=[*installed_since(before)])
    answers.send(report=report.to_json())
    watcher.join()


def _run(request: RunRequest, answers: Channel, packages: Collection[str]) -> ProbeReport:
    process = os.getpid()

    def on_stage(stage: Stage) -> None:
        see_that_it_suits()
        answers.send(stage=stage)

    def on_source(path: str, digest: str) -> None:
        if os.getpid() == process:  # not a worker that the user's code has forked
            answers.send(source=path, sha256=digest)

    def see_that_it_suits() -> None:
        if packages and (why := _why_unsuited(environment, folders, packages)):
            answers.send(unsuited=why)
            end_group()

    tell_of_sources(on_source)
    look_like_a_fresh_interpreter(request.path, project_folder(request.path, request.roots))
    environment, folders = dict(os.environ), list(sys.path)
    torch.set_num_threads(request.threads)
    seed_everything(request.seed)
    try:
        report = engine.run(request, on_stage)
    except BaseException as error:  # the engine reports what the user's code raises: what gets here is our own
        report = failures.failed_report(request, failures.our_own(error))
    see_that_it_suits()
    return report


def _why_unsuited(environment: dict[str, str], folders: Collection[str], packages: Collection[str]) -> str | None:
    """Say why imports so far could have given something else than what was imported ahead, if they could have."""
    try:
        if os.environ != environment:
            return "it sets variables that a package may read when it is imported"
        return first_found([folder for folder in sys.path if folder not in folders], packages)
    except Exception:  # the user's code may have put anything in their place
        return "it replaces what imports depend on"


def _say_where(request: RunRequest, answers: Channel) -> None:
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    answers.send(where=dataclasses.asdict(failures.whereabouts(frame, request)))
