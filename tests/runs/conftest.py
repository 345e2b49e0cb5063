"""A project to write into, and one `Runner` for the whole session: torch is imported once, all runs are its forks."""

import contextlib
import importlib.util
import os
import sys

import psutil
import pytest
import pytest_asyncio

from gradflow_lsp.probe.protocol import RunRequest
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.session import Runner

HERE = Interpreter((sys.executable,), "the Python of the tests")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def runner():
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    runner = Runner(parallel=2)
    yield runner
    await runner.close()


class Project:
    """Files in a folder, and a way to run their probes."""

    def __init__(self, folder, runner):
        self.folder = folder
        self.runner = runner

    def write(self, **files):
        """Write Python files by name, without their suffix."""
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text, encoding="utf-8")

    def request(self, text=None, *, file="model.py", **fields):
        """The request for the probe in `file`, which gets `text`."""
        path = self.folder / file
        if text is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return RunRequest(str(path), "gradflow_probe", **{"roots": (str(self.folder),), **fields})

    async def run(
        self, text=None, *, runner=None, interpreter=HERE, timeout=60.0, memory_limit=None, on_stage=None, **fields
    ):
        """Run the probe and return its report."""
        return await (runner or self.runner).run(
            self.request(text, **fields), interpreter, timeout=timeout, memory_limit=memory_limit, on_stage=on_stage
        )

    def fifo(self, name="fifo"):
        """A named pipe for the probe to write to."""
        path = self.folder / name
        os.mkfifo(path)
        return path


def are_gone(pids):
    """Whether all of the processes end, which were sent a signal a moment ago at the latest."""
    there = []
    for pid in map(int, pids):
        with contextlib.suppress(psutil.NoSuchProcess):
            there.append(psutil.Process(pid))
    _, left = psutil.wait_procs(there, timeout=5)
    return all(process.status() == psutil.STATUS_ZOMBIE for process in left)  # the corpse of a parent that is gone


@pytest.fixture
def project(tmp_path, runner):
    return Project(tmp_path, runner)
