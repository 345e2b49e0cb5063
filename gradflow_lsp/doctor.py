"""What `gradflow-lsp doctor` finds out: which Python would run the probes, what is in it, and which settings hold.

Nothing of the user's project is run; the interpreter is asked to import torch, in an empty folder, with the variables
that a probe would have.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradflow_lsp.check import interpreter_of, workspace_of
from gradflow_lsp.config import SCHEMA, Loaded, load
from gradflow_lsp.runs import conda
from gradflow_lsp.runs.environments import Environment, environment_of
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.kept import BEST_WAY, Way
from gradflow_lsp.runs.surroundings import environment_for
from gradflow_lsp.schema import Settings
from gradflow_lsp.server.log import log_file

_QUESTION = """
import json, platform, sys
answer = {"python": platform.python_version()}
try:
    import torch
    answer["torch"] = torch.__version__
    cuda, mps = torch.version.cuda or torch.version.hip, torch.backends.mps
    answer["devices"] = {
        "cuda": torch.cuda.is_available() or (cuda and "torch sees no such device") or "torch is built without it",
        "mps": mps.is_available() or (mps.is_built() and "torch sees no such device") or "torch is built without it",
    }
except Exception as error:
    answer["trouble"] = f"{type(error).__name__}: {error}".partition("\\n")[0]
print("\\n" + json.dumps(answer))
"""
_PATIENCE = 120.0
"""Seconds: a first import of torch from a cold disk can take that long."""
OLDEST_PYTHON, OLDEST_TORCH = (3, 10), (2, 6)

KEPT_WARM: dict[Way, str] = {
    "fork": "yes: torch stays imported, and each run is a fork of that process",
    "spare": "yes: the next run's Python waits with torch imported; only Linux can fork one that has it",
    "none": "no: each run imports torch anew",
}


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, and what to do next; both are sentences."""

    what: str
    next_step: str = ""

    def __str__(self) -> str:
        return f"{self.what} {self.next_step}".strip()


@dataclass(frozen=True)
class Answer:
    """What an interpreter says of itself. `devices` has `True`, or a clause that says why not, for each kind."""

    python: str | None = None
    torch: str | None = None
    devices: Mapping[str, bool | str] | None = None
    failure: str | None = None
    """Why it said nothing, as a clause."""
    trouble: str | None = None
    """Why torch cannot be imported."""


@dataclass(frozen=True)
class Examination:
    """All that `doctor` reports."""

    workspace: Path
    interpreter: Interpreter
    environment: Environment | None
    answer: Answer
    loaded: Loaded
    problems: list[Problem]

    def settings(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, the value and the origin of each setting."""
        for name in SCHEMA:
            value = getattr(self.loaded.settings, name)
            yield name, "none" if value in (None, {}, ()) else _written(value), self.loaded.origins[name]

    @property
    def kept_warm(self) -> str:
        """Whether torch stays imported between runs, and why."""
        can_run = self.answer.torch is not None and _version(self.answer.python) >= OLDEST_PYTHON
        if self.interpreter.place is not None:
            return "no: the launcher starts Python anew for each run"
        return KEPT_WARM[BEST_WAY] if can_run else "no: there is nothing to keep while no probe can run"

    @property
    def scripts_not_run(self) -> list[Path]:
        """The activation scripts of a conda environment that only a shell would run, and none has."""
        environment = self.environment
        if environment is None or environment.kind != "conda":
            return []
        active = os.environ.get("CONDA_PREFIX")
        return [] if active and Path(active) == environment.prefix else conda.scripts(environment.prefix)


def examine(path: Path, flags: Mapping[str, Any]) -> Examination:
    """Look at the workspace of `path` as `check` would; takes as long as the interpreter needs to import torch."""
    workspace = workspace_of(path)
    loaded = load(workspace, flags=flags)
    interpreter = interpreter_of(workspace, loaded)
    answer = Answer(failure=interpreter.trouble) if interpreter.trouble else _ask(interpreter)
    problems = [*map(Problem, loaded.problems), *_problems(interpreter, answer, loaded.settings), *_log_problems()]
    environment = environment_of(interpreter.command[0]) if interpreter.place is None else None
    return Examination(workspace, interpreter, environment, answer, loaded, problems)


def _problems(interpreter: Interpreter, answer: Answer, settings: Settings) -> Iterator[Problem]:
    """Yield what is wrong with an interpreter, and with a device that is asked for."""
    another = f"To choose another, {interpreter.change}."
    if answer.failure:
        yield Problem(f"The interpreter cannot be used: {answer.failure}.", another)
    elif _version(answer.python) < OLDEST_PYTHON:
        yield Problem(f"Python {answer.python} is too old to run probes; 3.10 or later is needed.", another)
    elif answer.trouble:
        have_it = f"Install torch there, or choose an interpreter that has it: {interpreter.change}."
        yield Problem(f"torch cannot be imported ({answer.trouble}).", have_it)
    elif _version(answer.torch) < OLDEST_TORCH:
        yield Problem(f"torch {answer.torch} is older than 2.6, the oldest that probes are made for.", "Upgrade it.")
    kind = settings.device.partition(":")[0]
    why_not = (answer.devices or {}).get(kind)
    if isinstance(why_not, str):
        yield Problem(f"The setting device is {settings.device}, but {why_not}.", "Set it to cpu.")


def _log_problems() -> Iterator[Problem]:
    """Yield what keeps the server from writing its log."""
    file = log_file()
    place = file if file.exists() else next(parent for parent in file.parents if parent.exists())
    if not os.access(place, os.W_OK):
        yield Problem(f"The log file cannot be written, as {place} may not be.", "The server does without one.")


def _version(text: str | None) -> tuple[int, ...]:
    return tuple(int(part) for part in (text or "99.0").split(".")[:2])


def _ask(interpreter: Interpreter) -> Answer:
    command = interpreter.called("-c", _QUESTION)
    surroundings = environment_for(interpreter)
    try:
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(
                command,
                cwd=empty,
                env=surroundings,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_PATIENCE,
            )
    except subprocess.TimeoutExpired:
        return Answer(failure=f"it did not answer within {_PATIENCE:.0f} s")
    except OSError as error:
        return Answer(failure=str(error.strerror or error).lower())
    try:
        return Answer(**json.loads(done.stdout.strip().splitlines()[-1]))
    except (ValueError, TypeError, IndexError):
        said = done.stderr.strip().splitlines()[-1:]
        how = f": {said[0]}" if said else ", without an answer"
        return Answer(failure=f"it ended with exit status {done.returncode}{how}")


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)
