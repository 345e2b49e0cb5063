from pathlib import Path

from .editor import BROKEN, Editor


async def test_each_layer_has_its_verdict_at_the_end_of_its_line(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    assert await editor.hints(uri) == {}
    await editor.run(uri)
    assert await editor.hints(uri) == {7: "missing", 8: "healthy"}
    editor.type(uri, "import torch\n", "import torch\n\n")
    assert await editor.hints(uri) == {8: "missing (stale)", 9: "healthy (stale)"}


async def test_a_setting_turns_hints_into_norms_or_off(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    async with neovim.configured(inlayHints="norm"):
        hints = await neovim.hints(uri)
        assert hints[7] == "no grad" and hints[8].startswith("grad ")
    async with neovim.configured(inlayHints="off"):
        assert await neovim.hints(uri) == {}
