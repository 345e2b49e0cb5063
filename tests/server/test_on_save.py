"""Which probes a save runs: those in the file and those that the file concerns, each once, and none other."""

import asyncio
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types as lsp

from .editor import MODEL, PATIENCE, PROBE, Editor

LOGGED = """
    from pathlib import Path
    with Path(__file__).with_suffix(".log").open("a") as log:
        print(Path(__file__).name, file=log)
"""
CHECK = "import torch\nfrom layers import Net\n" + PROBE.replace("():\n", "():" + LOGGED)
ALONE = MODEL + PROBE.replace("():\n", "():" + LOGGED)


@pytest_asyncio.fixture(loop_scope="session")
async def editor(vscode: Editor):
    """An editor that has runs on save switched on."""
    async with vscode.configured(run="onSave"):
        yield vscode


def opened(editor: Editor, folder: Path, **files: str) -> list[str]:
    """Write files by their names without `.py`, open them, and return their URIs."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return [editor.open(folder / f"{name}.py") for name in files]


async def number(editor: Editor, uri: str) -> int:
    """Return the number of the latest run of a file's probe, 0 before there was one."""
    answer = await editor.command("report", uri=uri)
    return answer["run"] if answer else 0


async def rerun(editor: Editor, uri: str, since: int) -> dict:
    """Return the first report after the run of a certain number."""
    async with asyncio.timeout(PATIENCE):
        while await number(editor, uri) <= since:
            await asyncio.sleep(0.02)
    return await editor.report(uri, since + 1)


def times(uri: str) -> int:
    """Return how often a probe that keeps a log was called."""
    log = Path(uri.removeprefix("file://")).with_suffix(".log")
    return len(log.read_text().splitlines()) if log.exists() else 0


async def test_a_saved_file_runs_the_probes_that_loaded_it_and_no_other(editor: Editor, folder: Path):
    healthy = MODEL.replace(".detach()", "")
    layers, one, two, other = opened(editor, folder, layers=healthy, one=CHECK, two=CHECK, other=ALONE)
    for uri in (one, two, other):
        await editor.run(uri)
    before = {uri: await number(editor, uri) for uri in (one, two, other)}
    calls = times(one), times(two), times(other)
    editor.type(layers, "nn.Linear(4, 8)", "nn.Linear(4, 8, bias=False)")
    editor.save(layers)
    for uri in (one, two):
        report = await rerun(editor, uri, before[uri])
        assert [p["name"] for p in report["parameters"]] == ["first.weight", "last.weight", "last.bias"]
    assert (times(one), times(two), times(other)) == (calls[0] + 1, calls[1] + 1, calls[2])
    numbers = {await number(editor, uri) for uri in (one, two)}
    assert numbers == {max(before.values()) + 1, max(before.values()) + 2}
    assert await number(editor, other) == before[other]


async def test_saving_without_a_change_runs_again(editor: Editor, folder: Path):
    (uri,) = opened(editor, folder, alone=ALONE)
    await editor.run(uri)
    first = await number(editor, uri)
    editor.save(uri)
    assert (await rerun(editor, uri, first))["status"] == "ok"


async def test_saving_all_files_runs_a_probe_once(editor: Editor, folder: Path):
    parts = {f"part{i}": f"size = {i}" for i in range(5)}
    imports = "".join(f"import {name}\n" for name in parts)
    uri, *others = opened(editor, folder, alone=imports + ALONE.replace(".detach()", ""), **parts)
    await editor.run(uri)
    first, calls = await number(editor, uri), times(uri)
    for other in (*others, uri):
        editor.type(other, "\n" if other == uri else "size", "  # saved\n" if other == uri else "other")
    for other in (*others, uri):
        editor.save(other)
    await rerun(editor, uri, first)
    await editor.report(uri, await number(editor, uri))
    assert times(uri) == calls + 1
    assert await stale(editor, uri) is False


async def stale(editor: Editor, uri: str) -> bool:
    """Whether the report on the lines is stale."""
    return (await editor.command("report", uri=uri))["stale"]


