"""Runs one probe over and over, plainly and under the engine, and says what each run took. No part of it is compared.

Run by `engine_cost.py` in the interpreter that has the model's packages, a fresh process for each model:

    python sampling.py PATH FUNCTION --runs 7          seconds of alternating runs, as one line of JSON
    python sampling.py PATH FUNCTION --memory engine   the peak memory of a process that made one run (or `plain`)
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[2])  # in place of this folder: its `models` would be in the user's way

import torch  # noqa: E402
from torch.nn.parameter import UninitializedParameter  # noqa: E402

from gradflow_lsp.probe import calling, closer, engine  # noqa: E402
from gradflow_lsp.probe.isolation import look_like_a_fresh_interpreter, seed_everything  # noqa: E402
from gradflow_lsp.probe.loading import load  # noqa: E402
from gradflow_lsp.probe.placing import project_folder  # noqa: E402
from gradflow_lsp.probe.protocol import RunRequest  # noqa: E402

PARTS = [
    (calling.Probe, "call", "probe"),
    (torch.Tensor, "backward", "autograd"),
    (engine, "clean_backward", "reading"),
    (engine, "judge", "judging"),
    (engine, "needs_a_closer_look", "judging"),
    (engine, "look_closer", "look"),
    (closer, "wake", "wake"),
    (engine, "find_causes", "causes"),
    (engine, "unregistered", "causes"),
    (engine, "about_losses", "causes"),
    (engine, "assemble", "report"),
]
"""Functions of the engine, and the part of a run that the time in them counts as.

Each counts without the others that it calls; the closer look takes all in, but for the replays in `wake`.
"""


LEAST = 3


class Parts:
    """The processor time that a run spent in each part, and how often it called the probe."""

    def __init__(self):
        self.seconds = Counter()
        self.calls = Counter()
        self.evidence = None
        self._open = []
        self._inner = 0.0
        for owner, name, part in PARTS:
            setattr(owner, name, self._watched(getattr(owner, name), part))

    def _watched(self, function, part):
        @wraps(function, updated=())
        def watched(*args, **kwargs):
            self.calls[part] += 1
            if function.__name__ == "find_causes":
                self.evidence = args[0]
            if ("look" in self._open and part != "wake") or "wake" in self._open:
                return function(*args, **kwargs)
            with self._measured(part):
                return function(*args, **kwargs)

        return watched

    @contextmanager
    def _measured(self, part):
        began, outside, self._inner = time.process_time(), self._inner, 0.0
        self._open.append(part)
        try:
            yield
        finally:
            self._open.pop()
            spent = time.process_time() - began
            self.seconds[part] += spent - self._inner
            self._inner = outside + spent

    def taken(self) -> dict:
        """What was noted since the last call."""
        traced = self.evidence is not None and self.evidence.traced
        taken = {
            "parts": dict(self.seconds),
            "probe_calls": self.calls["probe"],
            "looked_closer": bool(self.calls["look"]),
            "ops": len(self.evidence.ops) if traced else None,
        }
        self.seconds.clear()
        self.calls.clear()
        self.evidence = None
        return taken


def plainly(function: Callable, arguments: dict) -> dict:
    """The probe and one backward of its loss (of the sum, where there are several)."""
    wall, cpu = time.perf_counter(), time.process_time()
    seed_everything(0)
    result = function(**arguments)
    forward = time.process_time() - cpu
    losses = result[1] if isinstance(result, (tuple, list)) else result
    sum(losses.values() if isinstance(losses, dict) else [losses]).backward()
    del result, losses
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "forward": forward}


def under_the_engine(request: RunRequest, parts: Parts) -> dict:
    """One run of the engine, from the end of the file's import on."""
    began = {}

    def on_stage(stage):
        if stage == "probe":
            parts.taken()
            began.update(wall=time.perf_counter(), cpu=time.process_time())

    report = engine.run(request, on_stage)
    spent = {"wall": time.perf_counter() - began["wall"], "cpu": time.process_time() - began["cpu"]}
    assert report.status == "ok", report.error
    verdicts = Counter(parameter.verdict for parameter in report.parameters)
    return {**spent, **parts.taken(), "verdicts": dict(verdicts)}


def in_a_fork(run: Callable[[], dict]) -> dict:
    """Make a run as the first of its process, as in the product."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, json.dumps(run()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return json.loads(text)


def main() -> None:
    """Measure and print one line of JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("function")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=60, help=f"after them no run begins, once there are {LEAST}")
    parser.add_argument("--cold", action="store_true", help="each run as the first of a process")
    parser.add_argument("--memory", choices=["engine", "plain"])
    options = parser.parse_args()
    answers = os.dup(1)
    os.dup2(2, 1)  # packages print when they like

    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()  # as the product's template does before it forks
    path = str(Path(options.path).resolve())
    folder = project_folder(path, ())
    request = RunRequest(path, options.function, roots=(folder,))
    look_like_a_fresh_interpreter(path, folder)
    module = load(request)
    engine.load = lambda request: module  # its import is no part of what is measured
    function = getattr(module, options.function)
    arguments = {"device": "cpu", "seed": 0}
    arguments = {n: v for n, v in arguments.items() if n in inspect.signature(function).parameters}
    if options.memory:
        _ = plainly(function, arguments) if options.memory == "plain" else engine.run(request, lambda stage: None)
        answer = {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
    else:
        answer = sample(options, request, function, arguments)
    os.write(answers, json.dumps(answer).encode() + b"\n")
    os._exit(0)


def sample(options: argparse.Namespace, request: RunRequest, function: Callable, arguments: dict) -> dict:
    """Alternate plain runs and runs of the engine, after one of each that does not count."""
    parts = Parts()
    runs = {"plain": lambda: plainly(function, arguments), "engine": lambda: under_the_engine(request, parts)}
    samples = {"plain": [], "engine": []}
    enough = time.monotonic() + options.seconds
    for number in range(options.runs + 1):
        if number > LEAST and time.monotonic() > enough:
            break
        for name in sorted(runs, reverse=bool(number % 2)):
            gc.collect()  # what one run leaves is not the next one's to pay for
            samples[name].append(in_a_fork(runs[name]) if options.cold else runs[name]())
    model = function(**arguments)
    models = model[0] if isinstance(model, (tuple, list)) else []
    models = models.values() if isinstance(models, dict) else models if isinstance(models, (tuple, list)) else [models]
    parameters = {id(p): p.numel() for m in models for p in m.parameters() if not isinstance(p, UninitializedParameter)}
    return {"parameters": sum(parameters.values()), **{name: values[1:] for name, values in samples.items()}}


if __name__ == "__main__":
    main()
