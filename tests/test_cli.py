"""The command line: what goes where, which exit status comes out, and how flags reach a run.

Files are discovered for real; the runs themselves are played by `FakeRunner`, which answers as each test says.
"""

import asyncio
import dataclasses
import json
import subprocess
import sys
from typing import ClassVar

import pytest
from click.testing import CliRunner
from output.examples import CUT, FREEZE, HEALTHY, PLANNED, RAISED, TIMEOUT, TWICE

import gradflow_lsp.check
import gradflow_lsp.server
from gradflow_lsp import __version__
from gradflow_lsp.cli import main

PROBE = "def gradflow_probe():\n    return None\n"
OUTCOMES = {"cut": CUT, "healthy": HEALTHY, "freeze": FREEZE, "planned": PLANNED, "raised": RAISED, "timeout": TIMEOUT}
OUTCOMES |= {"twice": TWICE}


class FakeRunner:
    """Answers each request with the outcome that the file's name asks for; notes what it was given."""

    calls: ClassVar[list] = []

    def __init__(self, *, parallel=2):
        self.parallel = parallel
        self.slots = asyncio.Semaphore(parallel)

    async def run(self, request, interpreter, *, timeout=60.0, memory_limit=None, on_stage=None):
        async with self.slots:
            FakeRunner.calls.append((request, interpreter, timeout, memory_limit, self.parallel))
            on_stage("import")
            await asyncio.sleep(0)
            stem = request.path.rpartition("/")[2].removesuffix(".py")
            outcome = OUTCOMES.get(stem, HEALTHY)
            return dataclasses.replace(outcome, path=request.path, function=request.function, line=request.line)

    async def close(self):
        pass


@pytest.fixture(autouse=True)
def runs(monkeypatch):
    """Play the runs, and return the list of what was asked for."""
    monkeypatch.setattr(gradflow_lsp.check, "Runner", FakeRunner)
    monkeypatch.setattr(FakeRunner, "calls", [])
    return FakeRunner.calls


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A current folder to put files into."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder, *names, text=PROBE):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def call(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize(
    ("names", "flags", "status"),
    [
        (["healthy.py"], [], 0),
        (["freeze.py"], [], 0),
        (["planned.py"], [], 0),
        (["cut.py"], [], 1),
        (["healthy.py", "cut.py"], [], 1),
        (["cut.py", "raised.py"], [], 2),
        (["timeout.py"], [], 2),
        (["cut.py"], ["--fail-on", "error"], 0),
        (["cut.py"], ["--fail-on", "never"], 0),
        (["planned.py"], ["--fail-on", "information"], 1),
        (["freeze.py"], ["--fail-on", "hint"], 0),
        (["freeze.py"], ["--severity", "frozen-parameter=error"], 0),
        (["cut.py"], ["--severity", "missing-gradient=information"], 0),
        (["planned.py"], ["--severity", "zero-gradient=error"], 0),
        (["raised.py"], ["--fail-on", "never"], 2),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_exit_status_tells_the_worst_outcome(folder, names, flags, status, form):
    put(folder, *names)
    assert call("check", *flags, "--format", form).exit_code == status


def test_json_is_alone_on_standard_output(folder):
    put(folder, "cut.py", "healthy.py")
    (folder / "pyproject.toml").write_text("[tool.gradflow]\nunheard_of = 1\n")
    result = call("check", "--format", "json")
    answer = json.loads(result.stdout)
    assert [probe["path"] for probe in answer["probes"]] == ["cut.py", "healthy.py"]
    assert "unheard_of" in result.stderr


def test_json_has_a_document_even_where_nothing_was_found(folder):
    result = call("check", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)["probes"]) == (0, [])


def test_a_folder_without_a_probe_is_a_note(folder):
    result = call("check")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "there is no probe here" in result.stderr


def test_a_named_file_without_a_probe_is_wrong(folder):
    put(folder, "healthy.py")
    put(folder, "empty.py", text="x = 1\n")
    result = call("check", "healthy.py", "empty.py")
    assert result.exit_code == 2
    assert f"{folder / 'empty.py'}: there is no probe here" in result.stderr
    assert "healthy.py:1 gradflow_probe" in result.stdout