FAILURES = {
    "syntax error": ("size = (", "syntax-error"),
    "exception": ("raise ValueError('no')", "import-error"),
    "in the probe": ("class Net:\n    def __init__(self): raise ValueError('no')", "probe-raised"),
    "missing name": ("size = 3", "import-error"),
    "exit": ("import os\nos._exit(3)", "system-exit"),
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_mending_a_module_runs_the_probe_that_failed_for_it(editor: Editor, folder: Path, failure: str):
    text, kind = FAILURES[failure]
    layers, uri = opened(editor, folder, layers=text, check=CHECK)
    report = await editor.run(uri)
    assert report["error"]["kind"] == kind
    assert set(report["sources"]) == {str(folder / "check.py"), str(folder / "layers.py")}
    first = await number(editor, uri)
    editor.type(layers, text, MODEL)
    assert await stale(editor, uri)
    editor.save(layers)
    assert (await rerun(editor, uri, first))["status"] == "ok"
    assert await number(editor, uri) == first + 1


@pytest.mark.slow
async def test_a_run_out_of_time_knows_what_it_had_loaded(fresh, tmp_path: Path):
    editor = await fresh("vim-ale", tmp_path, run="onSave", timeout=0.5)
    layers, uri = opened(editor, tmp_path, layers="while True: pass", check=CHECK)
    report = await editor.run(uri)
    assert (report["status"], len(report["sources"])) == ("timeout", 2)
    first = await number(editor, uri)
    editor.type(layers, "while True: pass", "size = 3")
    editor.save(layers)
    assert (await rerun(editor, uri, first))["error"]["kind"] == "import-error"


async def test_creating_a_missing_module_runs_the_probe_that_missed_it(editor: Editor, folder: Path):
    uri, _ = opened(editor, folder, check=CHECK, other="")
    assert (await editor.run(uri))["error"]["kind"] == "import-error"
    first = await number(editor, uri)
    unrelated, layers = opened(editor, folder, unrelated=MODEL, layers=MODEL)
    editor.save(unrelated)
    assert await number(editor, uri) == first
    assert await stale(editor, uri)
    editor.save(layers)
    assert (await rerun(editor, uri, first))["status"] == "ok"


async def test_a_module_in_a_new_folder_may_be_the_missing_one(editor: Editor, folder: Path):
    (uri,) = opened(editor, folder, check=CHECK.replace("layers", "net.layers"))
    assert (await editor.run(uri))["error"]["kind"] == "import-error"
    first = await number(editor, uri)
    (folder / "net").mkdir()
    (layers,) = opened(editor, folder / "net", layers=MODEL)
    editor.save(layers)
    assert (await rerun(editor, uri, first))["status"] == "ok"


async def test_a_file_that_comes_before_an_imported_one_runs_the_probe(editor: Editor, folder: Path):
    (folder / "layers").mkdir()
    uri, _ = opened(editor, folder, check=CHECK, layers=MODEL)
    await editor.run(uri)
    first = await number(editor, uri)
    (package,) = opened(editor, folder / "layers", __init__=MODEL.replace(".detach()", ""))
    assert await stale(editor, uri)
    editor.save(package)
    report = await rerun(editor, uri, first)
    assert {p["verdict"] for p in report["parameters"]} == {"healthy"}


@pytest.mark.parametrize("way", ["lazily", "by its path"])
async def test_modules_that_are_loaded_late_or_by_path_count(editor: Editor, folder: Path, way: str):
    head = "\n    from layers import Net"
    if way == "by its path":
        head = """
    import importlib.util
    from pathlib import Path
    spec = importlib.util.spec_from_file_location("odd", Path(__file__).parent / "layers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    Net = module.Net"""
    layers, uri = opened(editor, folder, layers=MODEL, check="import torch\n" + PROBE.replace("():\n", f"():{head}\n"))
    await editor.run(uri)
    first = await number(editor, uri)
    editor.type(layers, ".detach()", "")
    editor.save(layers)
    assert {p["verdict"] for p in (await rerun(editor, uri, first))["parameters"]} == {"healthy"}


WAITING = "from pathlib import Path\nimport time\nPath(__file__).with_suffix('.started').touch()\n" + (
    "while not Path(__file__).with_suffix('.go').exists(): time.sleep(0.01)\n"
)


async def test_what_is_saved_while_the_first_run_goes_on_is_run_after_it(editor: Editor, folder: Path):
    layers, uri = opened(editor, folder, layers=WAITING + MODEL, check=CHECK)
    started = (await editor.command("run", uri=uri))["run"]
    await editor.until_started(layers)
    editor.type(layers, ".detach()", "")
    editor.save(layers)
    (folder / "layers.go").touch()
    report = await rerun(editor, uri, started)
    assert {p["verdict"] for p in report["parameters"]} == {"healthy"}
    assert not await stale(editor, uri)


async def test_a_save_replaces_a_run_that_goes_on(editor: Editor, folder: Path):
    layers, uri = opened(editor, folder, layers=MODEL.replace(".detach()", ""), check=CHECK)
    await editor.run(uri)
    editor.type(layers, "import torch\n", WAITING + "import torch\n")
    editor.save(layers)
    await editor.until_started(layers)
    second, calls = await number(editor, uri), times(uri)
    editor.type(layers, WAITING, "")
    editor.save(layers)
    assert (await rerun(editor, uri, second))["status"] == "ok"
    assert times(uri) == calls + 1


async def test_what_others_do_to_a_file_runs_nothing(editor: Editor, folder: Path):
    (folder / "layers.py").write_text(MODEL)
    (uri,) = opened(editor, folder, check=CHECK)
    await editor.run(uri)
    first = await number(editor, uri)
    (folder / "layers.py").write_text(MODEL.replace(".detach()", ""))
    event = lsp.FileEvent(uri=(folder / "layers.py").as_uri(), type=lsp.FileChangeType.Changed)
    editor.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    assert await stale(editor, uri)
    assert await number(editor, uri) == first


@pytest.mark.slow
async def test_the_setting_of_the_probes_own_folder_counts(fresh, tmp_path: Path):
    quiet, eager = tmp_path / "quiet", tmp_path / "eager"
    for folder, setting in ((quiet, "onCommand"), (eager, "onSave")):
        folder.mkdir()
        (folder / "pyproject.toml").write_text(f'[tool.gradflow]\nrun = "{setting}"\n')
    shared = f"import sys\nsys.path.append({str(quiet)!r})\n" + CHECK
    editor = await fresh("vim-ale", quiet, eager)
    layers, here = opened(editor, quiet, layers=MODEL, check=CHECK)
    (there,) = opened(editor, eager, check=shared)
    for uri in (here, there):
        assert (await editor.run(uri))["status"] == "ok"
    first, last = await number(editor, here), await number(editor, there)
    editor.save(layers)
    await rerun(editor, there, last)
    assert await number(editor, here) == first


async def test_a_helper_runs_its_probes_also_when_their_findings_were_cleared(editor: Editor, folder: Path):
    layers, one = opened(editor, folder, layers=MODEL, one=CHECK)
    await editor.run(one)
    first = await number(editor, one)
    await editor.command("clear")
    assert await editor.diagnostics_of(layers) == {}
    editor.save(layers)
    await rerun(editor, one, first)
    assert "detach" in await editor.diagnostics_of(layers)


@pytest.mark.parametrize("name", ["vscode", "vim-ale"])
@pytest.mark.slow
async def test_a_run_that_nobody_asked_for_fails_without_a_message(fresh, tmp_path: Path, name: str):
    editor = await fresh(name, tmp_path, run="onSave")
    (uri,) = opened(editor, tmp_path, alone="def gradflow_probe():\n    raise ValueError\n")
    editor.save(uri)
    assert (await rerun(editor, uri, 0))["status"] == "failed"
    assert editor.messages == []
    if name == "vim-ale":
        assert "Gradient probe: could not run" in [told.message for told in editor.log_messages]
