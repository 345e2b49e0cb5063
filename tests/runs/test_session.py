"""Real runs in real processes: what comes back for every way a probe can end."""

import asyncio
import json
import os
import signal
import sys
import textwrap
import threading

import psutil
import pytest

from gradflow_lsp.probe.report import ProbeReport
from gradflow_lsp.runs.session import Runner

from .conftest import HERE, are_gone

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(sys.platform == "win32", reason="uses signals and named pipes"),
]

HEALTHY = """\
import torch

def gradflow_probe():
    model = torch.nn.Linear(4, 1)
    return model, model(torch.ones(2, 4)).mean()
"""


def probe(body, head=""):
    """A model file whose probe has this body; `head` goes before it."""
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"{textwrap.dedent(head)}\nimport os, sys, torch\n\ndef gradflow_probe():\n{body}\n"


async def words_from(fifo):
    """The words that a probe writes to a named pipe, as one line."""
    lines = asyncio.StreamReader()
    pipe = os.fdopen(os.open(fifo, os.O_RDWR | os.O_NONBLOCK), "rb", 0)  # also for writing: so it never ends
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), pipe)
    async with asyncio.timeout(60):
        line = await lines.readline()
    transport.close()
    return line.decode().split()


# --- what a run gives ------------------------------------------------------------------------------------------------


async def test_a_probe_that_runs_gives_a_report(project):
    report = await project.run(HEALTHY)
    assert (report.status, report.error) == ("ok", None)
    assert {p.name: p.verdict for p in report.parameters} == {"weight": "healthy", "bias": "healthy"}
    assert report.environment.interpreter == sys.executable
    assert list(report.sources) == [str(project.folder / "model.py")]
    assert report.seconds.total > 0


async def test_reading_a_large_report_keeps_nobody_waiting(project, monkeypatch):
    loop, read, was_free = asyncio.get_running_loop(), ProbeReport.from_json, threading.Event()

    def from_json(encoded):
        loop.call_soon_threadsafe(was_free.set)
        assert was_free.wait(10)
        return read(encoded)

    monkeypatch.setattr(ProbeReport, "from_json", from_json)
    wide = HEALTHY.replace("torch.nn.Linear(4, 1)", "torch.nn.ModuleList(torch.nn.Linear(4, 1) for _ in range(200))")
    report = await project.run(wide.replace("model(torch.ones(2, 4))", "sum(one(torch.ones(2, 4)) for one in model)"))
    assert (report.status, len(report.parameters)) == ("ok", 400)


@pytest.mark.parametrize("ending", ["while True: pass", "os._exit(3)", "raise ValueError", "x = ("])
async def test_however_it_ends_the_files_that_were_loaded_are_known(project, ending):
    project.write(helper=f"import os\n{ending}\n", late="")
    report = await project.run("import helper, late\n" + HEALTHY, timeout=1.0)
    assert report.status != "ok"
    assert list(report.sources) == [str(project.folder / name) for name in ("model.py", "helper.py")]


async def test_where_a_module_was_looked_for_is_known_and_not_part_of_the_json(project):
    report = await project.run("import helper\n" + HEALTHY)
    assert str(project.folder / "helper.py") in report.looked_for
    assert "looked_for" not in report.to_json()


async def test_the_stages_are_told_as_they_come(project):
    stages = []
    await project.run(HEALTHY, on_stage=stages.append)
    assert stages[:3] == ["import", "probe", "backward"]


async def test_a_run_sees_the_files_as_they_are_now(project):
    text = probe("import width; model = torch.nn.Linear(width.value, 1); return model, model(torch.ones(width.value))")
    project.write(width="value = 4")
    assert (await project.run(text)).parameters[0].shape == [1, 4]
    project.write(width="value = 5")
    assert (await project.run(text)).parameters[0].shape == [1, 5]
    assert not list(project.folder.rglob("__pycache__"))


async def test_unsaved_text_beats_the_disk(project):
    overlays = {str(project.folder / "model.py"): HEALTHY.replace("4", "7")}
    assert (await project.run(HEALTHY, overlays=overlays)).parameters[0].shape == [1, 7]


async def test_the_folder_of_a_lone_file_is_its_workspace(project):
    project.write(width="value = 4")
    text = "from width import value\n" + HEALTHY.replace("4", "value")
    report = await project.run(text, roots=(), overlays={str(project.folder / "width.py"): "value = 6"})
    assert report.parameters[0].shape == [1, 6]
    assert not list(project.folder.rglob("__pycache__"))


async def test_relative_imports_work(project):
    (project.folder / "net").mkdir()
    project.write(**{"net/__init__": "", "net/width": "value = 4"})
    text = "from .width import value\n" + HEALTHY.replace("4", "value")
    assert (await project.run(text, file="net/mlp.py")).status == "ok"


