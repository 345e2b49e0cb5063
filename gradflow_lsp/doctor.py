"""What `gradflow-lsp doctor` finds out: which Python would run the probes, whether torch works in it, and the settings.

Nothing of the user's project is run; the interpreter is asked to import torch, in an empty folder.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradflow_lsp.check import workspace_of
from gradflow_lsp.config import SCHEMA, Loaded, load
from gradflow_lsp.runs.interpreter import Interpreter, find_interpreter

_QUESTION = """
import json, platform, sys
answer = {"python": platform.python_version(), "executable": sys.executable}
try:
    import torch
    answer["torch"] = torch.__version__
except Exception as error:
    answer["trouble"] = f"{type(error).__name__}: {error}"
print("\\n" + json.dumps(answer))
"""
_PATIENCE = 120.0
"""Seconds: a first import of torch from a cold disk can take that long."""


@dataclass(frozen=True)
class Examination:
    """All that `doctor` reports; `problems` has one sentence for each thing that is wrong."""

    workspace: Path
    interpreter: Interpreter
    python: str | None
    torch: str | None
    loaded: Loaded
    problems: list[str]

    def settings(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, the value and the origin of each setting."""
        for name in SCHEMA:
            value = getattr(self.loaded.settings, name)
            yield name, "none" if value in (None, {}, ()) else _written(value), self.loaded.origins[name]


def examine(path: Path, flags: Mapping[str, Any]) -> Examination:
    """Look at the workspace of `path` as `check` would; takes as long as the interpreter needs to import torch."""
    workspace = workspace_of(path)
    loaded = load(workspace, flags=flags)
    interpreter = find_interpreter(workspace, setting=loaded.settings.interpreter)
    answer = _ask(interpreter)
    problems = [*loaded.problems]
    if "failure" in answer:
        problems.append(f"The interpreter cannot be used: {answer['failure']}. Set another one with --python.")
    elif "trouble" in answer:
        problems.append(f"torch cannot be imported by the interpreter ({answer['trouble']}). Install it there.")
    if tuple(map(int, answer.get("python", "3.10").split(".")[:2])) < (3, 10):
        problems.append(f"Python {answer['python']} is too old to run probes; 3.10 or later is needed.")
    return Examination(workspace, interpreter, answer.get("python"), answer.get("torch"), loaded, problems)


def _ask(interpreter: Interpreter) -> dict[str, str]:
    command = [*interpreter.command, "-c", _QUESTION]
    try:
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(
                command, cwd=empty, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_PATIENCE
            )
    except subprocess.TimeoutExpired:
        return {"failure": f"it did not answer within {_PATIENCE:.0f} s"}
    except OSError as error:
        return {"failure": f"{error.strerror or error}"}
    try:
        answer: dict[str, str] = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        return {"failure": f"exit status {done.returncode}, {last}"}
    return answer


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)
