"""Findings are stale exactly while something that the run read is not as it was, whoever changed it and however."""

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from gradflow_lsp.annotate.words import STALE

from .editor import MODEL, PATIENCE, PROBE, Editor

CHECK = "import torch\nfrom layers import Net\n" + PROBE


async def stale(editor: Editor, uri: str) -> bool:
    """Whether the report on the lines is stale; every way that a user can see it says the same."""
    answer = await editor.command("report", uri=uri)
    lens = (await editor.lenses(uri))[1].command.title
    found = await editor.diagnostics_of((path_of(uri).parent / "layers.py").as_uri())
    hover = await editor.hover(uri, "gradflow_probe") or ""
    texts = [lens, hover, *(diagnostic.message for diagnostic in found.values())]
    assert {STALE in text for text in texts} == {answer["stale"]}
    return answer["stale"]


async def becomes_stale(editor: Editor, uri: str, expected: bool = True) -> None:
    """Wait until the server has looked at the disk."""
    async with asyncio.timeout(PATIENCE):
        while (await editor.command("report", uri=uri))["stale"] is not expected:
            await asyncio.sleep(0.02)


def path_of(uri: str) -> Path:
    return Path(uri.removeprefix("file://"))


def changed(editor: Editor, path: Path) -> None:
    """Tell of a change on disk as an editor that watches files does."""
    event = lsp.FileEvent(uri=path.as_uri(), type=lsp.FileChangeType.Changed)
    editor.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))


def saved(editor: Editor, uri: str) -> None:
    """Say that a file was saved, whatever was written."""
    editor.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))


def close(editor: Editor, uri: str) -> None:
    editor.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))


async def run(editor: Editor, folder: Path, layers: str = MODEL) -> tuple[str, Path]:
    """Run a probe whose model is in another file, `layers.py`, that is not open."""
    (folder / "layers.py").write_text(layers, encoding="utf-8")
    (folder / "check.py").write_text(CHECK, encoding="utf-8")
    uri = editor.open(folder / "check.py")
    assert (await editor.run(uri))["status"] == "ok"
    return uri, folder / "layers.py"


async def test_an_edit_that_is_undone_makes_findings_fresh_again(editor: Editor, folder: Path):
    uri, path = await run(editor, folder)
    layers = editor.open(path)
    before = await editor.diagnostics_of(layers)
    editor.type(layers, ".detach()", "")
    editor.type(layers, "import torch\n", "import torch\n\n")
    assert await stale(editor, uri)
    assert "detach" not in await editor.diagnostics_of(layers)
    editor.type(layers, "import torch\n\n", "import torch\n")
    assert await stale(editor, uri)
    editor.type(layers, ".relu()", ".relu().detach()")
    assert not await stale(editor, uri)
    assert await editor.diagnostics_of(layers) == before


async def test_changes_in_two_files_must_both_be_undone(neovim: Editor, folder: Path):
    uri, path = await run(neovim, folder)
    layers = neovim.open(path)
    neovim.type(uri, "sum()", "mean()")
    neovim.type(layers, "4, 8", "4, 9")
    neovim.type(uri, "mean()", "sum()")
    assert await stale(neovim, uri)
    neovim.type(layers, "4, 9", "4, 8")
    assert not await stale(neovim, uri)


async def test_closing_without_saving_brings_back_what_ran(neovim: Editor, folder: Path):
    uri, path = await run(neovim, folder)
    layers = neovim.open(path, MODEL.replace("relu", "tanh"))
    assert await stale(neovim, uri)
    close(neovim, layers)
    assert not await stale(neovim, uri)


async def test_what_ran_unsaved_and_was_thrown_away_is_stale(neovim: Editor, folder: Path):
    (folder / "layers.py").write_text(MODEL)
    (folder / "check.py").write_text(CHECK)
    layers = neovim.open(folder / "layers.py", MODEL.replace("relu", "tanh"))
    uri = neovim.open(folder / "check.py")
    await neovim.run(uri)
    assert not await stale(neovim, uri)
    close(neovim, layers)
    assert await stale(neovim, uri)


