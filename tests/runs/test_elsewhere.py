"""Runs that a launcher starts in another place, which here is another folder of this machine."""

import asyncio
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradflow_lsp.probe.protocol import RunRequest
from gradflow_lsp.runs.elsewhere import Elsewhere
from gradflow_lsp.runs.interpreter import Interpreter

from .conftest import are_gone

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(sys.platform == "win32", reason="plays launchers by shell scripts"),
]

MODEL = """\
import torch, layers

def gradflow_probe():
    model = torch.nn.Sequential(layers.first(), torch.nn.Linear(4, 1))
    return model, model[1](model[0](torch.ones(2, 4)).detach()).mean()
"""
LAYERS = "import torch\n\ndef first():\n    return torch.nn.Linear(4, 4)\n"

ABC = Elsewhere(("srun",), (("/app", "/home/me/project"), ("/app/data", "/data")))


# --- paths -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("/app", "/home/me/project"),
        ("/app/models/net.py", "/home/me/project/models/net.py"),
        ("/app/data/a.py", "/data/a.py"),
    ],
)
async def test_the_innermost_folder_counts(there, here):
    assert (ABC.here(there), ABC.there(here)) == (here, there)


async def test_what_no_folder_holds_is_called_the_same_in_both_places():
    place = Elsewhere(("srun",), (("/app", "/home/me"),))
    assert (place.here("/opt/x.py"), place.there("/home/melanie/x.py")) == ("/opt/x.py", "/home/melanie/x.py")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1), max_size=4))
async def test_there_and_back_again_is_where_it_was(names):
    place = Elsewhere(("srun",), (("/mnt/work/", "/home/me/project"),))
    path = "/".join(["/home/me/project", *names])
    assert place.here(place.there(path)) == path


async def test_a_request_and_its_answers_speak_each_of_their_own_place():
    request = RunRequest("/data/a.py", "gradflow_probe", roots=("/data",), overlays={"/home/me/project/b.py": "x"})
    asked = ABC.request(request)
    assert (asked.path, asked.roots, asked.overlays) == ("/app/data/a.py", ("/app/data",), {"/app/b.py": "x"})
    parts = ABC.request(RunRequest("/home/me/notes/a.py", "gradflow_probe", roots=("/home/me",)))
    assert parts.roots == ("/home/me", "/app")
    answer = {
        "report": {
            "path": "/app/data/a.py",
            "sources": {"/app/b.py": "1"},
            "causes": [{"location": {"path": "/app/b.py"}}],
        },
        "looked_for": ["/app/c.py"],
        "traceback": 'Traceback:\n  File "/app/b.py", line 3, in f\n    "/app/b.py"\n',
    }
    assert ABC.message(answer) == {
        "report": {
            "path": "/data/a.py",
            "sources": {"/home/me/project/b.py": "1"},
            "causes": [{"location": {"path": "/home/me/project/b.py"}}],
        },
        "looked_for": ["/home/me/project/c.py"],
        "traceback": 'Traceback:\n  File "/home/me/project/b.py", line 3, in f\n    "/app/b.py"\n',
    }


async def test_words_are_quoted_for_a_launcher_that_hands_them_to_a_shell():
    words = ["python3", "-c", "a = 'b'\nc"]
    assert Elsewhere(("srun", "-n1")).command(words) == ["srun", "-n1", *words]
    assert Elsewhere(("/usr/bin/ssh", "box")).command(words) == [
        "/usr/bin/ssh",
        "box",
        "python3 -c 'a = '\"'\"'b'\"'\"'\nc'",
    ]


# --- runs ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def there(tmp_path_factory):
    """A folder that plays another place."""
    return tmp_path_factory.mktemp("there")


def python_in(there, project, launcher=("env", "-i")):
    """This Python, as it is started there: without any variable."""
    return Interpreter(
        (sys.executable,), "a test's own", place=Elsewhere(launcher, ((str(there), str(project.folder)),))
    )


