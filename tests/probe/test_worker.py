"""The worker as whoever starts it sees it: a request in, JSON lines out, and an end in all cases."""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradflow_lsp.probe import bootstrap
from gradflow_lsp.probe.protocol import RunRequest


@pytest.fixture
def worker():
    """Start a worker; whatever a test leaves of it is ended."""
    started = []

    def worker(*arguments, **options):
        command = [sys.executable, *arguments, bootstrap.__file__, "once"]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        started.append(process)
        process.stdin.write(b"[]\n")  # nothing to import ahead
        process.stdin.flush()
        return process

    yield worker
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


def line_of(process):
    """The next line that says something."""
    return next(line for line in iter(process.stdout.readline, b"") if line.strip())


PROBE = """\
print("to stdout")

def gradflow_probe():
    import subprocess, time
    child = subprocess.Popen(["sleep", "600"])
    print("child", child.pid, flush=True)
    while True:
        time.sleep(0.01)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="looks at process groups")
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_a_run_tells_its_stages_says_where_it_is_and_ends_with_its_control_pipe(worker, tmp_path):
    path = tmp_path / "model.py"
    path.write_text(PROBE)
    process = worker(start_new_session=True)
    assert json.loads(line_of(process))["ready"]["interpreter"] == sys.executable

    request = RunRequest(str(path), "gradflow_probe", roots=(str(tmp_path),))
    process.stdin.write(json.dumps(request.to_json()).encode() + b"\n")
    process.stdin.flush()
    source = {"source": str(path), "sha256": hashlib.sha256(PROBE.encode()).hexdigest()}
    told = [json.loads(line_of(process)) for _ in range(3)]
    assert told == [{"stage": "import"}, source, {"stage": "probe"}]
    assert process.stderr.readline() == b"to stdout\n"
    child = int(process.stderr.readline().split()[1])

    process.stdin.write(b"where\n")
    process.stdin.flush()
    where = json.loads(line_of(process))["where"]
    assert where["location"]["line"] in (6, 7, 8)  # it may not have come back from printing yet
    assert where["traceback"].startswith(f'  File "{path}", line')

    process.stdin.close()
    assert process.stdout.read().strip() == b""
    assert process.wait(timeout=10) != 0
    stat = Path(f"/proc/{child}/stat")
    assert not stat.exists() or stat.read_text().split()[2] == "Z"


def test_a_python_without_torch_says_so_and_ends(worker, tmp_path):
    process = worker("-I", "-S")  # without site-packages
    failed = json.loads(line_of(process))["failed"]
    assert failed == {
        "kind": "no-torch",
        "detail": "ModuleNotFoundError: No module named 'torch'",
        "python": ".".join(map(str, sys.version_info[:3])),
    }
    assert process.wait(timeout=10) == 0


def test_a_broken_torch_is_told_by_what_it_raises(worker, tmp_path):
    (tmp_path / "torch.py").write_text("print('noise')\nraise OSError('libgomp.so.1: not found\\nmore')")
    process = worker(env={**os.environ, "PYTHONPATH": str(tmp_path)})
    failed = json.loads(line_of(process))["failed"]
    assert failed["detail"] == "OSError: libgomp.so.1: not found"
    assert process.stderr.readline() == b"noise\n"


def test_our_folder_is_not_on_the_search_path(worker, tmp_path):
    (tmp_path / "torch.py").write_text("import sys; raise OSError(repr(sys.path))")
    process = worker(env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert str(Path(bootstrap.__file__).parent) not in json.loads(line_of(process))["failed"]["detail"]