async def test_white_space_alone_makes_findings_stale(neovim: Editor, folder: Path):
    uri, path = await run(neovim, folder)
    neovim.type(neovim.open(path), "(4, 8)", "(4,  8)")
    assert await stale(neovim, uri)


WRITTEN = {
    "as it is": lambda text: text.encode(),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "carriage returns": lambda text: text.replace("\n", "\r\n").encode(),
    "both": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "another encoding": lambda text: text.encode("latin-1"),
}


@pytest.mark.parametrize("written", WRITTEN)
async def test_how_a_text_is_written_to_disk_makes_nothing_stale(neovim: Editor, folder: Path, written: str):
    text = "# coding: latin-1\n# é\n" + MODEL if written == "another encoding" else MODEL
    data = WRITTEN[written](text)
    (folder / "check.py").write_text(CHECK)
    (folder / "layers.py").write_bytes(data)
    uri = neovim.open(folder / "check.py")
    await neovim.run(uri)
    found = await neovim.diagnostics_of((folder / "layers.py").as_uri())
    for end in ("\n", "\r\n"):
        layers = neovim.open(folder / "layers.py", text.replace("\n", end))
        assert not await stale(neovim, uri)
        assert await neovim.diagnostics_of(layers) == found
        await neovim.run(uri)  # on the editor's text
        (folder / "layers.py").write_bytes(data)
        saved(neovim, layers)
        close(neovim, layers)
        assert not await stale(neovim, uri)


async def test_others_changes_are_found_when_the_user_saves_another_file(neovim: Editor, folder: Path):
    uri, path = await run(neovim, folder)
    path.write_text("\n" + MODEL)
    saved(neovim, uri)
    await becomes_stale(neovim, uri)
    assert (await neovim.diagnostics_of(path.as_uri()))["detach"].range.start.line == 12
    path.write_text(MODEL)
    saved(neovim, uri)
    await becomes_stale(neovim, uri, False)


async def test_others_changes_are_found_when_the_user_opens_another_file(ale: Editor, folder: Path):
    uri, path = await run(ale, folder)
    path.unlink()
    (folder / "other.py").write_text("")
    ale.open(folder / "other.py")
    await becomes_stale(ale, uri)
    assert await ale.diagnostics_of(path.as_uri()) == {}


async def test_others_changes_are_found_when_another_probe_runs(neovim: Editor, folder: Path):
    uri, path = await run(neovim, folder)
    path.write_text(MODEL + "\n")
    (folder / "other.py").write_text(MODEL + PROBE)
    await neovim.run(neovim.open(folder / "other.py"))
    await becomes_stale(neovim, uri)


async def test_a_change_during_the_run_makes_its_report_stale(neovim: Editor, folder: Path):
    (folder / "layers.py").write_text(MODEL)
    wait = "from pathlib import Path\nimport time\nPath(__file__).with_suffix('.started').touch()\n"
    wait += "while not Path(__file__).with_suffix('.go').exists(): time.sleep(0.01)\n"
    (folder / "check.py").write_text(CHECK.replace("Net\n", f"Net\n{wait}", 1))
    uri = neovim.open(folder / "check.py")
    started = (await neovim.command("run", uri=uri))["run"]
    await neovim.until_started(uri)
    (folder / "layers.py").write_text(MODEL.replace("relu", "tanh"))
    (folder / "check.go").touch()
    await neovim.report(uri, started)
    assert await stale(neovim, uri)


async def test_a_deleted_module_that_comes_back_is_as_it_was(vscode: Editor, folder: Path):
    uri, path = await run(vscode, folder)
    found = await vscode.diagnostics_of(path.as_uri())
    assert found
    path.unlink()
    changed(vscode, path)
    assert await stale(vscode, uri)
    assert await vscode.diagnostics_of(path.as_uri()) == {}
    path.write_text(MODEL)
    changed(vscode, path)
    assert not await stale(vscode, uri)
    assert await vscode.diagnostics_of(path.as_uri()) == found


async def test_a_file_that_was_deleted_while_open_is_as_it_was_once_saved(vscode: Editor, folder: Path):
    uri, path = await run(vscode, folder)
    layers = vscode.open(path)
    path.unlink()
    changed(vscode, path)
    assert await stale(vscode, uri)
    vscode.save(layers)
    assert not await stale(vscode, uri)