async def test_a_run_has_the_surroundings_of_a_fresh_interpreter(project):
    body = """
        import json
        facts = {
            "argv": sys.argv, "cwd": os.getcwd(), "stdin": sys.stdin.read(), "leads": os.getpgid(0) == os.getpid(),
            "main": vars(sys.modules["__main__"]).get("__file__"), "threads": torch.get_num_threads(),
            "ours": [name for name in [*sys.path, *sys.modules] if "gradflow_lsp" in name],
        }
        print("facts", json.dumps(facts))
        return 1 / 0
    """
    text = probe(body, "print('at import')")
    report = await project.run(text, file="deep/model.py", threads=2)
    facts = json.loads(report.error.output.partition("facts ")[2])
    assert facts == {
        "argv": [str(project.folder / "deep/model.py")],
        "cwd": str(project.folder),
        "stdin": "",
        "main": None,
        "threads": 2,
        "leads": True,
        "ours": [],
    }


async def test_every_random_generator_is_seeded(project):
    body = "import random, numpy; raise ValueError(f'{random.random()} {numpy.random.rand()} {torch.rand(1).item()}')"
    same = [(await project.run(probe(body), seed=3)).error.message for _ in range(2)]
    other = (await project.run(probe(body), seed=4)).error.message
    assert same[0] == same[1] != other


async def test_nothing_that_a_probe_prints_or_closes_reaches_the_report(project):
    body = """
        print("to stdout"); print("to stderr", file=sys.stderr); os.write(1, b"{}\\n")
        os.system("echo from a child; echo '{}'")
        os.close(1); os.close(2); os.closerange(3, 100)
        model = torch.nn.Linear(4, 1)
        return model, model(torch.ones(4))
    """
    assert (await project.run(probe(body))).status == "ok"


async def test_a_childs_program_inherits_none_of_our_pipes(project):
    body = "print(os.popen('ls -l /proc/self/fd').read()); return 1 / 0"
    listing = (await project.run(probe(body))).error.output
    pipes = [line.split()[-3] for line in listing.splitlines() if "pipe:" in line]
    assert set(pipes) <= {"1", "2"}


# --- what the user's code raises -------------------------------------------------------------------------------------


async def test_an_exception_in_the_probe_is_told_with_the_users_line_and_output(project):
    body = "print('so far'); raise ValueError('bad width')"
    report = await project.run(probe(body))
    error = report.error
    assert (report.status, error.kind) == ("failed", "probe-raised")
    assert error.message == "The probe raised ValueError: bad width (line 5)."
    assert (error.location.line, error.output) == (5, "so far\n")
    assert error.traceback.startswith(f'Traceback (most recent call last):\n  File "{report.path}", line 5')
    assert report.environment.torch and report.sources


@pytest.mark.parametrize(
    ("text", "kind", "message", "line"),
    [
        ("def broken(:\n  pass", "syntax-error", "model.py has a syntax error: invalid syntax (line 1).", 1),
        ("\nimport not_there", "import-error", "model.py imports not_there, which", 2),
        (
            "\n\nraise OSError('no data')",
            "import-error",
            "model.py could not be imported: OSError: no data (line 3).",
            3,
        ),
        ("import sys\nsys.exit(3)", "system-exit", "model.py called sys.exit(3) while it was imported", 2),
        (probe("sys.exit('enough')"), "system-exit", "The probe called sys.exit('enough') (line 5).", 5),
        (probe("raise KeyboardInterrupt"), "probe-raised", "The probe raised KeyboardInterrupt (line 5).", 5),
        (probe("return torch.empty(2**50)"), "out-of-memory", "There was not enough memory", 5),
    ],
)
async def test_whatever_the_code_raises_has_a_kind_a_sentence_and_a_line(project, text, kind, message, line):
    report = await project.run(text)
    assert (report.status, report.error.kind, report.error.location.line) == ("failed", kind, line)
    assert report.error.message.startswith(message)


# --- how a process ends ----------------------------------------------------------------------------------------------


async def test_a_probe_that_cannot_be_called_twice_is_run_anew_to_find_its_causes(project):
    body = """
        first, last = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
        hidden = first(next(batches)).detach()
        return torch.nn.ModuleList([first, last]), last(hidden).mean()
    """
    report = await project.run(probe(body, head="import torch\nbatches = iter([torch.ones(2, 4)])"))
    assert [(cause.kind, cause.parameters) for cause in report.causes] == [("detach", ["0.weight", "0.bias"])]
    assert [finding.code for finding in report.findings] == ["not-confirmed"]


async def test_a_process_that_exits_without_a_report_is_told_with_its_status(project):
    report = await project.run(probe("print('bye'); os._exit(3)"))
    assert (report.status, report.error.kind) == ("crashed", "system-exit")
    assert report.error.message.startswith("The process ended with exit status 3 while the probe ran")
    assert report.error.output == "bye\n"


