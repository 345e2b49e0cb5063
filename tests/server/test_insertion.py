"""A probe that is asked for: tried before it is inserted, inserted where nothing can be tried, never without asking."""

import re
from pathlib import Path

import psutil
import pytest
from lsprotocol import types as lsp

from .editor import HEALTHY, MODEL, Editor

OUT_OF_SIGHT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 2)

    def forward(self, x):
        width = int("6")
        return self.fc(getattr(torch, "fli" + "p")(x, [1]).reshape(-1, width, 3).sum(2))
"""
"""What an input must be like is not to be read here; only a run tells."""
BROKEN_FOREVER = MODEL.replace("return self.last(h)", "return self.last(h) / (1 // 0)")
ENDLESS_MODEL = MODEL.replace(
    "h = self.first(x)", "open(__file__ + '.started', 'w').close()\n        while True: pass\n        h = self.first(x)"
)


async def inserted(editor: Editor, uri: str) -> str:
    """Wait for the edit, and return the text with it."""
    before = editor.texts[uri]
    return await editor.until(lambda: editor.texts[uri] if editor.texts[uri] != before else None)


def children(editor: Editor) -> list[psutil.Process]:
    return psutil.Process(editor.server.pid).children(recursive=True)


async def ended(editor: Editor, before: set[str]) -> str:
    """Wait until the progress that began after `before` has ended, and return how."""

    def last() -> lsp.WorkDoneProgressEnd | None:
        new = [reports for token, reports in editor.progress_reports.items() if token not in before and reports]
        return next((reports[-1] for reports in new if reports[-1].kind == "end"), None)

    return (await editor.until(last)).message


async def test_an_inserted_probe_has_been_tried(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    uri = neovim.open(folder / "model.py")
    before = {*neovim.progress_reports}
    await neovim.command("insertProbe", uri=uri)
    assert "def gradflow_probe(" in await inserted(neovim, uri)
    assert await ended(neovim, before) == "it runs, and 2 of 4 parameters get a gradient"


async def test_what_cannot_be_read_is_mended_by_trying(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(OUT_OF_SIGHT)
    uri = vscode.open(folder / "model.py")
    await vscode.command("insertProbe", uri=uri)
    text = await inserted(vscode, uri)
    assert "TODO" not in text
    assert (await vscode.run(uri))["status"] == "ok"


async def test_a_probe_that_cannot_be_mended_says_why_and_so_does_a_message(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN_FOREVER)
    uri = neovim.open(folder / "model.py")
    before = len(neovim.messages)
    await neovim.command("insertProbe", uri=uri)
    assert "    # TODO: The probe raised ZeroDivisionError" in await inserted(neovim, uri)
    await neovim.until(lambda: len(neovim.messages) > before)
    assert neovim.messages[-1].message.startswith(
        "The gradient probe for Net was inserted, but it does not run yet: The probe raised ZeroDivisionError"
    )


@pytest.mark.parametrize("verify", [True, False])
async def test_the_file_keeps_every_line(vscode: Editor, folder: Path, verify: bool):
    (folder / "model.py").write_text(MODEL + '\n\nif __name__ == "__main__":\n    print(Net())\n')
    uri = vscode.open(folder / "model.py")
    original = vscode.texts[uri]
    await vscode.command("insertProbe", uri=uri, verify=verify)
    text = await inserted(vscode, uri)
    probe = re.search(r"def gradflow_probe\(\):\n(?:    .*\n)+\n\n", text)[0]
    assert text.replace(probe, "") == original


async def test_a_second_probe_has_a_name_of_its_own(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY)
    uri = vscode.open(folder / "model.py")
    await vscode.command("insertProbe", uri=uri, **{"class": "Net"})
    assert "def gradflow_probe_net():" in await inserted(vscode, uri)
    assert (await vscode.run(uri, function="gradflow_probe_net"))["status"] == "ok"


# Where nothing is tried


async def test_an_editor_may_ask_for_no_run(fresh, folder: Path):
    (folder / "model.py").write_text(MODEL)
    editor = await fresh("neovim", folder)
    uri = editor.open(folder / "model.py")
    await editor.command("insertProbe", uri=uri, verify=False)
    assert "def gradflow_probe(" in await inserted(editor, uri)
    await editor.until(lambda: editor.messages)
    assert editor.messages[-1].message == (
        "The gradient probe for Net was inserted without trying it: this editor asked for no run."
    )
    assert children(editor) == []


async def test_without_an_interpreter_the_probe_is_inserted_as_it_was_written(fresh, folder: Path):
    (folder / "model.py").write_text(MODEL)
    editor = await fresh("neovim", folder, interpreter=str(folder / "nowhere" / "python"))
    uri = editor.open(folder / "model.py")
    await editor.command("insertProbe", uri=uri)
    assert "def gradflow_probe(" in await inserted(editor, uri)
    await editor.until(lambda: editor.messages)
    assert editor.messages[-1].type == lsp.MessageType.Warning
    assert re.match(
        r"The gradient probe for Net was inserted without trying it: .*cannot be started", editor.messages[-1].message
    )


async def test_a_file_that_cannot_be_imported_gets_the_probe_as_it_was_written(neovim: Editor, folder: Path):
    (folder / "model.py").write_text("import a_package_that_is_nowhere\n" + MODEL)
    uri = neovim.open(folder / "model.py")
    before = len(neovim.messages)
    await neovim.command("insertProbe", uri=uri)
    assert "TODO" not in await inserted(neovim, uri)
    await neovim.until(lambda: len(neovim.messages) > before)
    assert "inserted without trying it: model.py imports a_package_that_is_nowhere" in neovim.messages[-1].message


async def test_a_document_in_no_file_gets_the_probe_as_it_was_written(vscode: Editor):
    uri = vscode.open(Path("untitled"), MODEL, uri="untitled:Untitled-7")
    await vscode.command("insertProbe", uri=uri)
    assert "def gradflow_probe(" in await inserted(vscode, uri)


async def test_looking_runs_nothing(fresh, folder: Path):
    (folder / "model.py").write_text(MODEL)
    editor = await fresh("vscode", folder)
    uri = editor.open(folder / "model.py")
    assert [lens.command.command for lens in await editor.lenses(uri)] == ["gradflow.insertProbe"]
    for kind in (None, lsp.CodeActionTriggerKind.Invoked, lsp.CodeActionTriggerKind.Automatic):
        (action,) = await editor.actions(uri, "class Net", trigger_kind=kind)
        assert action.edit is None
    (on_save,) = await editor.actions(
        uri, "class Net", only=["refactor"], trigger_kind=lsp.CodeActionTriggerKind.Automatic
    )
    assert on_save.edit and on_save.command is None
    editor.type(uri, "nn.Linear(8, 2)", "nn.Linear(8, 3)")
    await editor.hover(uri, "nn.Linear(8, 3)")
    await editor.diagnostics_of(uri)
    assert children(editor) == []


# What happens meanwhile


@pytest.mark.slow
async def test_an_edit_meanwhile_keeps_the_probe_out(fresh, folder: Path):
    (folder / "model.py").write_text(MODEL)
    gate = folder / "gate"
    (folder / "slow.py").write_text(f"import pathlib\nwhile not pathlib.Path({str(gate)!r}).exists(): pass\n")
    editor = await fresh("vscode", folder)
    uri = editor.open(folder / "model.py", "import slow\n" + MODEL)
    await editor.command("insertProbe", uri=uri)
    await editor.until(lambda: any(reports for reports in editor.progress_reports.values()))
    editor.type(uri, "nn.Linear(8, 2)", "nn.Linear(8, 3)")
    gate.touch()
    await editor.until(lambda: editor.messages)
    assert editor.messages[-1].message == (
        "The file was edited while its gradient probe was written and tried, so nothing was inserted. Try again."
    )
    assert "gradflow_probe" not in editor.texts[uri]


@pytest.mark.parametrize("how", ["progress", "command"])
async def test_a_trial_can_be_cancelled(fresh, folder: Path, how: str):
    (folder / "model.py").write_text(ENDLESS_MODEL)
    editor = await fresh("vscode", folder)
    uri = editor.open(folder / "model.py")
    await editor.command("insertProbe", uri=uri)
    (token,) = await editor.until(lambda: [token for token, reports in editor.progress_reports.items() if reports])
    if how == "progress":
        editor.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token))
    else:
        await editor.command("cancel", uri=uri)
    assert await ended(editor, set()) == "not inserted"
    assert "gradflow_probe" not in editor.texts[uri]


async def test_asking_twice_inserts_one(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    uri = vscode.open(folder / "model.py")
    await vscode.command("insertProbe", uri=uri)
    await vscode.command("insertProbe", uri=uri)
    await inserted(vscode, uri)
    await vscode.command("report", uri=uri)
    assert vscode.texts[uri].count("def gradflow_probe") == 1


async def test_an_editor_that_takes_snippets_gets_tab_stops(fresh, folder: Path):
    (folder / "model.py").write_text(MODEL)
    editor = await fresh("vscode-11", folder)
    uri = editor.open(folder / "model.py")
    await editor.command("insertProbe", uri=uri)
    assert "x = torch.randn(4, 4)" in await inserted(editor, uri)
    (edit,) = editor.snippets
    assert "torch.randn(${1:4, 4})" in edit.snippet.value
