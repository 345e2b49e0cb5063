from pathlib import Path

from .editor import BROKEN, MODEL, Editor


def titles(lenses) -> list[str]:
    return [lens.command.title for lens in lenses]


async def test_a_probe_has_a_lens_that_runs_it_and_then_one_that_tells_the_outcome(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    (lens,) = await editor.lenses(uri)
    assert lens.command.title == "Run gradient probe"
    assert editor.text_at(uri, lens.range) == "gradflow_probe"
    await editor.command(lens.command.command.removeprefix("gradflow."), **lens.command.arguments[0])
    await editor.report(uri, 0)
    run, outcome = titles(await editor.lenses(uri))
    assert run == "Run gradient probe"
    assert outcome.startswith("2 missing, 2 healthy, ") and outcome.endswith(" s")
    editor.type(uri, "import torch\n", "import torch\n\n")
    assert titles(await editor.lenses(uri))[1].endswith("(stale: edited since the run)")


async def test_a_model_class_without_a_probe_offers_one(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    uri = neovim.open(folder / "model.py")
    (lens,) = await neovim.lenses(uri)
    assert lens.command.title == "Insert gradient probe for Net"
    assert list(lens.command.arguments) == [{"uri": uri, "class": "Net"}]


async def test_an_editor_that_can_is_asked_to_refresh_its_lenses_and_hints(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = vscode.open(folder / "model.py")
    vscode.refreshes.clear()
    await vscode.run(uri)
    await vscode.until(lambda: {"workspace/codeLens/refresh", "workspace/inlayHint/refresh"} <= {*vscode.refreshes})
