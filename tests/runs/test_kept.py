"""What stands ready for the next run: packages imported ahead, never the user's modules, never a changed process."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from gradflow_lsp.runs.interpreter import Interpreter
from gradflow_lsp.runs.session import Runner

MODEL = """
import json, os, sys
ahead = {{name for name in ("plain", "eager", "patchy", "holder", "dicey") if name in sys.modules}}
import {imported}
def gradflow_probe():
    raise RuntimeError(json.dumps([os.getppid(), os.getpid(), sorted(ahead), plain.__file__]))
"""
PACKAGES = {
    "plain": "",
    "eager": "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
    "patchy": "import torch; torch.nn.functional.relu = lambda x: x",
    "holder": "import os; handle = open(os.devnull)",
    "dicey": "import torch; noise = torch.rand(1)",
    "sized": "import os; size = os.environ.get('SIZE', 'none')",
}


class Environment:
    """An environment of its own that sees the tests' torch, with packages of forty modules each."""

    def __init__(self, folder):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.interpreter = Interpreter((str(folder / "bin/python"),), "a test's own")
        (self.packages,) = folder.glob("lib/python*/site-packages")
        (self.packages / "torch.pth").write_text(str(Path(find_spec("torch").origin).parents[1]), encoding="utf-8")
        for name, text in PACKAGES.items():
            self.install(name, text)

    def extend(self, package, module):
        """Add a module to a package."""
        (self.packages / package / f"{module}.py").touch()

    def install(self, name, text):
        """Add a package."""
        package = self.packages / name
        package.mkdir()
        for i in range(40):
            (package / f"part{i}.py").touch()
        parts = "".join(f"from {name} import part{i}\n" for i in range(40))
        (package / "__init__.py").write_text(parts + text, encoding="utf-8")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture(autouse=True)
def no_variables_of_the_testers_own(monkeypatch):
    """As for most users: what the worker itself sets is then a change of its environment."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)


@pytest.fixture(params=["fork", pytest.param("spare", marks=pytest.mark.slow)])
async def kept(request):
    runner = Runner(way=request.param, ahead=True)
    yield runner
    await runner.close()


async def seen(project, runner, environment, imported="plain"):
    """What a run sees of its process: its own and its parent's number, the packages that were there, a file."""
    report = await project.run(MODEL.format(imported=imported), runner=runner, interpreter=environment.interpreter)
    (answer,) = re.findall(r"\[.*\]", report.error.message)
    parent, own, ahead, file = json.loads(answer)
    return parent, own, set(ahead), file


async def seen_once_renewed(project, runner, environment, imported="plain"):
    """The same, from the first run in a process that has imported something ahead."""
    async with asyncio.timeout(60):
        while not (found := await seen(project, runner, environment, imported))[2]:
            pass
    return found


async def test_what_a_run_has_imported_is_there_before_the_next_ones(project, kept, environment):
    assert (await seen(project, kept, environment))[2] == set()
    assert (await seen_once_renewed(project, kept, environment))[2] == {"plain"}


@pytest.mark.slow
@pytest.mark.parametrize("package", ["eager", "patchy", "holder", "dicey"])
async def test_a_package_that_does_more_than_define_things_is_imported_by_the_run_itself(project, environment, package):
    runner = Runner(ahead=True)
    try:
        assert (await seen_once_renewed(project, runner, environment, f"{package}, plain"))[2] == {"plain"}
    finally:
        await runner.close()


@pytest.mark.slow
async def test_a_module_of_the_users_own_beats_one_that_was_imported_ahead(project, kept, environment):
    await seen_once_renewed(project, kept, environment)
    project.write(plain="")
    *_, ahead, file = await seen(project, kept, environment)
    assert (ahead, Path(file)) == (set(), project.folder / "plain.py")


@pytest.mark.slow
async def test_what_was_imported_ahead_is_so_again_after_something_was_installed(project, environment):
    runner = Runner(ahead=True)
    try:
        first, *_ = await seen_once_renewed(project, runner, environment)
        environment.install("newcomer", "")
        assert (await seen_once_renewed(project, runner, environment))[0] != first
    finally:
        await runner.close()


