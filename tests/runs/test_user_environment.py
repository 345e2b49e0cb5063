"""Runs in an environment that has torch and nothing of ours, started by a server that lives in another."""

import asyncio
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gradflow_lsp.runs.interpreter import find_interpreter
from gradflow_lsp.runs.session import Runner

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(sys.platform == "win32", reason="links to packages, in the layout of other systems"),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
]

OURS = ("attrs", "cattrs", "pygls", "lsprotocol", "psutil", "click", "rich", "platformdirs", "gradflow_lsp")
FACTS = """\
import importlib.util, json, os, subprocess, sys
import marker

def gradflow_probe():
    found = subprocess.run(["python", "-c", "import sys; print(); print(sys.prefix)"], capture_output=True, text=True)
    ours = [name for name in {ours} if importlib.util.find_spec(name)]
    facts = dict(path=sys.path, environ=dict(os.environ), prefix=sys.prefix, python=found.stdout.split()[-1], ours=ours)
    print("facts", json.dumps(facts))
    return 1 / 0
"""


def needed_by(name):
    """The distributions that one needs, itself among them, as far as they are installed."""
    found, wanted = {}, [name]
    while wanted:
        name = wanted.pop()
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if distribution.name not in found:
            found[distribution.name] = distribution
            wanted += [re.match(r"[\w.-]+", line)[0] for line in distribution.requires or () if "extra ==" not in line]
    return found.values()


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A virtual environment with torch (linked), a package `marker`, and start-up files that print."""
    folder = tmp_path_factory.mktemp("user")
    prefix, libraries = folder / "env", folder / "libraries"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)
    libraries.mkdir()
    for distribution in (*needed_by("torch"), *needed_by("numpy")):
        for name in {file.parts[0] for file in distribution.files if ".." not in file.parts}:
            if not (libraries / name).exists():
                (libraries / name).symlink_to(distribution.locate_file(name))
    [packages] = prefix.glob("lib/python*/site-packages")
    (packages / "torch.pth").write_text(f"{libraries}\n")
    (packages / "prints.pth").write_text("import sys; sys.stdout.write('a .pth file prints'); sys.stdout.flush()\n")
    (packages / "marker.py").write_text("")
    (packages / "sitecustomize.py").write_text("import os\nprint('Welcome!')\nos.write(1, b'no newline')\n")
    return prefix


async def facts_of(project, interpreter, runner=None):
    report = await project.run(
        f"import importlib.util\n{FACTS.format(ours=OURS)}", interpreter=interpreter, runner=runner
    )
    assert report.error.kind == "probe-raised", report.error
    return json.loads(report.error.output.partition("facts ")[2])


@pytest.mark.parametrize("way", ["fork", "none"])
async def test_a_run_finds_itself_in_the_users_environment(project, environment, monkeypatch, way):
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin{os.pathsep}/usr/bin:/bin")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    runner = Runner(way=way)
    try:
        facts = await facts_of(project, find_interpreter(project.folder, setting=str(environment)), runner)
    finally:
        await runner.close()
    assert facts["prefix"] == facts["python"] == facts["environ"]["VIRTUAL_ENV"] == str(environment)
    assert facts["environ"]["PATH"] == f"{environment}/bin{os.pathsep}/usr/bin:/bin"
    assert "PYTHONPATH" not in facts["environ"]
    assert facts["ours"] == []
    assert not [entry for entry in facts["path"] if entry.startswith((sys.prefix, str(Path(__file__).parents[2])))]


async def test_the_environment_in_the_folder_is_the_one_that_runs(project, environment):
    (project.folder / ".venv").symlink_to(environment)
    interpreter = find_interpreter(project.folder, environ={})
    runner = Runner()
    try:
        facts = await facts_of(project, interpreter, runner)
    finally:
        await runner.close()
    assert facts["prefix"] == str(project.folder / ".venv")


BROKEN = """\
import torch

def gradflow_probe():
    first, last = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
    return torch.nn.ModuleList([first, last]), last(first(torch.ones(2, 4)).detach()).mean()
"""


async def test_no_module_of_the_project_is_taken_for_one_that_we_need(project):
    names = {name for name in sys.stdlib_module_names if not name.startswith("_")} - set(sys.builtin_module_names)
    for name in (names | {*OURS, "numpy", "report", "worker"}) - {"os"}:
        (project.folder / f"{name}.py").write_text("raise SystemExit('this is the module of the project')\n")
    report = await project.run(BROKEN)
    assert [cause.kind for cause in report.causes] == ["detach"], report.error


@pytest.mark.parametrize("options", [[], ["-P"]])
async def test_the_command_line_is_not_led_astray_by_the_folder_it_stands_in(tmp_path, options):
    for name in ("json", "typing", "logging", "attrs", "click", "torch", "report"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('this is the module of the project')\n")
    (tmp_path / "rich").mkdir()
    (tmp_path / "rich/__init__.py").write_text("raise SystemExit('this is the package of the project')\n")
    (tmp_path / "model.py").write_text("def gradflow_probe(): ...")
    command = [sys.executable, *options, "-m", "gradflow_lsp", "check", "--python", "no-python", "--format", "json"]
    done = await asyncio.to_thread(subprocess.run, command, cwd=tmp_path, capture_output=True, text=True)
    assert json.loads(done.stdout)["probes"][0]["error"]["kind"] == "no-interpreter", done.stderr
