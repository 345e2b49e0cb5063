import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from .conftest import end
from .editor import BROKEN, ENDLESS, HEALTHY, Editor


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


async def test_a_setting_that_is_wrong_again_is_told_again_and_not_when_its_line_moves(ale: Editor, tmp_path: Path):
    def told():
        return [message.message for message in ale.messages if str(tmp_path) in message.message]

    (tmp_path / "model.py").write_text(BROKEN)
    (tmp_path / "pyproject.toml").write_text("[tool.gradflow]\nseed = -1\n")
    uri, project = ale.open(tmp_path / "model.py"), ale.open(tmp_path / "pyproject.toml")
    await ale.run(uri)
    assert len(told()) == 1
    for old, new, times in [("[tool", "\n[tool", 1), ("-1", "1", 1), ("1", "-1", 2)]:
        ale.type(project, old, new)
        ale.save(project)
        await ale.run(uri)
        assert len(told()) == times


async def test_the_next_run_uses_what_was_changed_meanwhile(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(ENDLESS)
    uri = neovim.open(folder / "model.py")
    async with neovim.configured(timeout=0.3):
        assert (await neovim.run(uri))["error"]["message"].startswith("The run was stopped after 0.3 s")
    async with neovim.configured(timeout=0.4):
        assert (await neovim.run(uri))["error"]["message"].startswith("The run was stopped after 0.4 s")


async def test_a_flag_of_the_server_beats_the_editor_which_beats_the_file(tmp_path: Path):
    (tmp_path / "model.py").write_text(HEALTHY)
    (tmp_path / "pyproject.toml").write_text("[tool.gradflow]\ninterpreter = '/file/python'\n")
    config = Editor.config("--python", "/flag/python", env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")})
    editor = await config.start()
    try:
        await editor.start("vscode", [tmp_path], interpreter="/editor/python")
        report = await editor.run(editor.open(tmp_path / "model.py"))
        assert "/flag/python" in report["error"]["message"]
    finally:
        await end(editor)


async def test_each_folder_has_its_own_interpreter(fresh, tmp_path: Path):
    for name in ("a", "b"):
        python = tmp_path / name / ".venv/bin/python"
        python.parent.mkdir(parents=True)
        python.symlink_to("/bin/false")
        (tmp_path / name / "model.py").write_text(HEALTHY)
    editor = await fresh("vscode", tmp_path / "a", tmp_path / "b", interpreter=None)
    for name in ("a", "b"):
        report = await editor.run(editor.open(tmp_path / name / "model.py"))
        assert f"{tmp_path}/{name}/.venv/bin/python (the environment in .venv) ended" in report["error"]["message"]


@pytest.mark.slow
async def test_a_server_is_not_led_astray_by_the_folder_it_is_started_in(tmp_path: Path):
    for name in ("json", "typing", "asyncio", "attrs", "psutil", "torch", "report"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('this is the module of the project')\n")
    (tmp_path / "pygls").mkdir()
    (tmp_path / "pygls/__init__.py").write_text("raise SystemExit('this is the package of the project')\n")
    (tmp_path / "model.py").write_text(BROKEN)
    config = Editor.config(env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")})
    config.server_command = ["sh", "-c", 'cd "$0" && exec "$@"', str(tmp_path), *config.server_command]
    editor = await config.start()
    try:
        await editor.start("vscode", [tmp_path], interpreter=sys.executable)
        report = await editor.run(editor.open(tmp_path / "model.py"))
        assert [cause["kind"] for cause in report["causes"]] == ["detach"], report
    finally:
        await end(editor)


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
    async with neovim.configured(interpreter=None, client={"interpreter": [str(folder / "selected"), "-X", "dev"]}):
        report = await neovim.run(uri)
    assert report["error"]["kind"] == "no-interpreter"
    assert f"{folder}/selected -X dev (chosen in the editor) cannot be started" in report["error"]["message"]


async def test_an_interpreter_that_is_not_there_is_an_error_on_the_probe(fresh, tmp_path: Path):
    (tmp_path / "model.py").write_text(HEALTHY)
    editor = await fresh("neovim", tmp_path, interpreter=str(tmp_path / "no-python"))
    uri = editor.open(tmp_path / "model.py")
    assert (await editor.run(uri))["error"]["kind"] == "no-interpreter"
    error = (await editor.diagnostics_of(uri))["no-interpreter"]
    assert editor.text_at(uri, error.range) == "gradflow_probe"


@pytest.mark.slow
async def test_a_launcher_runs_probes_elsewhere_and_findings_stand_here(neovim: Editor, folder: Path, tmp_path: Path):
    (folder / "model.py").write_text(HEALTHY)
    uri = neovim.open(folder / "model.py")
    neovim.type(uri, HEALTHY, BROKEN)
    elsewhere = {"launcher": ["env", "-i"], "pathMappings": {str(tmp_path / "there"): str(folder)}}
    async with neovim.configured(interpreter=sys.executable, **elsewhere):
        report = await neovim.run(uri)
    assert (report["status"], report["path"]) == ("ok", str(folder / "model.py"))
    await neovim.until(lambda: {d.code for d in neovim.published[uri].diagnostics} == {"missing-gradient", "detach"})


async def test_what_was_wrong_with_an_interpreter_is_said_no_more_when_another_is_in_force(
    neovim: Editor, folder: Path
):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    async with neovim.configured(interpreter=str(folder / "nowhere")):
        assert (await neovim.run(uri))["error"]["kind"] == "no-interpreter"
        assert "no-interpreter" in await neovim.diagnostics_of(uri)
    await neovim.until(lambda: not neovim.published[uri].diagnostics)