async def answer(project, runner, environment, text, file):
    """What the probe in a file raises."""
    report = await project.run(text, runner=runner, interpreter=environment.interpreter, file=file)
    return report.error.message.partition("RuntimeError: ")[2].partition(" (")[0]


async def test_what_one_probe_has_imported_is_not_there_for_another(project, kept, environment):
    await seen_once_renewed(project, kept, environment)
    text = "import sys\ndef gradflow_probe():\n    raise RuntimeError('plain' in sys.modules)\n"
    assert await answer(project, kept, environment, text, "other.py") == "False"


@pytest.mark.slow
async def test_what_another_probe_has_imported_of_the_same_package_is_not_there(project, kept, environment):
    environment.extend("plain", "extra")
    project.write(first="import plain.extra\n" + MODEL.format(imported="plain"))
    async with asyncio.timeout(60):
        while (
            '"plain"'
            not in (await project.run(runner=kept, interpreter=environment.interpreter, file="first.py")).error.message
        ):
            pass
    text = "import plain\ndef gradflow_probe():\n    raise RuntimeError(hasattr(plain, 'extra'))\n"
    answers = [await answer(project, kept, environment, text, "other.py") for _ in range(3)]
    assert answers == ["False"] * 3


@pytest.mark.slow
async def test_a_variable_that_the_probe_sets_is_there_for_what_it_imports(project, kept, environment):
    await seen_once_renewed(project, kept, environment, "plain, sized")
    text = "import os\ndef gradflow_probe():\n    os.environ['SIZE'] = 'large'\n    import plain, sized\n"
    text += "    raise RuntimeError(sized.size)\n"
    answers = [await answer(project, kept, environment, text, "model.py") for _ in range(2)]
    assert answers == ["large"] * 2


@pytest.mark.slow
async def test_a_variable_that_the_file_sets_is_there_for_what_it_imports(project, kept, environment):
    await seen_once_renewed(project, kept, environment, "plain, sized")
    text = "import os\nos.environ['SIZE'] = 'large'\nimport plain, sized\n"
    text += "def gradflow_probe():\n    raise RuntimeError(sized.size)\n"
    answers = [await answer(project, kept, environment, text, "model.py") for _ in range(3)]
    assert answers == ["large"] * 3


@pytest.mark.slow
async def test_a_copy_in_a_folder_that_the_file_puts_first_beats_what_is_installed(project, kept, environment):
    await seen_once_renewed(project, kept, environment)
    (project.folder / "copies").mkdir()
    (project.folder / "copies" / "plain.py").write_text("")
    text = "import sys\nsys.path.insert(0, 'copies')\nimport plain\n"
    text += "def gradflow_probe():\n    raise RuntimeError(plain.__file__)\n"
    answers = [await answer(project, kept, environment, text, "model.py") for _ in range(2)]
    assert {Path(file).name for file in answers} == {"plain.py"}


@pytest.mark.slow
async def test_another_interpreter_lets_a_run_of_the_last_one_end(project, environment):
    runner, fifo = Runner(), project.fifo()
    waiting = (
        f"def gradflow_probe():\n    open({str(fifo)!r}, 'w').close()\n    open({str(fifo)!r}).read()\n    {{}}['x']\n"
    )
    try:
        run = asyncio.create_task(
            project.run(waiting, runner=runner, interpreter=environment.interpreter, file="slow.py")
        )
        await asyncio.to_thread(lambda: open(fifo).close())
        await project.run("", runner=runner, file="other.py")
        await asyncio.to_thread(lambda: open(fifo, "w").close())
        assert (await run).error.message.startswith("The probe raised KeyError")
    finally:
        await runner.close()


