import asyncio
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .editor import ENDLESS, HEALTHY, Editor


async def test_progress_begins_tells_its_stages_and_ends(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY)
    before = {*neovim.progress_reports}
    await neovim.run(neovim.open(folder / "model.py"))
    (token,) = neovim.progress_reports.keys() - before
    begin, *stages, end = neovim.progress_reports[token]
    assert (begin.kind, begin.title, begin.cancellable) == ("begin", "Gradient probe", True)
    assert [stage.message for stage in stages][-2:] == ["running the probe", "running backward"]
    assert (end.kind, end.message) == ("end", "all 4 parameters healthy")


async def test_a_run_is_cancelled_by_its_progress(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(ENDLESS)
    before = {*vscode.progress_reports}
    uri = vscode.open(folder / "model.py")
    started = await vscode.command("run", uri=uri)
    await vscode.until_started(uri)
    (token,) = vscode.progress_reports.keys() - before
    vscode.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token))
    assert (await vscode.report(uri, started["run"]))["status"] == "cancelled"
    last = vscode.progress_reports[token][-1]
    assert (last.kind, last.message) == ("end", "cancelled")
    vscode.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token))
    assert await vscode.lenses(uri)


async def test_an_editor_without_progress_gets_one_message_at_the_end(ale: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY)
    before = len(ale.messages)
    await ale.run(ale.open(folder / "model.py"))
    assert ale.progress_reports == {}
    assert [message.message for message in ale.messages[before:]] == ["Gradient probe: all 4 parameters healthy"]


@pytest.mark.parametrize("answer", ["late", "refused"])
async def test_no_progress_is_told_before_the_editor_has_granted_it(
    neovim: Editor, folder: Path, answer: str, monkeypatch: pytest.MonkeyPatch
):
    asked, over = asyncio.Event(), asyncio.Event()

    async def create(params: lsp.WorkDoneProgressCreateParams) -> None:
        asked.set()
        if answer == "refused":
            raise JsonRpcException("This editor is too busy.")
        await over.wait()

    monkeypatch.setitem(neovim.protocol.fm.features, lsp.WINDOW_WORK_DONE_PROGRESS_CREATE, create)
    monkeypatch.setattr(neovim, "report_server_error", lambda error, source: None)  # it fails the test else
    before = {*neovim.progress_reports}
    (folder / "model.py").write_text(HEALTHY)
    assert (await neovim.run(neovim.open(folder / "model.py")))["status"] == "ok"
    over.set()
    await neovim.command("report")
    assert asked.is_set()
    assert {*neovim.progress_reports} == before


async def test_a_run_that_gives_way_to_a_newer_one_of_its_probe_says_nothing(ale: Editor, folder: Path):
    (folder / "model.py").write_text(ENDLESS)
    uri = ale.open(folder / "model.py")
    before = len(ale.messages)
    await ale.command("run", uri=uri)
    await ale.until_started(uri)
    newer = await ale.command("run", uri=uri)
    await ale.command("cancel", uri=uri)
    await ale.report(uri, newer["run"])
    await ale.until(lambda: len(ale.messages) > before)
    assert [message.message for message in ale.messages[before:]] == ["Gradient probe: cancelled"]


async def test_of_runs_that_are_asked_for_together_each_is_told_with_its_file(ale: Editor, folder: Path):
    (folder / "one.py").write_text(HEALTHY + "\n\ndef gradflow_probe_small():\n    return gradflow_probe()\n")
    before = len(ale.messages)
    uri = ale.open(folder / "one.py")
    numbers = (await ale.command("runAll", uri=uri))["runs"]
    await ale.report(uri, numbers[0], function="gradflow_probe")
    await ale.report(uri, numbers[1], function="gradflow_probe_small")
    assert sorted(message.message for message in ale.messages[before:]) == [
        "Gradient probe gradflow_probe_small in one.py: all 4 parameters healthy",
        "Gradient probe in one.py: all 4 parameters healthy",
    ]