async def test_a_killed_process_is_told_with_its_signal(project):
    report = await project.run("import os\nos.kill(os.getpid(), 9)")
    assert (report.status, report.error.kind) == ("crashed", "killed")
    assert report.error.message.startswith("The process ended by SIGKILL while the file was imported")


async def test_a_crash_in_native_code_is_told_with_the_users_line(project):
    report = await project.run(probe("import ctypes\nctypes.string_at(0)"))
    assert (report.status, report.error.kind) == ("crashed", "killed")
    assert report.error.message.startswith("The process ended by SIGSEGV while the probe ran (line 6)")
    assert (report.error.location.column, report.error.location.end_column) == (4, 23)
    assert "in gradflow_probe" in report.error.output
    assert "gradflow_lsp" not in report.error.output  # nothing of ours is the user's concern


async def test_a_probe_that_does_not_end_is_stopped_where_it_is(project):
    report = await project.run(probe("n = 0\nwhile True:\n    n += 1"), timeout=0.3)
    assert (report.status, report.error.kind) == ("timeout", "timeout")
    assert report.error.message.startswith("The run was stopped after 0.3 s while the probe ran (line ")
    assert report.error.location.line in (6, 7)
    assert "in gradflow_probe" in report.error.traceback
    assert "gradflow_lsp" not in report.error.traceback


async def test_a_probe_that_hangs_in_native_code_is_stopped_as_well(project):
    report = await project.run(probe("import re; re.match('(a+)+b', 'a' * 40)"), timeout=0.3)
    assert (report.status, report.error.location.line) == ("timeout", 5)
    assert report.error.output is None  # it was made to crash to see where it was: that is nothing of the user's


async def test_the_memory_limit_holds_for_the_whole_process_tree(project):
    greedy = "x = []\nwhile True: x.append(bytes(2**22) + bytes(1))"
    body = f"import subprocess; subprocess.run([sys.executable, '-c', {greedy!r}])"
    report = await project.run(probe(body), memory_limit=400 * 2**20)
    assert (report.status, report.error.kind) == ("crashed", "out-of-memory")
    assert report.error.message.startswith("The run was stopped at 400 MiB of memory while the probe ran (line 5)")


async def test_of_a_flood_of_output_only_the_end_is_kept(project):
    report = await project.run(probe("while True: print('x' * 1000)"), timeout=0.5)
    assert report.status == "timeout"
    assert 60_000 < len(report.error.output) <= 65_536


def leaving_behind(fifo, end):
    """A probe that starts a child, one in a session of its own, and a daemon, and writes all numbers to `fifo`."""
    return probe(
        f"""
        import re, subprocess, time
        children = [subprocess.Popen(["sleep", "600"], start_new_session=new).pid for new in (False, True)]
        daemon = "sleep 600 >/dev/null 2>&1 & echo $!"
        children.append(int(subprocess.run(daemon, shell=True, stdout=-1, start_new_session=True).stdout))
        print(os.getppid(), os.getpid(), *children, file=open({str(fifo)!r}, "w"), flush=True)
        {end}
        """
    )


async def start(project, runner=None, end="time.sleep(600)", interpreter=HERE):
    """Start a run that leaves processes behind; return its task, its parent's number and those of its processes."""
    fifo = project.fifo()
    run = asyncio.create_task(project.run(leaving_behind(fifo, end), runner=runner, interpreter=interpreter))
    parent, *pids = await words_from(fifo)
    return run, int(parent), pids


async def test_cancelling_leaves_no_process(project):
    run, _, pids = await start(project)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert are_gone(pids)


@pytest.mark.parametrize("end", ["model = torch.nn.Linear(1, 1); return model, model(torch.ones(1))", "os._exit(1)"])
async def test_a_run_that_has_ended_leaves_no_process(project, end):
    run, _, pids = await start(project, end=end)
    assert (await run).status in ("ok", "crashed")
    assert are_gone(pids)


async def test_a_copy_of_the_process_that_the_probe_forks_reports_nothing(project):
    body = """
        child = os.fork()
        if child: os.waitpid(child, 0)
        model = torch.nn.Linear(4, 1)
        return model, model(torch.ones(4)) * (1 if child else float("nan"))
    """
    report = await project.run(probe(body))
    assert report.losses["loss"] == pytest.approx(report.losses["loss"])


# --- interpreters that cannot run it ---------------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path):
    """Make a program of shell lines and return an interpreter that is this program."""

    def script(lines):
        path = tmp_path / "python"
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)
        return type(HERE)((str(path),), "chosen by the test")

    return script


