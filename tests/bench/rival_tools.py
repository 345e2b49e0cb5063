"""Runs case files under one tool, each in a process of its own, beside plain runs of the same probe.

    python rival_tools.py TOOL --runs 3 --timeout 60 < paths       one line of JSON for each path

Run by `rivals.py`, which says how the answers are counted. Where a tool is not installed, `{"absent": …}` is all.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import re
import signal
import sys
import time
import warnings
from statistics import median

import torch
from sampling import in_a_fork, plainly  # before the engine: it puts the repository on the path

from gradflow_lsp.probe import engine
from gradflow_lsp.probe.isolation import look_like_a_fresh_interpreter, seed_everything
from gradflow_lsp.probe.loading import load
from gradflow_lsp.probe.placing import project_folder
from gradflow_lsp.probe.protocol import RunRequest

TINY, HUGE = 1e-7, 1e4
"""Between these a gradient's norm is taken to be in order: the defaults of TorchLens, the lower one widely used."""


class Case:
    """One loaded case file."""

    def __init__(self, path: str):
        folder = project_folder(path, ())
        look_like_a_fresh_interpreter(path, folder)
        self.path = path
        self.request = RunRequest(path, "gradflow_probe", roots=(folder,))
        self.module = load(self.request)
        self.probe = self.module.gradflow_probe

    def models_and_loss(self):
        """What the probe returns: its models by name, and the sum of its losses."""
        seed_everything(0)
        result = self.probe()
        models, loss = result if isinstance(result, (tuple, list)) else ({}, result)
        if isinstance(models, (tuple, list)):
            models = dict(enumerate(models))
        elif not isinstance(models, dict):
            models = {"model": models}
        return models, sum(loss.values()) if isinstance(loss, dict) else loss

    def lines(self, places):
        """The lines, out of pairs of a file and a line, that lie in the case itself."""
        return sorted({line for file, line in places if file == self.path})


def gradflow(case):
    engine.load = lambda request: case.module
    report = engine.run(case.request, lambda stage: None)
    if report.status != "ok":
        return [report.status], []
    loud = {p.name for p in report.parameters if p.severity in ("warning", "error")}
    findings = [finding for finding in report.findings if finding.severity in ("warning", "error")]
    causes = [cause for cause in report.causes if findings or loud & set(cause.parameters)]
    places = [place.location for place in [*causes, *findings] if place.location is not None]
    return sorted(loud) + [f.code for f in findings], case.lines((place.path, place.line) for place in places)


def detect_anomaly(case):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            _, loss = case.models_and_loss()
            try:
                loss.backward()
            except RuntimeError as error:
                frames = re.findall(r'File "(.+)", line (\d+)', "".join(str(warning.message) for warning in told))
                return [str(error)], case.lines((file, int(line)) for file, line in frames)
    return [], []


def norm_loop(case):
    models, loss = case.models_and_loss()
    try:
        loss.backward()
    except RuntimeError as error:
        return [str(error)], []
    wrong = []
    for model in models.values():
        for name, parameter in model.named_parameters():
            if not parameter.requires_grad:
                continue
            norm = None if parameter.grad is None else parameter.grad.norm().item()
            if norm is None or not math.isfinite(norm) or not TINY <= norm <= HUGE:
                wrong.append(f"{name}: {norm}")
    return wrong, []


class _Traced(torch.nn.Module):
    """The probe as a module without inputs of its own, so that the trace holds all it does, its loss included."""

    def __init__(self, case):
        super().__init__()
        self.case = case

    def forward(self, _):
        return self.case.models_and_loss()[1]


def torchlens(case):
    import torchlens as tl

    capture = tl.options.CaptureOptions(save_grads=True)
    try:
        trace = tl.trace(_Traced(case), torch.zeros(1), capture=capture)
        loss = trace[trace.output_layers[0]].out
    except RuntimeError:  # some layers cannot be built within a trace
        trace, loss = _first_call_traced(case, lambda model, *inputs: tl.trace(model, *inputs, capture=capture))
    try:
        trace.log_backward(loss)
    except ValueError as error:
        return [str(error)], []
    rows, _ = tl.debug.gradient_flow_audit_rows(trace, grad_scale=1.0)
    flagged = [row for row in rows if row["severity"]]
    wrong = [f"{row['op']}: {row['verdict']}" for row in flagged]
    named = [str(row["op"]) for row in flagged if row["is_frontier"]] or [str(row["op"]) for row in flagged]
    if any(row["verdict"] == "nonfinite" for row in flagged) or not torch.isfinite(loss):
        forward = trace.find_nan()  # only here: infinities of a mask are no fault
        if forward.found:
            wrong.append(forward.message)
            named.append(forward.label)
        try:  # the audit's own advice for such rows
            birth = tl.debug.bisect_nan_backward(trace).birth
            named += [birth.op_label] if birth is not None and birth.op_label else []
        except tl.errors.TorchLensError:
            pass
    places = [(f.file, f.line_number) for label in named for f in _operation(trace, label).code_context]
    return wrong, case.lines(places)


def _first_call_traced(case, trace_call):
    """Call the probe with its first call of a module traced. Return the trace, and the loss made of its output."""
    call, traces = torch.nn.Module.__call__, []

    def traced(model, *args, **kwargs):
        torch.nn.Module.__call__ = call
        traces.append(trace_call(model, list(args), kwargs))
        return traces[0][traces[0].output_layers[0]].out

    torch.nn.Module.__call__ = traced
    try:
        _, loss = case.models_and_loss()
    finally:
        torch.nn.Module.__call__ = call
    return traces[0], loss


def _operation(trace, label):
    found = trace[label]
    return found.ops[0] if hasattr(found, "ops") and ":" not in label else found


TOOLS = {
    "gradflow-lsp": gradflow,
    "detect_anomaly": detect_anomaly,
    "TorchLens audit": torchlens,
    "norm loop": norm_loop,
}


def judge(path: str, tool: str, runs: int, timeout: int) -> dict:
    """What a tool says of one case, and the median of its times over those of plain runs beside it."""
    signal.alarm(timeout)  # ends the process: nothing else surely ends what a tool may hang in
    case, ratios = Case(path), []
    for number in range(runs + 1):
        gc.collect()
        began = time.process_time()
        try:
            plainly(case.probe, {})
        except RuntimeError as error:  # there is no graph at all: every tool meets that
            assert "does not require grad" in str(error), error
        plain = time.process_time() - began
        gc.collect()
        began = time.process_time()
        try:
            wrong, lines = TOOLS[tool](case)
        except Exception as error:
            return {"path": path, "failed": f"{type(error).__name__}: {error}"[:200]}
        if number:
            ratios.append((time.process_time() - began) / plain)
    return {"path": path, "wrong": wrong[:50], "lines": lines, "ratio": median(ratios)}


def main() -> None:
    """Judge each path that comes in."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--timeout", type=int, default=60)
    options = parser.parse_args()
    answers = os.dup(1)
    os.dup2(2, 1)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    if options.tool == "TorchLens audit":
        try:
            import torchlens  # noqa: F401
        except ImportError as error:
            os.write(answers, json.dumps({"absent": str(error)}).encode() + b"\n")
            return
    gc.collect()
    gc.freeze()
    for path in map(str.strip, sys.stdin):
        try:
            answer = in_a_fork(lambda path=path: judge(path, options.tool, options.runs, options.timeout))
        except ValueError:
            answer = {"path": path, "failed": "ended without an answer, or too late"}
        os.write(answers, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
