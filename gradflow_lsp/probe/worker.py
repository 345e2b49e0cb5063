"""A worker process: says whether torch is there, then serves runs in one of two ways.

`once`: a fresh interpreter for one run. Standard input is its control pipe, standard output its result pipe, and
standard error takes what the user's code prints. `template` (Linux): forks a run for whoever asks (see `template`).

The first line out that is not empty is `{"ready": …}`, or `{"failed": …}` where torch cannot be imported, with which
the process ends.
"""

from __future__ import annotations

import os
import platform
import sys

from .isolation import Channel, die_with_parent, lead_group, shelter


def main(arguments: list[str]) -> None:
    """Be what the command line says: `once` or `template`."""
    lead_group()
    die_with_parent()
    control, result = shelter(0, 1, 2)
    os.write(result, b"\n")  # ends the line that a start-up file of this Python may have begun
    answers, python = Channel(result), platform.python_version()
    try:
        import torch
    except Exception as error:  # a broken installation raises anything: OSError for a missing library, for one
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        answers.send(failed={"kind": "no-torch", "detail": reason, "python": python})
        return
    from . import single  # here, as all modules of this package but `isolation` rely on torch being there

    answers.send(ready={"python": python, "torch": torch.__version__, "interpreter": sys.executable})
    if arguments == ["template"]:
        from . import template

        template.serve(control, answers)
    else:
        single.run_one(control, answers)