async def test_an_interpreter_without_torch_is_named_and_so_is_the_way_out(project, tmp_path):
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare")
    await process.wait()
    python = tmp_path / "bare/bin/python"
    report = await project.run(HEALTHY, interpreter=type(HERE)((str(python),), "the setting gradflow.interpreter"))
    assert (report.status, report.error.kind) == ("failed", "no-torch")
    assert report.error.message == (
        f"cannot import torch in {python} (the setting gradflow.interpreter): "
        "ModuleNotFoundError: No module named 'torch'. Install torch there, or choose an interpreter that has it: "
        "set gradflow.interpreter, or --python on the command line."
    )
    assert (report.environment.torch, report.environment.interpreter) == (None, str(python))


async def test_an_interpreter_that_is_not_there_is_named(project):
    report = await project.run(
        HEALTHY, interpreter=type(HERE)(("/not/there/python",), "the setting gradflow.interpreter")
    )
    assert (report.status, report.error.kind) == ("failed", "no-interpreter")
    assert report.error.message.startswith(
        "/not/there/python (the setting gradflow.interpreter) cannot be started: no such file. To choose another, set"
    )


async def test_an_old_interpreter_is_told_from_a_broken_one(project, script):
    old = script("""echo '{"failed": {"kind": "no-interpreter", "python": "3.8.1"}}'""")
    error = (await project.run(HEALTHY, interpreter=old)).error
    assert (error.kind, "is Python 3.8.1, and a probe needs 3.10 or newer" in error.message) == ("no-interpreter", True)


async def test_a_program_that_is_no_python_is_told_with_its_output(project, script):
    error = (await project.run(HEALTHY, interpreter=script("echo 'licence expired' >&2; exit 7"))).error
    assert (error.kind, error.output) == ("launcher-failed", "licence expired\n")
    assert "ended with exit status 7 before it could run the probe" in error.message


# --- many runs, and the end of it ------------------------------------------------------------------------------------


async def test_no_more_runs_than_allowed_go_at_once(project):
    body = """
        import time
        begun = time.monotonic(); time.sleep(0.2)
        print(begun, time.monotonic())
        return 1 / 0
    """
    reports = await asyncio.gather(*[project.run(probe(body), file=f"model{n}.py") for n in range(4)])
    spans = [tuple(map(float, report.error.output.split())) for report in reports]
    together = [sum(begun <= start < ended for begun, ended in spans) for start, _ in spans]
    assert max(together) == 2


async def test_a_waiting_run_can_be_cancelled(project):
    body = "import time; time.sleep(600)"
    runs = [asyncio.create_task(project.run(probe(body), file=f"model{n}.py")) for n in range(3)]
    await asyncio.sleep(0)
    for run in reversed(runs):
        run.cancel()
    assert all(isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*runs, return_exceptions=True))


async def test_a_dead_template_ends_its_runs_and_is_replaced(project):
    run, template, pids = await start(project)
    os.kill(template, signal.SIGKILL)
    report = await run
    assert (report.status, report.error.kind) == ("crashed", "killed")
    assert are_gone(pids)
    assert (await project.run(HEALTHY)).status == "ok"


@pytest.mark.slow
async def test_an_idle_interpreter_is_ended(project):
    before = set(psutil.Process().children())
    runner = Runner(idle=0.05)
    assert (await project.run(HEALTHY, runner=runner)).status == "ok"
    (template,) = set(psutil.Process().children()) - before
    assert await asyncio.to_thread(are_gone, [template.pid])  # the loop goes on meanwhile, and ends it


@pytest.mark.slow
async def test_a_run_in_an_interpreter_of_its_own_is_cancelled_by_closing(project, script):
    runner = Runner(way="none")
    prints_at_start = script(f'echo "Welcome!"; exec {sys.executable} "$@"')
    run, _, pids = await start(project, runner, interpreter=prints_at_start)
    await runner.close()
    assert run.cancelled()
    assert are_gone(pids)


SERVER = """
import asyncio, sys
from gradflow_lsp.probe.protocol import RunRequest
from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.session import Runner

async def main():
    runner = Runner(way=sys.argv[2])
    request = RunRequest(sys.argv[1], "gradflow_probe")
    await runner.run(request, Interpreter((sys.executable,), "the test"))

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "way", ["fork", pytest.param("spare", marks=pytest.mark.slow), pytest.param("none", marks=pytest.mark.slow)]
)
@pytest.mark.slow
async def test_nothing_outlives_a_server_that_was_killed(project, way):
    fifo = project.fifo()
    hanging = "re.match('(a+)+b', 'a' * 40)  # in native code, so that no other thread can look at the control pipe"
    path = project.request(leaving_behind(fifo, hanging)).path
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVER, path, way)
    parent, *pids = await words_from(fifo)
    server.kill()
    await server.wait()
    assert are_gone([parent, *pids])