async def test_an_interpreter_that_does_not_start_keeps_nobody_from_closing(project, tmp_path):
    hanging, started = tmp_path / "hanging", project.fifo()
    hanging.write_text(f"#!/bin/sh\necho $$ > {started}\nexec sleep 600\n")
    hanging.chmod(0o755)
    runner = Runner()
    run = asyncio.create_task(project.run("", runner=runner, interpreter=Interpreter((str(hanging),), "a test's own")))
    process = psutil.Process(int(await asyncio.to_thread(started.read_text)))
    await project.run("", runner=runner, file="other.py")
    async with asyncio.timeout(30):
        await runner.close()
        await asyncio.gather(run, return_exceptions=True)
    await asyncio.to_thread(process.wait, 30)


async def test_installing_something_ends_the_process_that_was_kept(project, tmp_path):
    environment, runner = Environment(tmp_path / "environment"), Runner()
    try:
        first, *_ = await seen(project, runner, environment)
        assert (await seen(project, runner, environment))[0] == first
        environment.install("another", "")
        assert (await seen(project, runner, environment))[0] != first
    finally:
        await runner.close()
    assert not psutil.pid_exists(first)


@pytest.mark.slow
async def test_another_interpreter_for_the_same_folder_ends_the_process_that_was_kept(project, environment):
    runner = Runner()
    try:
        first, *_ = await seen(project, runner, environment)
        process = psutil.Process(first)
        await project.run("", runner=runner)
        await asyncio.to_thread(process.wait, 30)
    finally:
        await runner.close()


@pytest.mark.slow
async def test_a_spare_process_serves_one_run(project, environment):
    runner = Runner(way="spare")
    try:
        numbers = {(await seen(project, runner, environment))[1] for _ in range(3)}
        assert len(numbers) == 3
    finally:
        await runner.close()


@pytest.mark.slow
async def test_a_spare_process_that_has_died_is_replaced(project, environment):
    runner = Runner(way="spare")
    try:
        _, used, *_ = await seen(project, runner, environment)
        waiting = [process.pid for process in psutil.Process().children() if process.pid != used]
        for pid in waiting:
            os.kill(pid, signal.SIGKILL)
        assert (await seen(project, runner, environment))[1] not in waiting
    finally:
        await runner.close()


@pytest.mark.slow
async def test_another_interpreter_leaves_nothing_of_one_that_a_run_still_waits_for(project, tmp_path):
    started, ready = project.fifo("started"), project.fifo("ready")
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\necho > {started}\nread line < {ready}\nexec {sys.executable} "$@"\n')
    slow.chmod(0o755)
    runner = Runner()
    try:
        interpreter = Interpreter((str(slow),), "a test's own")
        run = asyncio.create_task(project.run("", runner=runner, interpreter=interpreter, file="slow.py"))
        await asyncio.to_thread(started.read_text)
        (there,) = psutil.Process().children()
        await project.run("", runner=runner, file="other.py")
        await asyncio.to_thread(ready.write_text, "\n")
        assert "gradflow_probe" in (await run).error.message
        await asyncio.to_thread(there.wait, 30)
    finally:
        await runner.close()


@pytest.mark.slow
async def test_what_is_installed_while_an_interpreter_starts_counts(project, tmp_path):
    environment, runner = Environment(tmp_path / "environment"), Runner()
    started, go_on = project.fifo("started"), project.fifo("go_on")
    wait = f"open({str(started)!r}, 'w').close(); open({str(go_on)!r}).close()"
    once = f"import os; os.path.exists({str(started)!r}) and exec({wait!r})\n"
    torch = (environment.packages / "torch.pth").read_text()
    (environment.packages / "torch.py").write_text(  # found first: it waits, and leaves its name to the real one
        f"{once}import sys\nsys.path.insert(0, {torch!r})\ndel sys.modules['torch']\nimport torch\ndel sys.path[0]\n"
    )
    try:
        waiting = asyncio.create_task(seen(project, runner, environment))
        await asyncio.to_thread(lambda: started.open().close())
        environment.install("another", "")
        started.unlink()
        await asyncio.to_thread(lambda: go_on.open("w").close())
        first, *_ = await waiting
        assert (await seen(project, runner, environment))[0] != first
    finally:
        await runner.close()
