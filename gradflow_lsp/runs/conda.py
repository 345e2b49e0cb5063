"""What `conda activate` does to the environment variables, done from the files that it reads; conda itself is not run.

The scripts in `etc/conda/activate.d` are for a shell and are not run either; `scripts` names them for whoever asks.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gradflow_lsp.runs.environments import WINDOWS, is_conda_base

_UNSET = "***unset***"
"""The value by which conda means that a variable is not set."""


def activation(prefix: Path) -> dict[str, str]:
    """Return the variables that are set in an active environment, besides the `PATH`."""
    name = prefix.name if prefix.parent.name == "envs" else str(prefix)
    own = {
        "CONDA_PREFIX": str(prefix),
        "CONDA_DEFAULT_ENV": "base" if is_conda_base(prefix) else name,
        "CONDA_SHLVL": "1",
    }
    return {**own, **variables(prefix)}


def variables(prefix: Path) -> dict[str, str]:
    """Return the variables that packages and `conda env config vars` have given to an environment."""
    found: dict[str, str] = {}
    by_packages = [_json(file) for file in sorted((prefix / "etc/conda/env_vars.d").glob("*"))]
    for table in (*by_packages, _json(prefix / "conda-meta/state").get("env_vars")):
        if isinstance(table, dict):
            found.update({str(name): str(value) for name, value in table.items()})
    return {name: value for name, value in found.items() if value != _UNSET}


def scripts(prefix: Path, platform: str = sys.platform) -> list[Path]:
    """Return the scripts that only a shell's `conda activate` runs."""
    suffix = ".bat" if platform == WINDOWS else ".sh"
    return sorted((prefix / "etc/conda/activate.d").glob(f"*{suffix}"))


def _json(file: Path) -> dict[str, object]:
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return table if isinstance(table, dict) else {}
