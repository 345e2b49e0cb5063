"""What a worker finds around it: variables as where the user's environment has been activated, and nothing of ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import gradflow_lsp
from gradflow_lsp.runs import conda
from gradflow_lsp.runs.environments import WINDOWS, Environment, environment_at, environment_of
from gradflow_lsp.runs.interpreter import Interpreter

_OF_OUR_PYTHON = ("__PYVENV_LAUNCHER__", "PYTHONEXECUTABLE")
"""By these, macOS has every Python take our environment for its own."""
_OF_VENV = ("VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT")
_OF_CONDA = ("CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_PROMPT_MODIFIER", "CONDA_SHLVL")


def environment_for(
    interpreter: Interpreter, environ: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> dict[str, str]:
    """Return the environment variables for a worker: the user's own, as if `interpreter`'s environment were activated.

    What speaks of our own Python is left out, and so is any other active environment: `python` on the `PATH` is then
    the one that runs the probe. A command that is no Python itself (`uv run …`) sees to that on its own, and only what
    is ours is left out.
    """
    shell = _Shell(dict(environ), platform)
    program = interpreter.called()[0]
    environment = environment_of(program)
    shell.forget_our_python(same=program == sys.executable)
    ours = environment_at(Path(sys.prefix))
    if ours is not None and ours != environment:
        shell.leave(ours)
    if environment is not None or Path(program).name.startswith("python"):
        shell.leave_others(environment)
    if environment is not None:
        shell.enter(environment)
    return shell.variables


class _Shell:
    """Variables as a shell has them, in which environments are activated and left."""

    def __init__(self, variables: dict[str, str], platform: str) -> None:
        self.variables = variables
        self._platform = platform
        self._separator = ";" if platform == WINDOWS else ":"

    def forget_our_python(self, *, same: bool) -> None:
        """Drop what was set for the Python that runs us; its home stays where the `same` Python runs the probes."""
        folder = Path(gradflow_lsp.__file__).parent.parent  # an editor's extension starts us from its own folder
        self._set_path("PYTHONPATH", [e for e in self._path("PYTHONPATH") if Path(e).absolute() != folder])
        self._drop(_OF_OUR_PYTHON if same else (*_OF_OUR_PYTHON, "PYTHONHOME"))

    def leave_others(self, environment: Environment | None) -> None:
        """Leave every active environment but this one. A conda environment stays below a virtual environment."""
        venv, prefix = (self.variables.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX"))
        if venv and not _is(environment, venv):
            self.leave(Environment(Path(venv), "venv"))
        if prefix and not _is(environment, prefix) and (environment is None or environment.kind == "conda"):
            self.leave(Environment(Path(prefix), "conda"))

    def leave(self, environment: Environment) -> None:
        """Take an environment off the `PATH`, and its variables away where it is the active one."""
        gone = {Path(entry) for entry in environment.path_entries(self._platform)}
        self._set_path("PATH", [entry for entry in self._path("PATH") if Path(entry) not in gone])
        for names, given in ((_OF_VENV, {}), (_OF_CONDA, conda.variables(environment.prefix))):
            if _is(environment, self.variables.get(names[0])):
                self._drop([*names, *given])

    def enter(self, environment: Environment) -> None:
        """Put an environment first on the `PATH`, and set what activating it sets; where it is active, all is done."""
        first = environment.path_entries(self._platform)
        self._set_path("PATH", [*first, *(entry for entry in self._path("PATH") if entry not in first)])
        if environment.kind == "venv":
            self.variables["VIRTUAL_ENV"] = str(environment.prefix)
        elif not _is(environment, self.variables.get("CONDA_PREFIX")):
            self.variables.update(conda.activation(environment.prefix))

    def _path(self, name: str) -> list[str]:
        # an empty entry would mean the folder in which the editor was started
        return [entry for entry in self.variables.get(name, "").split(self._separator) if entry]

    def _set_path(self, name: str, entries: list[str]) -> None:
        if entries:
            self.variables[name] = self._separator.join(entries)
        else:
            self.variables.pop(name, None)

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            self.variables.pop(name, None)


def _is(environment: Environment | None, prefix: str | None) -> bool:
    return environment is not None and prefix is not None and environment.prefix == Path(prefix)
