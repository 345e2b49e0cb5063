"""Asks every test about every parameter whose gradient is zero or tiny, for the probes whose paths come in.

    python zero_sampling.py < paths       one line of JSON for each path

Run by `zero_tests.py`, which says what the tests are, in the interpreter that has the probes' packages.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import warnings

import torch
from sampling import in_a_fork  # before the engine: it puts the repository on the path

from gradflow_lsp.probe import closer, engine
from gradflow_lsp.probe.isolation import look_like_a_fresh_interpreter
from gradflow_lsp.probe.placing import project_folder
from gradflow_lsp.probe.protocol import RunRequest
from gradflow_lsp.probe.verdicts import NOISE_CHANGE, NOISE_RELATIVE, REDUNDANT_TO_SIBLING, cancels, judge

TIMEOUT = 300


def in_question(facts) -> list:
    """The parameters with a gradient that is zero, or below the share at which noise is looked for."""
    found = {}
    for loss in facts[0].by_loss if facts else ():
        there = [(f, f.by_loss[loss]) for f in facts if f.requires_grad and f.by_loss[loss] is not None]
        largest = max((g.rms for _, g in there if g.finite), default=0.0)
        found |= {f.name: f for f, g in there if g.finite and g.rms <= NOISE_RELATIVE * largest}
    return list(found.values())


def look(path: str) -> dict:
    """Run one probe, closely, and ask."""
    signal.alarm(TIMEOUT)
    folder = project_folder(path, ())
    look_like_a_fresh_interpreter(path, folder)
    seen = []
    find_causes = engine.find_causes

    def keep(evidence):
        seen.append(evidence)
        return find_causes(evidence)

    engine.find_causes = keep
    engine.needs_a_closer_look = lambda evidence: True
    closer.watched = lambda facts, judgements: in_question(facts)
    report = engine.run(RunRequest(path, "gradflow_probe", roots=(folder,)), lambda stage: None)
    if report.status != "ok":
        return {"path": path, "failed": report.status}
    facts, explained, awake = seen[0].facts, seen[0].explained, seen[0].awake or set()
    if explained is None:  # there is none to ask about
        return {"path": path, "parameters": {}}
    by_size, live = judge(facts), {}
    for fact in facts:
        if fact.dimensions >= 2 and by_size[fact.name].verdict in ("healthy", "vanishing"):
            live[fact.parameter.module] = max(fact.gradient.rms, live.get(fact.parameter.module, 0.0))
    answers = {
        fact.name: {
            "sibling": fact.dimensions <= 1
            and 0 < fact.gradient.rms < REDUNDANT_TO_SIBLING * live.get(fact.parameter.module, 0.0),
            "scale": explained.changes.get(fact.name, 0.0) >= NOISE_CHANGE,
            "cancellation": cancels(fact, explained),
            "escape": fact.name in awake,
            "usable": by_size[fact.name].verdict == "healthy",
        }
        for fact in in_question(facts)
    }
    return {"path": path, "parameters": answers}


def main() -> None:
    """Look at each path that comes in."""
    answers = os.dup(1)
    os.dup2(2, 1)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    gc.collect()
    gc.freeze()
    for path in filter(None, map(str.strip, sys.stdin)):
        try:
            answer = in_a_fork(lambda path=path: look(path))
        except ValueError:
            answer = {"path": path, "failed": "ended without an answer, or too late"}
        os.write(answers, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
