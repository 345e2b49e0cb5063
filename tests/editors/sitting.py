"""A sitting: a real editor is started on two small files, goes through a user's steps, and writes down what it showed.

The steps are a script of the editor's own; here is what all sittings share: the files, the environment, and the end of
every process that was started.
"""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import psutil

CONFIGS = Path(__file__).parents[2] / "client-config"

CUT_WIRE = """\
import torch
import torch.nn.functional as F
from torch import nn


class CutWire(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(10, 32)
        self.last = nn.Linear(32, 2)

    def forward(self, x):
        h = F.relu(self.first(x)).detach()
        return self.last(h)


def gradflow_probe():
    model = CutWire()
    x, y = torch.randn(16, 10), torch.randint(0, 2, (16,))
    return model, F.cross_entropy(model(x), y)
"""
FIRST, LAST, DETACH, PROBE = 9, 10, 13, 17
"""The lines of `CUT_WIRE` that something is shown on."""

NO_PROBE = """\
import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))
"""
CLASS = 5
"""The line of `NO_PROBE` that the class starts on."""

TIMEOUT = 100


def sit(folder, command, **env):
    """Run an editor's `command` in `folder`; return what it wrote down, and which processes it `left` behind.

    The script finds its files in the environment: `CUT_WIRE` and `NO_PROBE` to open, `SAW` to write. A step that
    failed is written as `problem`, which fails the sitting.
    """
    project = folder / "project"
    project.mkdir()
    (project / "pyproject.toml").touch()
    (project / "cut_wire.py").write_text(CUT_WIRE, encoding="utf-8")
    (project / "no_probe.py").write_text(NO_PROBE, encoding="utf-8")
    saw, mark = folder / "saw.json", uuid.uuid4().hex
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(folder),
        **{f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
        "OMP_NUM_THREADS": "1",
        "CUT_WIRE": str(project / "cut_wire.py"),
        "NO_PROBE": str(project / "no_probe.py"),
        "SAW": str(saw),
        "GRADFLOW_TEST_MARK": mark,
        **env,
    }
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        left = [process.info["cmdline"] for process in _marked(mark)]
    finally:
        _end(_marked(mark))
    assert saw.exists(), f"the editor ended with status {done.returncode}: {done.stdout}{done.stderr}"
    seen = json.loads(saw.read_text(encoding="utf-8"))
    assert "problem" not in seen, json.dumps(seen, indent=2)
    return {**seen, "left": left}


def on_line(diagnostics, line):
    """Return the diagnostics of one line."""
    return [diagnostic for diagnostic in diagnostics if diagnostic["line"] == line]


def _marked(mark):
    """Return all processes that have this mark in their environment: the editor, and what came of it."""
    processes = psutil.process_iter(["environ", "cmdline"])
    return [process for process in processes if (process.info["environ"] or {}).get("GRADFLOW_TEST_MARK") == mark]


def _end(processes):
    for process in processes:
        process.kill()
    psutil.wait_procs(processes, timeout=5)
