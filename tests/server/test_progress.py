from pathlib import Path

from lsprotocol import types as lsp

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