async def test_a_probe_that_others_take_out_takes_its_findings_along(neovim: Editor, folder: Path):
    uri, path = await run(neovim, folder)
    assert await neovim.diagnostics_of(path.as_uri())
    close(neovim, uri)
    (folder / "check.py").write_text(CHECK.replace("def gradflow_probe", "def main"))
    changed(neovim, folder / "check.py")
    assert await neovim.diagnostics_of(path.as_uri()) == {}


async def test_a_renamed_module_makes_its_probe_stale(neovim: Editor, folder: Path):
    uri, path = await run(neovim, folder)
    path.rename(folder / "blocks.py")
    renamed = lsp.FileRename(old_uri=path.as_uri(), new_uri=(folder / "blocks.py").as_uri())
    neovim.workspace_did_rename_files(lsp.RenameFilesParams([renamed]))
    assert await stale(neovim, uri)


async def test_a_module_without_a_finding_that_goes_with_its_folder_makes_the_probe_stale(neovim: Editor, folder: Path):
    (folder / "sizes").mkdir()
    (folder / "sizes" / "small.py").write_text("size = 8\n")
    uri, _ = await run(neovim, folder, MODEL + "from sizes.small import size\n")
    (folder / "sizes" / "small.py").unlink()
    (folder / "sizes").rmdir()
    neovim.workspace_did_delete_files(lsp.DeleteFilesParams([lsp.FileDelete((folder / "sizes").as_uri())]))
    assert await stale(neovim, uri)


async def test_names_with_spaces_and_letters_of_all_kinds(editor: Editor, folder: Path):
    folder = folder / "моя папка 100% é"
    folder.mkdir()
    uri, path = await run(editor, folder)
    layers = editor.open(path)
    assert "detach" in await editor.diagnostics_of(layers)
    editor.type(layers, "relu", "tanh")
    assert (await editor.command("report", uri=uri))["stale"]
    editor.type(layers, "tanh", "relu")
    assert not (await editor.command("report", uri=uri))["stale"]


async def test_a_linked_file_is_one_file_under_both_names(neovim: Editor, folder: Path):
    uri, path = await run(neovim, folder)
    (folder / "link").symlink_to(folder, target_is_directory=True)
    linked = neovim.open(folder / "link" / "layers.py")
    neovim.type(linked, "relu", "tanh")
    assert await stale(neovim, uri)
    layers = neovim.open(path)
    assert not await stale(neovim, uri)
    neovim.type(layers, "import torch\n", "import torch\n\n")
    neovim.type(linked, "tanh", "relu")  # in its own text, which has one line less
    assert not await stale(neovim, uri)
    close(neovim, linked)
    assert await stale(neovim, uri)


async def test_findings_that_are_true_no_more_are_cleared_in_every_file(editor: Editor, folder: Path):
    (folder / "first.py").write_text(MODEL)
    (folder / "second.py").write_text(MODEL)
    check = "import torch\nimport first, second\n" + PROBE.replace("Net()", "torch.nn.Sequential(first.Net(), L())")
    check = check.replace("L()", "torch.nn.Linear(2, 4), second.Net()")
    (folder / "check.py").write_text(check)
    uri, first = editor.open(folder / "check.py"), editor.open(folder / "first.py")
    await editor.run(uri)
    second = (folder / "second.py").as_uri()
    for file in (uri, first, second):
        assert await editor.diagnostics_of(file)
    editor.type(first, ".detach()", "")
    (folder / "second.py").write_text(MODEL.replace(".detach()", ""))
    await editor.run(uri)
    for file in (uri, first, second):
        assert await editor.diagnostics_of(file) == {}


async def test_a_failed_run_clears_what_the_one_before_it_found(editor: Editor, folder: Path):
    uri, path = await run(editor, folder)
    assert await editor.diagnostics_of(path.as_uri())
    path.write_text("raise ValueError('no')")
    await editor.run(uri)
    assert list(await editor.diagnostics_of(path.as_uri())) == ["import-error"]