def test_a_path_that_does_not_exist_is_wrong(folder):
    result = call("check", "nowhere.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{folder / 'nowhere.py'}" in result.stderr


def test_reports_come_in_the_order_of_discovery_each_probe_once(folder):
    put(folder, "b.py", "a/z.py", text=PROBE + PROBE.replace("probe", "probe_two"))
    result = call("check", "b.py", ".", "a", "--format", "json", "--parallel-runs", "3")
    found = [(probe["path"], probe["function"], probe["line"]) for probe in json.loads(result.stdout)["probes"]]
    assert found == [
        ("b.py", "gradflow_probe", 1),
        ("b.py", "gradflow_probe_two", 3),
        ("a/z.py", "gradflow_probe", 1),
        ("a/z.py", "gradflow_probe_two", 3),
    ]


def test_the_workspace_is_the_nearest_project_upwards_else_the_own_folder(folder, runs):
    put(folder, "project/setup.py", "project/part/deep/m.py", "alone/deep/m.py")
    call("check", "project/part", "alone/deep/m.py")
    assert [request.roots for request, *_ in runs] == [(str(folder / "project"),), (str(folder / "alone" / "deep"),)]


def test_settings_of_the_project_and_flags_reach_the_run(folder, runs):
    put(folder, "m.py")
    (folder / "pyproject.toml").write_text(
        '[tool.gradflow]\nseed = 3\nthreads = 2\ntimeout = 9\ninterpreter = "env/bin/python"\n'
    )
    flags = ["--timeout", "5", "--memory-limit", "2GiB", "--device", "meta", "--no-replay", "--parallel-runs", "4"]
    assert call("check", *flags).exit_code == 0
    [(request, interpreter, timeout, memory_limit, parallel)] = runs
    assert (request.seed, request.threads, request.device, request.replay) == (3, 2, "meta", False)
    assert (timeout, memory_limit, parallel) == (5, 2 * 2**30, 4)
    assert interpreter.command == (str(folder / "env/bin/python"),)


def test_a_wrong_setting_that_projects_share_is_told_once(folder):
    put(folder, "a/setup.py", "a/m.py", "b/setup.py", "b/m.py")
    (folder / "pyproject.toml").write_text("[tool.gradflow]\nseed = -1\n")
    assert call("check", "a", "b").stderr.count("seed must be") == 1


def test_an_error_names_the_place_of_the_setting(folder, runs):
    put(folder, "m.py")
    (folder / "pyproject.toml").write_text("[tool.gradflow]\ninterpreter = 'py'\n")
    call("check")
    [(_, interpreter, *_)] = runs
    assert interpreter.why == f"the setting interpreter in {folder / 'pyproject.toml'}:2"


def test_python_names_the_interpreter(folder, runs):
    put(folder, "m.py")
    call("check", "--python", sys.executable)
    [(_, interpreter, *_)] = runs
    assert interpreter.command == (sys.executable,)


def test_excluded_files_are_left_out(folder):
    put(folder, "m.py", "old/m.py", "draft.py")
    result = call("check", "--exclude", "old", "--exclude", "draft.py", "--format", "json")
    assert [probe["path"] for probe in json.loads(result.stdout)["probes"]] == ["m.py"]


def test_severities_as_set_are_those_in_the_report(folder):
    put(folder, "cut.py")
    result = call("check", "--severity", "missing-gradient=off", "--format", "json")
    [probe] = json.loads(result.stdout)["probes"]
    assert result.exit_code == 0
    assert {parameter["severity"] for parameter in probe["parameters"]} == {None}


def test_what_a_comment_hides_is_no_finding(folder):
    put(folder, "twice.py")
    assert call("check").exit_code == 1
    put(folder, "twice.py", text=PROBE.replace(":\n", ":  # gradflow: ignore[accumulated-gradients]\n"))
    result = call("check", "--format", "json", "--fail-on", "information")
    [probe] = json.loads(result.stdout)["probes"]
    assert (result.exit_code, probe["findings"]) == (0, [])


def test_a_comment_that_hides_nothing_is_a_finding_as_loud_as_it_is_set(folder):
    put(folder, "m.py", text=PROBE.replace("None\n", "None  # gradflow: intended\n"))
    result = call("check", "--format", "json")
    [probe] = json.loads(result.stdout)["probes"]
    [unused] = probe["findings"]
    assert (unused["code"], unused["severity"]) == ("unused-suppression", "information")
    assert (unused["location"]["path"], unused["location"]["line"], unused["location"]["column"]) == ("m.py", 2, 17)
    assert result.exit_code == 0
    assert call("check", "--severity", "unused-suppression=warning").exit_code == 1


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_report_can_go_to_a_file(folder, form):
    put(folder, "cut.py")
    result = call("check", "--format", form, "--output", "report")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "first.weight" in (folder / "report").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--format", "sarif"],
        ["--format", "github"],
        ["--format", "html"],
        ["--format", "yaml"],
        ["--structural"],
        ["--output", "nowhere/report.txt"],
        ["--timeout", "soon"],
        ["--timeout", "0"],
        ["--severity", "missing-gradient=loud"],
        ["--severity", "missing=error"],
        ["--fail-on", "frozen"],
        ["--unheard-of"],
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_runs(folder, runs, arguments):
    put(folder, "m.py")
    result = call("check", *arguments)
    assert (result.exit_code, result.stdout, runs) == (2, "", [])
    assert result.stderr.count("Error: ") == 1
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [[], ["server"], ["--stdio"], ["server", "--stdio"]])
def test_the_server_on_standard_input_and_output_is_the_default(monkeypatch, arguments):
    started = []
    monkeypatch.setattr(gradflow_lsp.server, "start", lambda *a, **k: started.append((a, k)), raising=False)
    assert call(*arguments).exit_code == 0
    assert started == [(("stdio",), {"host": "127.0.0.1", "port": 2087, "flags": {}})]