async def test_a_run_elsewhere_reports_in_places_of_here(project, there):
    (there / "layers.py").write_text(LAYERS)
    project.write(layers="")
    overlays = {str(project.folder / "model.py"): MODEL}  # only the editor has it
    report = await project.run("", interpreter=python_in(there, project), overlays=overlays)
    assert (report.status, report.path) == ("ok", str(project.folder / "model.py"))
    places = {p.name: (p.location.path, p.location.line) for p in report.parameters}
    assert places["0.weight"] == (str(project.folder / "layers.py"), 4)
    (cause,) = report.causes
    line, column = cause.location.line, cause.location.column
    assert (cause.kind, cause.location.path, line) == ("detach", report.path, 5)
    assert MODEL.splitlines()[line - 1][column:].startswith(".detach()")
    assert set(report.sources) == {report.path, str(project.folder / "layers.py")}
    assert set(there.iterdir()) == {there / "layers.py"}


@pytest.mark.slow
async def test_what_fails_elsewhere_is_told_with_the_line_here(project, there):
    (there / "model.py").write_text("def gradflow_probe():\n    print('so far')\n    raise ValueError('no')\n")
    report = await project.run("", interpreter=python_in(there, project))
    assert (report.error.kind, report.error.location.path) == ("probe-raised", str(project.folder / "model.py"))
    assert f'File "{project.folder}/model.py", line 3' in report.error.traceback
    assert report.error.output == "so far\n"


@pytest.mark.slow
async def test_a_file_that_is_not_there_is_named_as_it_is_there(project, there):
    report = await project.run("", interpreter=python_in(there, project))
    assert report.error.kind == "import-error"
    assert f"there is no file {there}/model.py" in report.error.message
    assert "path_mappings" in report.error.message


@pytest.mark.slow
async def test_a_run_elsewhere_that_is_out_of_time_says_where_it_was_and_ends(project, there):
    (there / "model.py").write_text(
        "import os\ndef gradflow_probe():\n    print(os.getpid())\n    while True:\n        pass\n"
    )
    report = await project.run("", interpreter=python_in(there, project), timeout=2.0)
    assert (report.status, report.error.location.path) == ("timeout", str(project.folder / "model.py"))
    assert report.error.location.line in (4, 5)
    assert await asyncio.to_thread(are_gone, [report.error.output])


@pytest.mark.slow
async def test_a_connection_that_is_cut_ends_the_run_at_its_other_end(project, there):
    fifo = project.fifo()
    said = f"open({str(fifo)!r}, 'w').write(str(os.getpid()))"
    (there / "model.py").write_text(f"import os\ndef gradflow_probe():\n    {said}\n    while True: pass\n")
    script = there / "ssh"  # as the real one: a shell there, in a session of its own, between two pipes
    script.write_text('#!/bin/sh\nshift\nexec 3<&0\ncat <&3 | setsid sh -c "$*" | cat\n')
    script.chmod(0o755)
    run = asyncio.create_task(project.run("", interpreter=python_in(there, project, (str(script), "box"))))
    pid = await asyncio.to_thread(fifo.read_text)
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)
    assert await asyncio.to_thread(are_gone, [pid])


@pytest.mark.parametrize(
    ("launcher", "kind", "words"),
    [
        (("no-such-launcher", "x"), "no-interpreter", "there is no program no-such-launcher on the PATH"),
        (("sh", "-c", "echo Permission denied. >&2; exit 255"), "launcher-failed", "ended with exit status 255"),
    ],
)
async def test_a_launcher_that_does_not_launch_is_named(project, there, launcher, kind, words):
    report = await project.run("", interpreter=python_in(there, project, launcher))
    assert report.error.kind == kind
    assert words in report.error.message
    assert "Permission denied" in (report.error.output or "Permission denied")


@pytest.mark.slow
async def test_an_interpreter_elsewhere_and_one_here_are_two(project, there):
    (there / "model.py").write_text(MODEL.replace(", layers", "").replace("layers.first()", "torch.nn.Linear(4, 4)"))
    elsewhere = python_in(there, project)
    report = await project.run("raise SystemExit(3)", interpreter=elsewhere)
    assert report.status == "ok"
    here = await project.run("raise SystemExit(3)")
    assert here.error.kind == "system-exit"
