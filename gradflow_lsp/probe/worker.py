"""A worker process: imports torch and what it is told to import ahead, then serves runs in one of two ways.

`once`: an interpreter for one run. Standard input is its control pipe, standard output its result pipe, and standard
error takes what the user's code prints. `template` (Linux): forks a run for whoever asks (see `template`).

The first message in is a JSON list of the modules to import ahead (see `ahead`). The first line out that is not empty
is `{"ready": …}`, or `{"failed": …}` where torch cannot be imported, with which the process ends.
"""

from __future__ import annotations

import json
import os
import platform

from .installing import environment_times
from .isolation import Channel, die_with_parent, lead_group, lines, shelter, stand_guard


def main(arguments: list[str]) -> None:
    """Be what the command line says: `once` or `template`."""
    lead_group()
    die_with_parent()
    control, result = shelter(0, 1, 2)
    if arguments == ["once"]:
        stand_guard(control, result)
    os.write(result, b"\n")  # ends the line that a start-up file of this Python may have begun
    answers = Channel(result)
    environment = environment_times()
    try:
        import torch  # noqa: F401
    except Exception as error:  # a broken installation raises anything: OSError for a missing library, for one
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        answers.send(failed={"kind": "no-torch", "detail": reason, "python": platform.python_version()})
        return
    from . import ahead, single  # here, as most modules of this package rely on torch being there

    if arguments == ["template"]:
        from . import template

        template.serve(control, answers, environment)
    else:
        messages = lines(control)
        names = json.loads(next(messages, b"[]"))
        doubts = ahead.import_ahead(names)
        answers.send(ready=ahead.readiness(names, doubts, environment))
        single.run_one(messages, answers, ahead=names)
