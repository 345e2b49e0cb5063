"""How many model classes get a probe that runs as it was written.

    python tests/bench/stub_score.py ../shared/stub_classes

Each `NAME.json` of the folder names a class of `NAME.py`. Its probe is written into a copy of the file and run with
real torch in a process of its own: it counts when it runs and more than 90 % of the parameters that require a gradient
have one after one backward.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from gradflow_lsp.source.stub import write_probe

ENOUGH = 0.9

RUNNER = """
import importlib.util, json, sys, torch
torch.set_num_threads(1)
torch.manual_seed(0)
path, function = sys.argv[1:]
sys.path.insert(0, path.rpartition("/")[0])
spec = importlib.util.spec_from_file_location(path.rpartition("/")[2][:-3], path)
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
model, loss = getattr(module, function)()
loss.backward()
parameters = [p for p in model.parameters() if p.requires_grad]
reached = [p for p in parameters if p.grad is not None]
moved = [p for p in reached if p.grad.abs().max() > 0]
print(json.dumps([len(parameters), len(reached), len(moved), float(loss.detach())]))
"""


@dataclass(frozen=True)
class Score:
    """What became of one class's probe."""

    name: str
    difficulty: str
    reached: int
    parameters: int
    moved: int
    milliseconds: float
    trouble: str

    @property
    def counts(self) -> bool:
        return not self.trouble and self.reached > ENOUGH * self.parameters


def score(folder: Path, name: str, python: str, timeout: float, keep: Path | None) -> Score:
    """Write and run the probe of one class."""
    about = json.loads((folder / f"{name}.json").read_text("utf-8"))
    text = (folder / f"{name}.py").read_bytes().decode("utf-8")
    began = time.perf_counter()
    stub = write_probe(text, about["class"], path=folder / f"{name}.py")
    milliseconds = (time.perf_counter() - began) * 1000
    with tempfile.TemporaryDirectory() as scratch:
        copy = (keep or Path(scratch)) / f"{name}.py"
        copy.write_bytes(stub.apply(text).encode("utf-8"))
        command = [python, "-c", RUNNER, str(copy), stub.function]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return Score(name, about["difficulty"], 0, 0, 0, milliseconds, f"no answer in {timeout:g} s")
    if run.returncode:
        trouble = (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[-1]
        return Score(name, about["difficulty"], 0, 0, 0, milliseconds, trouble)
    parameters, reached, moved, _ = json.loads(run.stdout.splitlines()[-1])
    return Score(name, about["difficulty"], reached, parameters, moved, milliseconds, "")


def main() -> int:
    """Print the table and the share by difficulty; exit status 1 when no class counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", help="names of the classes to try")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has torch")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--keep", type=Path, help="a folder for the files with their probes")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)

    names = arguments.only or sorted(path.stem for path in arguments.folder.glob("*.json"))
    by_difficulty: dict[str, list[Score]] = collections.defaultdict(list)
    for name in names:
        one = score(arguments.folder, name, arguments.python, arguments.timeout, arguments.keep)
        by_difficulty[one.difficulty].append(one)
        mark = "ok " if one.counts else "NO "
        flow = f"{one.reached}/{one.parameters} reached, {one.moved} not zero"
        print(f"{mark} {name:24} {one.difficulty:7} {one.milliseconds:6.0f} ms  {one.trouble or flow}", flush=True)
    everything = [one for scores in by_difficulty.values() for one in scores]
    for title, scores in [*sorted(by_difficulty.items()), ("all", everything)]:
        print(f"{title:8} {sum(one.counts for one in scores)}/{len(scores)}")
    return 0 if any(one.counts for one in everything) else 1


if __name__ == "__main__":
    sys.exit(main())
