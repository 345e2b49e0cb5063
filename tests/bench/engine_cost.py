"""What a run of the engine costs beside a plain forward and backward of the same probe.

    python tests/bench/engine_cost.py
    python tests/bench/engine_cost.py --zoo ../shared/zoo --python ZOO_PYTHON --output cost.md

A run counts from the end of the file's import to the finished report; the plain one is the probe's call and one
backward of its loss (with several losses the engine makes one for each, the plain run one of their sum). Both alternate
in one process for each model; a ratio is the median of the ratios of neighbours, of processor time and of wall time.
The bars are held against the processor time, as that is what a loaded machine leaves alone.

Healthy models are those on which the engine takes no closer look. On the others it calls the probe again: `calls` says
how often in all. `x look` is the whole run without the replays that move parameters, which have a column of their own.
Peak memory is that of fresh processes that make one run each, for models with at least 50 million parameters.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tables import table

HERE = Path(__file__).parent
HEALTHY = ["mlp", "conv", "transformer", "recurrent", "tiny_300", "tiny_1000", "big"]
FAULTY = ["mlp", "conv", "transformer", "recurrent", "tiny_1000"]
FAULTS = ["detached", "dead", "vanishing"]

HEALTHY_BAR, TINY_BAR, SICK_BAR, MEMORY_BAR = 1.15, 1.6, 3.0, 1.15
MIDDLE = 0.05
"""Seconds of a plain run from which on there are bars: below it, milliseconds that no one notices decide."""
BIG = 50e6
PARTS = ["autograd", "reading", "judging", "look", "wake", "causes", "report"]


@dataclass(frozen=True)
class Model:
    """One probe to measure, and the interpreter that has its packages."""

    name: str
    path: Path
    function: str
    python: str


class Unmeasured(Exception):
    """A model could not be run. The message says why."""


def models(options: argparse.Namespace) -> list[Model]:
    """The bench's own models, and the zoo's where one is given."""
    tried_out = any(pattern.startswith("smallest") for pattern in options.only or [])
    healthy, faulty = (["smallest"], ["smallest"]) if tried_out else (HEALTHY, FAULTY)
    names = healthy + [f"{name}_{fault}" for name in faulty for fault in FAULTS]
    own = [Model(name, HERE / "models.py", f"gradflow_probe_{name}", sys.executable) for name in names]
    zoo = sorted((options.zoo / "probes").glob("*.py")) if options.zoo else []
    found = own + [Model(path.stem, path, "gradflow_probe", options.python) for path in zoo]
    wanted = options.only or ["*"]
    return [model for model in found if any(fnmatch.fnmatch(model.name, pattern) for pattern in wanted)]


def measure(model: Model, timeout: float, *arguments: str) -> dict:
    """Run `sampling.py` on a model in a process of its own. Raises `Unmeasured`."""
    command = [model.python, str(HERE / "sampling.py"), str(model.path), model.function, *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment)
    except subprocess.TimeoutExpired:
        raise Unmeasured(f"no answer in {timeout:g} s") from None
    if not run.stdout.strip():
        raise Unmeasured((run.stderr.strip().splitlines() or ["no answer"])[-1][:120])
    return json.loads(run.stdout.splitlines()[-1])


class Row:
    """The figures of one model."""

    def __init__(self, model: Model, samples: dict):
        plain, engine = samples["plain"], samples["engine"]
        self.name, self.parameters, self.runs = model.name, samples["parameters"], len(plain)
        self.plain = median(one["cpu"] for one in plain)
        self.tracing = median(one["parts"]["probe"] for one in engine) - median(one["forward"] for one in plain)
        self.parts = {part: median(one["parts"].get(part, 0.0) for one in engine) for part in PARTS}
        self.rest = median(one["cpu"] - sum(one["parts"].values()) for one in engine)
        last = engine[-1]
        self.ops = "-" if last["ops"] is None else str(last["ops"])
        self.looked, self.calls = last["looked_closer"], last["probe_calls"]
        self.bad = ", ".join(f"{n} {verdict}" for verdict, n in last["verdicts"].items() if verdict != "healthy")
        wakes = [one["parts"].get("wake", 0.0) for one in engine]
        pairs = list(zip(plain, engine, wakes, strict=True))
        self.cpu = median(e["cpu"] / p["cpu"] for p, e, _ in pairs)
        self.wall = median(e["wall"] / p["wall"] for p, e, _ in pairs)
        self.look = median((e["cpu"] - wake) / p["cpu"] for p, e, wake in pairs)
        self.wake = median(wake / p["cpu"] for p, _, wake in pairs)

    @property
    def faulty(self) -> bool:
        return self.looked or self.name.endswith(tuple(FAULTS))

    @property
    def size(self) -> str:
        if self.name.startswith("tiny"):
            return "tiny layers"
        return "big" if self.parameters >= BIG else "middle" if self.plain >= MIDDLE else "small"

    def bar(self) -> str:
        """Whether the figure keeps to its bar, where it has one."""
        if self.size == "small":
            return "-"
        if self.faulty:
            return judged(self.look, SICK_BAR)
        return judged(self.cpu, TINY_BAR if self.size == "tiny layers" else HEALTHY_BAR)


def judged(ratio: float, bar: float) -> str:
    return f"<= {bar:g} {'ok' if ratio <= bar else 'MISSED'}"


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f}"


HEALTHY_COLUMNS = {
    "model": lambda r: r.name,
    "size": lambda r: r.size,
    "M parameters": lambda r: f"{r.parameters / 1e6:.1f}",
    "plain ms": lambda r: milliseconds(r.plain),
    "x cpu": lambda r: f"{r.cpu:.2f}",
    "x wall": lambda r: f"{r.wall:.2f}",
    "bar": Row.bar,
    "watching ms": lambda r: milliseconds(r.tracing),
    "reading": lambda r: milliseconds(r.parts["reading"]),
    "judging": lambda r: milliseconds(r.parts["judging"]),
    "causes": lambda r: milliseconds(r.parts["causes"]),
    "report": lambda r: milliseconds(r.parts["report"]),
    "rest": lambda r: milliseconds(r.rest),
}
FAULTY_COLUMNS = {
    "model": lambda r: r.name,
    "plain ms": lambda r: milliseconds(r.plain),
    "x look": lambda r: f"{r.look:.2f}",
    "bar": Row.bar,
    "x replays": lambda r: f"{r.wake:.2f}",
    "x all": lambda r: f"{r.cpu:.2f}",
    "x all wall": lambda r: f"{r.wall:.2f}",
    "calls": lambda r: str(r.calls),
    "ops": lambda r: r.ops,
    "tracing ms": lambda r: milliseconds(r.tracing),
    "reading": lambda r: milliseconds(r.parts["reading"]),
    "look": lambda r: milliseconds(r.parts["look"]),
    "replays": lambda r: milliseconds(r.parts["wake"]),
    "causes": lambda r: milliseconds(r.parts["causes"]),
    "report": lambda r: milliseconds(r.parts["report"]),
    "not healthy": lambda r: r.bad,
}


def section(title: str, columns: dict, rows: list[Row]) -> list[str]:
    if not rows:
        return []
    return ["", title, "", *table([list(columns), *([cell(row) for cell in columns.values()] for row in rows)])]


def memory(model: Model, timeout: float, processes: int) -> list[str]:
    """The peak memory of processes that ran the probe plainly, and of ones that ran the engine."""
    peaks: dict[str, list[float]] = {"plain": [], "engine": []}
    for _ in range(processes):
        for way, found in peaks.items():
            found.append(measure(model, timeout, "--memory", way)["peak"] / 2**20)
    plain, engine = median(peaks["plain"]), median(peaks["engine"])
    return [model.name, f"{plain:.0f}", f"{engine:.0f}", f"{engine / plain:.3f}", judged(engine / plain, MEMORY_BAR)]


def main() -> int:
    """Print the tables; exit status 1 when a bar is missed or a model could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", type=Path, help="a folder whose probes/ are measured too")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the zoo's packages")
    parser.add_argument("--only", nargs="*", help="patterns of models' names")
    parser.add_argument("--runs", type=int, default=9, help="pairs of runs for each model")
    parser.add_argument("--seconds", type=float, default=60, help="after so long a model gets no more than three pairs")
    parser.add_argument("--cold", action="store_true", help="make each run the first of its process, as in the product")
    parser.add_argument("--memory", type=int, default=3, metavar="N", help="processes for each peak (0: none)")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--output", type=Path, help="a Markdown file to write the tables into")
    options = parser.parse_args()

    rows: list[Row] = []
    peaks: list[list[str]] = []
    failed: list[str] = []
    arguments = ["--runs", str(options.runs), "--seconds", str(options.seconds), *(["--cold"] * options.cold)]
    for model in models(options):
        try:
            row = Row(model, measure(model, options.timeout, *arguments))
            rows.append(row)
            print(f"{row.name}: x {row.cpu:.2f} ({row.runs} pairs)", file=sys.stderr, flush=True)
            if row.parameters >= BIG and options.memory:
                peaks.append(memory(model, options.timeout, options.memory))
        except Unmeasured as error:
            failed.append(f"{model.name} could not be measured: {error}")

    lines = section("Healthy", HEALTHY_COLUMNS, [row for row in rows if not row.faulty])
    lines += section("With a fault, or looked at closely", FAULTY_COLUMNS, [row for row in rows if row.faulty])
    if peaks:
        lines += ["", "Peak memory", "", *table([["model", "plain MB", "engine MB", "x", "bar"], *peaks])]
    lines += ["", *failed] if failed else []
    print("\n".join(lines[1:]))
    if options.output:
        options.output.write_text("\n".join(lines[1:]) + "\n", encoding="utf-8")
    return 1 if failed or "MISSED" in "\n".join(lines) else 0


if __name__ == "__main__":
    sys.exit(main())
