"""What is to end ends, even what is started while it is looked for."""

from __future__ import annotations

import os
import subprocess
import sys

import psutil
import pytest

from gradflow_lsp.runs import tree


@pytest.fixture
def child():
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={**os.environ, tree.MARK: "mine"}
    ) as process:
        yield psutil.Process(process.pid)
        process.kill()


def test_what_a_process_started_before_it_ended_is_found(child: psutil.Process, monkeypatch: pytest.MonkeyPatch):
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        parent = psutil.Process(ended.pid)
    passes = iter([[parent], [child]])
    monkeypatch.setattr(psutil, "process_iter", lambda: next(passes, []))
    tree.kill_marked("mine")
    assert child.wait(timeout=10) == -9


def test_only_what_has_the_mark_ends(child: psutil.Process):
    tree.kill_marked("another")
    assert child.is_running()
    tree.kill_marked("mine")
    assert child.wait(timeout=10) == -9
