from pathlib import Path

from lsprotocol import types as lsp

from .editor import BROKEN, HEALTHY, MODEL, Editor


async def take(editor: Editor, action: lsp.CodeAction, uri: str) -> None:
    """Do what an editor does with an action that its user has chosen, and wait for the edit."""
    before = editor.texts[uri]
    if action.edit:
        editor.apply(action.edit)
    if action.command:
        await editor.command(action.command.command.removeprefix("gradflow."), **action.command.arguments[0])
    await editor.until(lambda: editor.texts[uri] != before)


async def test_the_stub_of_a_class_can_be_applied_and_then_run(editor: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    uri = editor.open(folder / "model.py")
    (action,) = await editor.actions(uri, "class Net")
    assert action.title == "Insert gradient probe for Net"
    if isinstance(action, lsp.CodeAction):
        assert action.kind == "refactor.insertProbe"
        await take(editor, action, uri)
    assert editor.texts[uri].startswith(MODEL.rstrip()) and "def gradflow_probe(" in editor.texts[uri]
    report = await editor.run(uri)
    assert report["status"] == "ok", report["error"]
    assert {p["name"]: p["verdict"] for p in report["parameters"]}["first.weight"] == "missing"


async def test_a_probe_can_be_run_by_an_action(editor: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY)
    uri = editor.open(folder / "model.py")
    (run,) = await editor.actions(uri, "model = Net()")
    assert run.kind == "source.runProbe"
    assert run.command.command == "gradflow.run"
    assert list(run.command.arguments) == [{"uri": uri, "function": "gradflow_probe"}]


async def test_actions_keep_to_the_kinds_that_are_asked_for(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    assert len(await neovim.actions(uri, "model = Net()", only=["source"])) == 1
    assert await neovim.actions(uri, "model = Net()", only=["quickfix"]) == []
    assert await neovim.actions(uri, "model = Net()", only=["sourceful"]) == []


async def test_saving_with_all_source_actions_on_runs_nothing(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    automatic = {"only": ["source"], "trigger_kind": lsp.CodeActionTriggerKind.Automatic}
    assert await neovim.actions(uri, "model = Net()", **automatic) == []


async def test_an_editor_that_may_apply_edits_gets_the_probe_only_when_its_user_wants_it(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    uri = vscode.open(folder / "model.py")
    automatic = lsp.CodeActionTriggerKind.Automatic
    (action,) = await vscode.actions(uri, "class Net", trigger_kind=automatic)
    assert action.edit is None
    await vscode.command(action.command.command.removeprefix("gradflow."), **action.command.arguments[0])
    await vscode.until(lambda: "def gradflow_probe(" in vscode.texts[uri])


async def test_other_places_have_no_action(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    assert await neovim.actions(uri, "import torch") == []


async def test_a_document_that_is_in_no_file_can_get_a_probe(editor: Editor):
    uri = editor.open(Path("untitled"), MODEL, uri="untitled:Untitled-1")
    (action,) = await editor.actions(uri, "class Net")
    await take(editor, action, uri)
    assert "def gradflow_probe(" in editor.texts[uri]
