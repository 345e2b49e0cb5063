from pathlib import Path

from lsprotocol import types as lsp

from .editor import BROKEN, HEALTHY, Editor


async def test_the_configuration_of_the_client_is_in_force(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    async with neovim.configured(severity={"missing-gradient": "error", "detach": "off"}):
        await neovim.until(lambda: len(neovim.published[uri].diagnostics) == 1)
        (only,) = neovim.published[uri].diagnostics
        assert (only.code, only.severity) == ("missing-gradient", lsp.DiagnosticSeverity.Error)


async def test_a_wrong_setting_is_told_once(fresh, tmp_path: Path):
    editor = await fresh("vscode", tmp_path, timeout="long", seeed=3)
    warnings = lambda: [m.message for m in editor.messages if m.type == lsp.MessageType.Warning]  # noqa: E731
    first, second = sorted(await editor.until(lambda: warnings() if len(warnings()) == 2 else None))
    assert 'did you mean "seed"?' in first
    assert "timeout must be a number of seconds" in second
    async with editor.configured(inlayHints="norm"):
        assert len(warnings()) == 2


async def test_a_project_file_is_read_again_when_it_is_saved(ale: Editor, tmp_path: Path):
    (tmp_path / "model.py").write_text(BROKEN)
    (tmp_path / "pyproject.toml").write_text("[tool.gradflow]\ninlay_hints = 'off'\n")
    uri, project = ale.open(tmp_path / "model.py"), ale.open(tmp_path / "pyproject.toml")
    await ale.run(uri)
    assert await ale.hints(uri) == {}
    ale.type(project, "'off'", "'verdict'")
    ale.save(project)
    assert await ale.hints(uri) == {7: "missing", 8: "healthy"}


async def test_the_interpreter_that_is_selected_in_the_editor_is_used(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY)
    uri = neovim.open(folder / "model.py")
    async with neovim.configured(interpreter=None, client={"interpreter": str(folder / "selected")}):
        report = await neovim.run(uri)
    assert report["error"]["kind"] == "no-interpreter"
    assert "selected" in report["error"]["message"] and "chosen in the editor" in report["error"]["message"]


async def test_an_interpreter_that_is_not_there_is_an_error_on_the_probe(fresh, tmp_path: Path):
    (tmp_path / "model.py").write_text(HEALTHY)
    editor = await fresh("neovim", tmp_path, interpreter=str(tmp_path / "no-python"))
    uri = editor.open(tmp_path / "model.py")
    assert (await editor.run(uri))["error"]["kind"] == "no-interpreter"
    error = (await editor.diagnostics_of(uri))["no-interpreter"]
    assert editor.text_at(uri, error.range) == "gradflow_probe"
