from pathlib import Path

import pytest
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


CUT_ELSEWHERE = BROKEN.replace("self.first(x).relu().detach()", "cut(self.first(x))")


async def broken(editor: Editor, folder: Path, text: str = BROKEN, name: str = "model.py") -> str:
    """Open a file whose probe finds something, and run that."""
    (folder / name).write_text(text, newline="")
    uri = editor.open(folder / name)
    await editor.run(uri)
    return uri


def titles(actions: list[lsp.CodeAction]) -> list[str]:
    return [action.title for action in actions if action.kind == lsp.CodeActionKind.QuickFix]


class TestQuickFixes:
    async def test_the_fix_of_a_cause_makes_the_finding_go_away(self, editor: Editor, folder: Path):
        uri = await broken(editor, folder)
        assert await editor.diagnostics_of(uri)
        fix = (await editor.actions(uri, ".detach()"))[0]
        assert (fix.title, fix.kind) == ("Remove .detach()", "quickfix")
        editor.apply(fix.edit)
        assert editor.texts[uri] == HEALTHY
        await editor.run(uri)
        assert await editor.diagnostics_of(uri) == {}

    async def test_a_layer_offers_the_fix_of_what_starves_it(self, editor: Editor, folder: Path):
        uri = await broken(editor, folder)
        fix = (await editor.actions(uri, "nn.Linear(4, 8)"))[0]
        editor.apply(fix.edit)
        assert editor.texts[uri] == HEALTHY

    async def test_a_cursor_anywhere_on_the_line_will_do(self, neovim: Editor, folder: Path):
        uri = await broken(neovim, folder)
        assert "Remove .detach()" in titles(await neovim.actions(uri, "h = self.first"))
        assert titles(await neovim.actions(uri, "self.last = ")) == []

    async def test_one_action_is_preferred_and_each_says_what_it_is_about(self, vscode: Editor, folder: Path):
        uri = await broken(vscode, folder)
        shown = list((await vscode.diagnostics_of(uri)).values())
        fixes = [action for action in await vscode.actions(uri, ".detach()") if action.kind == "quickfix"]
        assert [bool(fix.is_preferred) for fix in fixes] == [True, False, False]
        assert all(diagnostic in shown for fix in fixes for diagnostic in fix.diagnostics)
        assert {diagnostic.code for fix in fixes for diagnostic in fix.diagnostics} == {"detach"}

    async def test_a_finding_can_be_marked_as_intended_or_ignored(self, editor: Editor, folder: Path):
        uri = await broken(editor, folder)
        fixes = await editor.actions(uri, ".detach()")
        assert titles(fixes)[1:] == ["This is intended: mark the line", "Ignore detach on this line"]
        editor.apply(fixes[1].edit)
        assert "h = self.first(x).relu().detach()  # gradflow: intended\n" in editor.texts[uri]

    async def test_edits_are_tied_to_the_version_where_the_editor_understands_that(
        self, vscode: Editor, neovim: Editor, folder: Path
    ):
        uri = await broken(vscode, folder)
        (change,) = (await vscode.actions(uri, ".detach()"))[0].edit.document_changes
        assert change.text_document.version == vscode.versions[uri]
        uri = await broken(neovim, folder, name="other.py")
        assert list((await neovim.actions(uri, ".detach()"))[0].edit.changes) == [uri]

    async def test_columns_are_counted_as_the_editor_counts_them(self, editor: Editor, folder: Path):
        text = BROKEN.replace("self.first(x).relu()", 'self.first(x + 0 * len("𝔾é")).relu()')
        uri = await broken(editor, folder, text)
        editor.apply((await editor.actions(uri, ".detach()"))[0].edit)
        assert editor.texts[uri] == text.replace(".detach()", "")

    async def test_after_an_edit_elsewhere_the_fix_is_at_its_new_place(self, editor: Editor, folder: Path):
        uri = await broken(editor, folder)
        editor.type(uri, "import torch\n", "# more\n\nimport torch\n")
        editor.apply((await editor.actions(uri, ".detach()"))[0].edit)
        assert editor.texts[uri] == "# more\n\n" + HEALTHY

    async def test_what_was_edited_itself_has_no_fix_any_more(self, neovim: Editor, folder: Path):
        uri = await broken(neovim, folder)
        neovim.type(uri, ".detach()", ".clone()")
        assert titles(await neovim.actions(uri, ".clone()")) == []

    async def test_a_fix_can_lie_in_a_file_that_is_not_open(self, editor: Editor, folder: Path):
        layers = "def cut(x):\n    return x.detach()\n"
        (folder / "layers_of_it.py").write_text(layers)
        text = "from layers_of_it import cut\n" + CUT_ELSEWHERE
        uri = await broken(editor, folder, text)
        edit = (await editor.actions(uri, "nn.Linear(4, 8)"))[0].edit
        changes = dict(edit.changes or {}) or {c.text_document.uri: c.edits for c in edit.document_changes}
        ((other, (one,)),) = changes.items()
        assert other.endswith("/layers_of_it.py")
        assert (one.range.start.line, one.range.start.character) == (1, len("    return x"))
        assert one.new_text == ""

    async def test_such_a_file_may_have_changed_on_disk(self, neovim: Editor, folder: Path):
        layers = "def cut(x):\n    return x.detach()\n"
        (folder / "layers_on_disk.py").write_text(layers)
        text = "from layers_on_disk import cut\n" + CUT_ELSEWHERE
        uri = await broken(neovim, folder, text)
        (folder / "layers_on_disk.py").write_text("# more\n\n" + layers)
        ((one,),) = (await neovim.actions(uri, "nn.Linear(4, 8)"))[0].edit.changes.values()
        assert one.range.start.line == 3

    async def test_an_editor_that_may_apply_all_answers_gets_one_that_mends(self, ale: Editor, folder: Path):
        uri = await broken(ale, folder)
        shown = [(await ale.diagnostics_of(uri))["detach"]]
        at = ale.position(uri, ".detach()")
        params = lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(uri), lsp.Range(at, at), lsp.CodeActionContext(diagnostics=shown)
        )
        assert titles(await ale.text_document_code_action_async(params)) == ["Remove .detach()"]

    @pytest.mark.slow
    async def test_what_is_switched_off_is_not_fixed(self, fresh, tmp_path: Path):
        off = dict.fromkeys(("detach", "missing-gradient"), "off")
        neovim = await fresh("neovim", tmp_path, severity=off)
        uri = await broken(neovim, tmp_path)
        assert titles(await neovim.actions(uri, ".detach()")) == []
