"""What a worker finds around it: the environment variables of the user's own Python, and nothing of ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import gradflow_lsp
from gradflow_lsp.runs.interpreter import Interpreter


def environment_for(interpreter: Interpreter, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment variables for a worker: the user's own, without those that speak of our interpreter."""
    variables = dict(environ)
    ours = Path(gradflow_lsp.__file__).parent.parent
    if search_path := variables.get("PYTHONPATH"):  # an editor's extension starts us from its own folder this way
        kept = [entry for entry in search_path.split(os.pathsep) if Path(entry).absolute() != ours]
        variables["PYTHONPATH"] = os.pathsep.join(kept)
        if not kept:
            del variables["PYTHONPATH"]
    if interpreter.command[0] != sys.executable:
        variables.pop("PYTHONHOME", None)
    variables.pop("__PYVENV_LAUNCHER__", None)  # macOS: would make every Python take our environment for its own
    return variables
