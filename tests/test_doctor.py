"""What doctor finds wrong, in interpreters that are played by shell scripts, and how it shows it."""

import json
import sys

import pytest
from rich.console import Console
from runs import layouts

from gradflow_lsp.doctor import examine
from gradflow_lsp.output.examination import markdown, print_examination

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="plays interpreters by shell scripts")

GOOD = {"python": "3.11.7", "torch": "2.13.0", "devices": {"cuda": True, "mps": "torch is built without it"}}


@pytest.fixture
def examined(tmp_path):
    """Examine a folder with an interpreter that answers as told, or runs lines of shell."""

    def examined(answer=GOOD, lines=None, **flags):
        python = tmp_path / "env/bin/python"
        if not python.exists():
            layouts.write(python, "")
            layouts.write(tmp_path / "env/pyvenv.cfg", "")
        script = lines or f"echo noise; echo '{json.dumps(answer)}'"
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
        return examine(tmp_path, {"interpreter": str(python), **flags})

    return examined


def printed(found, tmp_path, width=80):
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    print_examination(found, tmp_path / "server.log", console)
    return console.export_text()


def test_an_interpreter_that_has_everything_is_no_problem(examined):
    found = examined()
    assert (found.problems, found.answer.torch, found.answer.devices["cuda"]) == ([], "2.13.0", True)


def test_an_interpreter_elsewhere_is_asked_there_and_never_kept_warm(examined):
    found = examined(launcher=("env", "-i"))
    assert (found.problems, found.answer.torch) == ([], "2.13.0")
    assert str(found.interpreter).startswith("env -i ")
    assert found.kept_warm == "no: the launcher starts Python anew for each run"


@pytest.mark.parametrize(
    ("answer", "what", "next_step"),
    [
        ({"python": "3.9.1", "torch": "2.6.0"}, "Python 3.9.1 is too old to run probes", "To choose another, "),
        ({"python": "3.11.7", "trouble": "ImportError: libcudart"}, "torch cannot be imported (ImportE", "Install"),
        ({"python": "3.11.7", "torch": "2.1.0+cpu"}, "torch 2.1.0+cpu is older than 2.6", "Upgrade it."),
    ],
)
def test_what_is_wrong_with_an_interpreter_is_told_with_the_next_step(examined, answer, what, next_step):
    [problem] = examined(answer).problems
    assert problem.what.startswith(what)
    assert problem.next_step.startswith(next_step)


@pytest.mark.parametrize(
    ("answer", "lines", "kept"),
    [
        (GOOD, None, "yes"),
        ({"python": "3.9.1", "torch": "2.6.0"}, None, "no"),
        ({"python": "3.11.7", "trouble": "ImportError: libcudart"}, None, "no"),
        (None, "exit 7", "no"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is kept in this way")
def test_only_an_interpreter_that_runs_probes_is_kept_warm(examined, answer, lines, kept):
    assert examined(answer, lines).kept_warm.partition(":")[0] == kept


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ("echo 'licence expired' >&2; exit 7", "it ended with exit status 7: licence expired."),
        ("true", "it ended with exit status 0, without an answer."),
        ("echo '[1]'", "it ended with exit status 0, without an answer."),
    ],
)
def test_a_program_that_is_no_python_is_told_by_what_it_says(examined, lines, what):
    [problem] = examined(lines=lines).problems
    assert problem.what == f"The interpreter cannot be used: {what}"


def test_a_device_that_is_not_there_is_a_problem(examined):
    assert examined(device="cuda:1").problems == []
    [problem] = examined(device="mps").problems
    assert problem.what == "The setting device is mps, but torch is built without it."


def test_the_environment_is_asked_as_a_probe_would_be(examined):
    found = examined(lines="""echo '{"python": "3.11.1", "trouble": "'$VIRTUAL_ENV'"}'""")
    assert found.answer.trouble == str(found.environment.prefix)


def test_scripts_of_a_conda_environment_are_named_unless_a_shell_has_run_them(examined, tmp_path, monkeypatch):
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    examined()
    (tmp_path / "env/pyvenv.cfg").unlink()
    layouts.write(tmp_path / "env/conda-meta/history", "")
    layouts.write(tmp_path / "env/etc/conda/activate.d/mkl.sh", "")
    found = examined()
    assert "mkl.sh" in printed(found, tmp_path)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "env"))
    assert "mkl.sh" not in printed(found, tmp_path)


def test_a_log_that_cannot_be_written_is_a_problem(examined, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert examined().problems == []
    monkeypatch.setattr("os.access", lambda place, mode: False)
    assert any(str(tmp_path) in problem.what for problem in examined().problems)


def test_no_line_is_wider_than_the_terminal_but_for_words_that_are(examined, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.gradflow]\ntimeout = 'soon'\nexclude = ['a/**/b', 'c/d/e/f/g/h']\n")
    found = examined(severity={"missing-gradient": "hint", "zero-gradient": "error"}, device="mps")
    for line in printed(found, tmp_path).splitlines():
        assert len(line) <= 80 or len(line.split()[-1]) > 40


def test_a_report_for_an_issue_has_the_log_without_private_names(examined, tmp_path):
    log = tmp_path / "server.log"
    log.write_text(f"INFO gradflow_lsp.server: opened {tmp_path}/plan.py\n")
    text = markdown(examined(), log)
    assert "INFO gradflow_lsp.server: opened <workspace>/<file>.py" in text
    assert str(tmp_path) not in text
    assert "| torch | 2.13.0 |" in text
