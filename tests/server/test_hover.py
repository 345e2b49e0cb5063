import re
from pathlib import Path

import pytest

from .editor import BROKEN, ENDLESS, Editor


async def test_hover_on_a_definition_shows_its_norms_as_the_report_has_them(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    report = await editor.run(uri)
    card = await editor.hover(uri, "nn.Linear(8, 2)")
    norm = next(p["grad_norm"] for p in report["parameters"] if p["name"] == "last.weight")
    shown = [float(number) for number in re.findall(r"\d+\.\d+(?:e[+-]\d+)?", card)]
    assert any(abs(number - norm) <= 5e-5 * norm for number in shown)
    assert "healthy" in card and "last.weight" in card


async def test_hover_on_a_mention_shows_the_card_of_the_layer_with_its_cause(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    card = await neovim.hover(uri, "first(x)")
    assert "missing" in card and "line 12" in card and "up to date" in card


async def test_hover_says_when_it_is_stale(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    neovim.type(uri, "import torch\n", "import torch\n\n")
    assert "stale: edited since the run" in await neovim.hover(uri, "nn.Linear(8, 2)")


async def test_hover_is_markdown_only_where_the_editor_shows_it(neovim: Editor, ale: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    cards = []
    for editor in (neovim, ale):
        uri = editor.open(folder / "model.py")
        await editor.run(uri)
        cards.append(await editor.hover(uri, "nn.Linear(4, 8)"))
    assert f"[line 12]({uri}#L12)" in cards[0]
    assert "](" not in cards[1] and "Cause (detach) at line 12" in cards[1]


async def test_there_is_no_hover_before_a_run_and_none_elsewhere(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    assert await neovim.hover(uri, "nn.Linear(4, 8)") is None
    await neovim.run(uri)
    assert await neovim.hover(uri, "import torch") is None


async def test_hover_and_lenses_are_answered_while_a_probe_runs(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    (folder / "endless.py").write_text(ENDLESS)
    uri, endless = editor.open(folder / "model.py"), editor.open(folder / "endless.py")
    await editor.run(uri)
    await editor.command("run", uri=endless)
    assert "last.weight" in await editor.hover(uri, "nn.Linear(8, 2)")
    assert [lens.command.command for lens in await editor.lenses(endless)][1] == "gradflow.cancel"
    assert (await editor.command("report", uri=endless))["state"] in ("queued", "running")
    await editor.command("cancel", uri=endless)


async def test_hover_says_what_a_comment_hides_and_where_that_is(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    neovim.type(uri, ".detach()", ".detach()  # gradflow: intended")
    for place in ("nn.Linear(4, 8)", "detach()"):
        card = await neovim.hover(uri, place)
        assert "missing (intended)" in card and f"Intended by the comment at [line 12]({uri}#L12)." in card


async def test_hover_has_the_run_before_beside_the_last_one(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    await editor.run(uri)
    assert "Since the run before" not in await editor.hover(uri, "nn.Linear(4, 8)")
    editor.type(uri, ".detach()", "")
    await editor.run(uri)
    card = await editor.hover(uri, "nn.Linear(4, 8)")
    assert "Since the run before: first." in card and "from missing to healthy." in card
    assert re.search(r"verdict +before +grad norm", card)
    assert re.search(r"first.weight +healthy +none +\d", card)


@pytest.mark.slow
async def test_hover_has_a_picture_only_where_the_editor_says_that_it_draws_images(
    fresh, neovim: Editor, folder: Path, tmp_path: Path
):
    drawing = await fresh("vscode", tmp_path, client={"images": True})
    for editor, place, drawn in ((drawing, tmp_path, True), (neovim, folder, False)):
        (place / "model.py").write_text(BROKEN)
        uri = editor.open(place / "model.py")
        await editor.run(uri)
        card = await editor.hover(uri, "nn.Linear(4, 8)")
        assert ("](data:image/svg+xml;base64," in card) is drawn
        assert "loss → last ✓" in card
    assert drawing.messages == []
