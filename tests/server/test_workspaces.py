"""Workspace folders that come and go, files that others create and delete, and what lies in no folder at all."""

import asyncio
import re
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .editor import BROKEN, ENDLESS, HEALTHY, MODEL, PATIENCE, PROBE, Editor


async def until_found(editor: Editor, *expected: str) -> None:
    """Wait until the server knows probes in files of these names, none or several: it looks for them in a thread."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with pytest.raises(JsonRpcException) as refusal:
                await editor.command("run")
            if sorted(re.findall(r"(\w+\.py) gradflow_probe", refusal.value.message)) == sorted(expected):
                return
            await asyncio.sleep(0.02)


def written(folder: Path, *names: str, text: str = HEALTHY) -> list[Path]:
    """Write model files, and the folders that they lie in."""
    paths = [folder / f"{name}.py" for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return paths


def tell(editor: Editor, path: Path, kind: lsp.FileChangeType) -> None:
    """Tell of what others did to a file."""
    event = lsp.FileEvent(uri=path.as_uri(), type=kind)
    editor.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))


def change_folders(editor: Editor, *, added: tuple[Path, ...] = (), removed: tuple[Path, ...] = ()) -> None:
    """Add and remove workspace folders."""
    come, go = ([lsp.WorkspaceFolder(path.as_uri(), path.name) for path in paths] for paths in (added, removed))
    event = lsp.WorkspaceFoldersChangeEvent(added=come, removed=go)
    editor.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(event))


async def test_folders_are_searched_when_they_are_added_and_forgotten_when_removed(fresh, tmp_path: Path):
    written(tmp_path, "one/a", "one/b", "моя папка/c", "моя папка/deep/d")
    one, two = tmp_path / "one", tmp_path / "моя папка"
    editor = await fresh("neovim", one)
    await until_found(editor, "a.py", "b.py")
    change_folders(editor, added=(two,))
    await until_found(editor, "a.py", "b.py", "c.py", "d.py")
    change_folders(editor, removed=(one,))
    await until_found(editor, "c.py", "d.py")
    change_folders(editor, removed=(two,))
    await until_found(editor)


async def test_a_removed_folder_that_another_one_holds_keeps_its_findings(ale: Editor, tmp_path: Path):
    (path,) = written(tmp_path, "inner/model", text=BROKEN)
    change_folders(ale, added=(tmp_path, tmp_path / "inner"))
    uri = ale.open(path)
    await ale.run(uri)
    change_folders(ale, removed=(tmp_path / "inner",))
    assert await ale.diagnostics_of(uri)
    change_folders(ale, removed=(tmp_path,))
    assert await ale.diagnostics_of(uri) == {}


async def test_a_run_ends_with_its_folder(ale: Editor, tmp_path: Path):
    (path,) = written(tmp_path, "model", text=ENDLESS)
    change_folders(ale, added=(tmp_path,))
    uri = ale.open(path)
    started = await ale.command("run", uri=uri)
    await ale.until_started(uri)
    change_folders(ale, removed=(tmp_path,))
    assert (await ale.report(uri, started["run"]))["status"] == "cancelled"


async def test_what_others_create_rename_and_delete_is_known(fresh, tmp_path: Path):
    _, b = written(tmp_path, "a", "b")
    editor = await fresh("vscode", tmp_path)
    await until_found(editor, "a.py", "b.py")
    (c,) = written(tmp_path, "new folder/c")
    tell(editor, c, lsp.FileChangeType.Created)
    await until_found(editor, "a.py", "b.py", "c.py")
    d = b.rename(tmp_path / "d.py")
    editor.workspace_did_rename_files(lsp.RenameFilesParams([lsp.FileRename(b.as_uri(), d.as_uri())]))
    await until_found(editor, "a.py", "c.py", "d.py")
    c.unlink()
    c.parent.rmdir()
    tell(editor, c.parent, lsp.FileChangeType.Deleted)
    await until_found(editor, "a.py", "d.py")
    written(tmp_path, "moved/e", "moved/f")
    editor.workspace_did_create_files(lsp.CreateFilesParams([lsp.FileCreate((tmp_path / "moved").as_uri())]))
    await until_found(editor, "a.py", "d.py", "e.py", "f.py")


async def test_ignored_files_are_left_out_as_soon_as_they_are_ignored(fresh, tmp_path: Path):
    written(tmp_path, "a", "b", "out/c")
    editor = await fresh("vscode", tmp_path)
    await until_found(editor, "a.py", "b.py", "c.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\n")
    tell(editor, tmp_path / ".gitignore", lsp.FileChangeType.Created)
    await until_found(editor, "a.py", "b.py")
    (new,) = written(tmp_path, "out/d")
    tell(editor, new, lsp.FileChangeType.Created)
    (tmp_path / ".gitignore").unlink()
    tell(editor, tmp_path / ".gitignore", lsp.FileChangeType.Deleted)
    await until_found(editor, "a.py", "b.py", "c.py", "d.py")
    (tmp_path / "pyproject.toml").write_text('[tool.gradflow]\nexclude = ["out/"]\n')
    tell(editor, tmp_path / "pyproject.toml", lsp.FileChangeType.Created)
    await until_found(editor, "a.py", "b.py")


async def test_an_unsaved_document_is_refused_and_hurts_nothing(editor: Editor, folder: Path):
    uri = editor.open(folder, BROKEN, uri="untitled:Untitled-1")
    for command in ("run", "runAll", "report", "cancel", "showReport"):
        with pytest.raises(JsonRpcException, match=r"Untitled-1 is not saved in a file.* Save it first"):
            await editor.command(command, uri=uri)
    editor.type(uri, "import torch\n", "import torch\n\n")
    assert await editor.hover(uri, "nn.Linear(4, 8)") is None
    assert await editor.hints(uri) == {}
    await editor.actions(uri, "model = Net()")
    await editor.lenses(uri)
    editor.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
    editor.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
    (path,) = written(folder, "model", text=BROKEN)
    assert (await editor.run(editor.open(path)))["status"] == "ok"


@pytest.mark.slow
async def test_a_probe_in_one_folder_may_load_what_is_unsaved_in_another(fresh, tmp_path: Path):
    written(tmp_path, "lib/layers", text=MODEL)
    head = f"import sys\nsys.path.append({str(tmp_path / 'lib')!r})\nimport torch\nfrom layers import Net\n"
    (check,) = written(tmp_path, "app/check", text=head + PROBE)
    editor = await fresh("neovim", tmp_path / "lib", tmp_path / "app")
    layers = editor.open(tmp_path / "lib" / "layers.py", MODEL.replace(".detach()", ""))
    uri = editor.open(check)
    report = await editor.run(uri)
    assert {p["verdict"] for p in report["parameters"]} == {"healthy"}
    assert str(tmp_path / "lib" / "layers.py") in report["sources"]
    editor.type(layers, "relu", "tanh")
    assert (await editor.command("report", uri=uri))["stale"]


@pytest.mark.slow
async def test_a_workspace_that_is_opened_by_a_link(fresh, tmp_path: Path):
    written(tmp_path, "real/a", "real/b", text=BROKEN)
    link = tmp_path / "a link"
    link.symlink_to(tmp_path / "real", target_is_directory=True)
    editor = await fresh("neovim", link)
    await until_found(editor, "a.py", "b.py")
    uri = editor.open(link / "a.py")
    report = await editor.run(uri)
    assert (report["status"], list(report["sources"])) == ("ok", [str(link / "a.py")])
    assert "detach" in await editor.diagnostics_of(uri)
    (tmp_path / "real" / "a.py").write_text("\n" + BROKEN)
    editor.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
    assert (await editor.diagnostics_of(uri))["detach"].range.start.line == 12


async def test_settings_that_change_during_a_run_hold_for_its_findings(neovim: Editor, folder: Path):
    wait = "from pathlib import Path\nimport time\nPath(__file__).with_suffix('.started').touch()\n"
    wait += "while not Path(__file__).with_suffix('.go').exists(): time.sleep(0.01)\n"
    (path,) = written(folder, "model", text=wait + BROKEN)
    uri = neovim.open(path)
    started = (await neovim.command("run", uri=uri))["run"]
    await neovim.until_started(uri)
    async with neovim.configured(severity={"missing-gradient": "hint", "detach": "off"}):
        (folder / "model.go").touch()
        await neovim.report(uri, started)
        found = await neovim.diagnostics_of(uri)
        assert {code: one.severity for code, one in found.items()} == {"missing-gradient": lsp.DiagnosticSeverity.Hint}
    assert set(await neovim.diagnostics_of(uri)) == {"missing-gradient", "detach"}


@pytest.mark.slow
async def test_another_interpreter_holds_from_the_next_run_on(neovim: Editor, folder: Path):
    (path,) = written(folder, "model")
    uri = neovim.open(path)
    assert (await neovim.run(uri))["status"] == "ok"
    async with neovim.configured(interpreter=str(folder / "no-python")):
        assert (await neovim.run(uri))["error"]["kind"] == "no-interpreter"
    assert (await neovim.run(uri))["status"] == "ok"


@pytest.mark.slow
async def test_a_probe_that_is_open_under_two_names_is_one(fresh, tmp_path: Path):
    (path,) = written(tmp_path, "ws/a")
    (tmp_path / "link").symlink_to(tmp_path / "ws", target_is_directory=True)
    editor = await fresh("neovim", tmp_path / "ws")
    editor.open(path)
    linked = editor.open(tmp_path / "link" / "a.py")
    assert len((await editor.command("runAll"))["runs"]) == 1
    editor.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(linked)))
    assert (await editor.run(path.as_uri()))["status"] == "ok"


async def test_a_probe_is_run_by_its_name_though_it_lies_in_no_folder_of_the_workspace(ale: Editor, tmp_path: Path):
    (path,) = written(tmp_path, "model")
    assert (await ale.run(path.as_uri()))["status"] == "ok"
