import asyncio
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .editor import BROKEN, HEALTHY, MODEL, PATIENCE, PROBE, Editor


def changed(editor: Editor, path: Path, kind: lsp.FileChangeType) -> None:
    editor.workspace_did_change_watched_files(
        lsp.DidChangeWatchedFilesParams([lsp.FileEvent(uri=path.as_uri(), type=kind)])
    )


async def test_opening_typing_and_hovering_run_nothing(neovim: Editor, folder: Path):
    mark = folder / "ran"
    text = f"from pathlib import Path\nPath({str(mark)!r}).touch()\n" + BROKEN
    (folder / "model.py").write_text(text)
    uri = neovim.open(folder / "model.py")
    neovim.type(uri, "import torch\n", "import torch\n\n")
    await neovim.hover(uri, "nn.Linear(4, 8)")
    await neovim.actions(uri, "model = Net()")
    neovim.save(uri)
    await neovim.lenses(uri)
    assert await neovim.command("report", uri=uri) is None
    assert not mark.exists()


async def test_findings_are_cleared_when_their_file_is_deleted(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    await editor.run(uri)
    assert await editor.diagnostics_of(uri)
    (folder / "model.py").unlink()
    changed(editor, folder / "model.py", lsp.FileChangeType.Deleted)
    assert await editor.diagnostics_of(uri) == {}


async def test_findings_are_cleared_when_the_file_is_found_gone_at_closing(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    (folder / "model.py").unlink()
    neovim.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
    assert await neovim.diagnostics_of(uri) == {}


async def test_findings_do_not_follow_a_renamed_file(neovim: Editor, folder: Path):
    (folder / "old.py").write_text(BROKEN)
    uri = neovim.open(folder / "old.py")
    await neovim.run(uri)
    (folder / "old.py").rename(folder / "new.py")
    renamed = lsp.FileRename(old_uri=uri, new_uri=(folder / "new.py").as_uri())
    neovim.workspace_did_rename_files(lsp.RenameFilesParams([renamed]))
    assert await neovim.diagnostics_of(uri) == {}
    assert (await neovim.run(neovim.open(folder / "new.py")))["status"] == "ok"


async def test_findings_of_a_deleted_folder_are_cleared(neovim: Editor, folder: Path):
    package = folder / "package"
    package.mkdir()
    (package / "model.py").write_text(BROKEN)
    uri = neovim.open(package / "model.py")
    await neovim.run(uri)
    neovim.workspace_did_delete_files(lsp.DeleteFilesParams([lsp.FileDelete(package.as_uri())]))
    assert await neovim.diagnostics_of(uri) == {}


async def test_a_file_that_others_change_makes_findings_stale(neovim: Editor, folder: Path):
    (folder / "layers.py").write_text(MODEL)
    (folder / "check.py").write_text("import torch\nfrom layers import Net\n" + PROBE)
    uri = neovim.open(folder / "check.py")
    await neovim.run(uri)
    layers = folder / "layers.py"
    found = await neovim.diagnostics_of(layers.as_uri())
    assert found["detach"].range.start.line == 11
    layers.write_text("# moved\n" + MODEL)
    changed(neovim, layers, lsp.FileChangeType.Changed)
    found = await neovim.diagnostics_of(layers.as_uri())
    assert found["detach"].range.start.line == 12
    assert "stale" in found["detach"].message
    assert "stale" in (await neovim.lenses(uri))[1].command.title


async def test_the_same_bytes_written_again_make_nothing_stale(neovim: Editor, folder: Path):
    (folder / "layers.py").write_text(MODEL)
    (folder / "check.py").write_text("import torch\nfrom layers import Net\n" + PROBE)
    uri = neovim.open(folder / "check.py")
    await neovim.run(uri)
    (folder / "layers.py").write_text(MODEL)
    changed(neovim, folder / "layers.py", lsp.FileChangeType.Changed)
    assert "stale" not in (await neovim.lenses(uri))[1].command.title


async def test_a_probe_that_a_saved_file_has_no_more_takes_its_findings_along(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    neovim.type(uri, "def gradflow_probe()", "def train()")
    assert await neovim.diagnostics_of(uri)
    neovim.save(uri)
    assert await neovim.diagnostics_of(uri) == {}


async def test_probes_are_looked_for_again_when_the_settings_leave_others_out(fresh, tmp_path: Path):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(HEALTHY)
    editor = await fresh("neovim", tmp_path)
    await until_refused(editor, "There are 3 gradient probes (a.py gradflow_probe, b.py")
    async with editor.configured(exclude=["a.py"]):
        await until_refused(editor, "There are 2 gradient probes (b.py gradflow_probe, c.py")


async def until_refused(editor: Editor, beginning: str) -> None:
    """Wait until a run without a name is refused with a certain sentence: scans go on in the background."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with pytest.raises(JsonRpcException) as refusal:
                await editor.command("run")
            if refusal.value.message.startswith(beginning):
                return
            await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_the_only_probe_of_a_workspace_needs_no_name(fresh, tmp_path: Path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "model.py").write_text(HEALTHY)
    editor = await fresh("vim-ale", tmp_path)
    async with asyncio.timeout(PATIENCE):
        while (started := await run_the_only_one(editor)) is None:  # until the scan in the background has found it
            await asyncio.sleep(0.02)
    report = await editor.report((tmp_path / "deep" / "model.py").as_uri(), started["run"])
    assert report["status"] == "ok"


async def run_the_only_one(editor: Editor) -> dict | None:
    try:
        return await editor.command("run")
    except JsonRpcException:
        return None


async def test_files_are_watched_only_by_editors_that_offer_it(vscode: Editor, neovim: Editor):
    await vscode.until(lambda: "workspace/didChangeWatchedFiles" in vscode.registered)
    assert neovim.registered == []


async def test_saving_runs_probes_only_where_the_user_wants_that(vscode: Editor, folder: Path):
    (folder / "layers.py").write_text(MODEL)
    (folder / "check.py").write_text("import torch\nfrom layers import Net\n" + PROBE)
    probe, layers = vscode.open(folder / "check.py"), vscode.open(folder / "layers.py")
    async with vscode.configured(run="onSave"):
        vscode.save(probe)
        first = await vscode.report(probe, 1)
        assert first["parameters"][0]["verdict"] == "missing"
        number = (await vscode.command("report", uri=probe))["run"]
        vscode.type(layers, ".detach()", "")
        vscode.save(layers)
        second = await vscode.report(probe, number + 1)
        assert second["parameters"][0]["verdict"] == "healthy"


async def test_a_folder_that_leaves_the_workspace_takes_its_findings_along(ale: Editor, tmp_path: Path):
    (tmp_path / "model.py").write_text(BROKEN)
    folder = lsp.WorkspaceFolder(tmp_path.as_uri(), "more")
    come = lsp.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
    go = lsp.WorkspaceFoldersChangeEvent(added=[], removed=[folder])
    ale.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(come))
    uri = ale.open(tmp_path / "model.py")
    await ale.run(uri)
    assert await ale.diagnostics_of(uri)
    ale.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(go))
    assert await ale.diagnostics_of(uri) == {}