def test_a_server_on_a_port_listens_to_this_machine_unless_told_otherwise(monkeypatch):
    started = []
    monkeypatch.setattr(gradflow_lsp.server, "start", lambda *a, **k: started.append((a, k)), raising=False)
    call("--tcp", "--port", "4000", "--run", "onSave")
    call("server", "--ws", "--host", "0.0.0.0")
    assert started == [
        (("tcp",), {"host": "127.0.0.1", "port": 4000, "flags": {"run": "onSave"}}),
        (("ws",), {"host": "0.0.0.0", "port": 2087, "flags": {}}),
    ]


def test_a_wrong_command_is_no_server():
    result = call("chekc")
    assert result.exit_code == 2
    assert "check" in result.stderr


@pytest.mark.parametrize("arguments", ["--version", "--help", "check --help", "check m.py --python no-python"])
def test_the_command_line_loads_neither_the_protocol_nor_torch(folder, arguments):
    put(folder, "m.py")
    code = f"""
import sys
from typing import ClassVar
from gradflow_lsp.cli import main
try:
    main({arguments.split()!r})
except SystemExit:
    pass
print(sorted({{"pygls", "lsprotocol", "torch"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_version_is_printed():
    assert call("--version").output == f"gradflow-lsp {__version__}\n"


def test_explain_prints_the_page_of_a_code_and_of_a_kind():
    assert call("explain", "zero-gradient").stdout.startswith("# zero-gradient: ")
    assert call("explain", "detach").stdout.startswith("# detach: ")


def test_explain_alone_lists_what_there_is():
    listed = call("explain").stdout
    assert "missing-gradient" in listed
    assert "loss-without-graph" in listed
    assert "compounding" in listed


def test_explain_offers_the_nearest_name():
    result = call("explain", "detatch")
    assert result.exit_code == 2
    assert "did you mean detach?" in result.stderr


def test_doctor_says_what_would_run_and_where_each_setting_comes_from(folder):
    (folder / "pyproject.toml").write_text("[tool.gradflow]\nseed = 3\n")
    result = call("doctor", "--python", sys.executable, "--timeout", "5")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert f"workspace {folder}" in lines
    assert "seed 3 pyproject.toml:2" in lines
    assert "timeout 5 the flag --timeout" in lines
    assert "device cpu default" in lines
    assert any(line.startswith("log file ") for line in lines)
    assert any(line.startswith(f"interpreter {sys.executable}") for line in lines)
    assert f"python {sys.version.split()[0]}" in lines


def test_doctor_names_what_is_wrong(folder):
    (folder / "pyproject.toml").write_text('[tool.gradflow]\ntimeout = "soon"\n')
    result = call("doctor", "--python", str(folder / "no-python"))
    assert result.exit_code == 1
    said = " ".join(result.stdout.split())
    assert "timeout must be a number of seconds above 0" in said
    assert "The interpreter cannot be used: no such file. To choose another, pass a different one to --python." in said


def test_doctor_writes_a_report_for_an_issue(folder):
    result = call("doctor", "--report", "--python", str(folder / "no-python"), "--exclude", "plans/")
    assert str(folder) not in result.stdout
    assert "plans" not in result.stdout
    assert f"| gradflow-lsp | {__version__} |" in result.stdout
    assert "- exclude: set, by the flag --exclude" in result.stdout
    assert "Read it before you paste it" in result.stderr
