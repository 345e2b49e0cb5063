"""What a user finds in the output channel, what a trace adds, and what stands in the log file."""

import os
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig

from .conftest import end
from .editor import HEALTHY, Editor

PRINTS = HEALTHY.replace("    model = Net()", "    print('\\x1b[31mhello\\x1b[0m')\n    model = Net()")
FAULTY = """
from gradflow_lsp.server import commands, start

def clear(session, argument):
    raise KeyError("a fault")

commands.COMMANDS["clear"] = clear
start()
"""


def lines(editor: Editor, kind: lsp.MessageType = lsp.MessageType.Info) -> list[str]:
    """What stands in the editor's output channel."""
    return [message.message for message in editor.log_messages if message.type == kind]


def traced(editor: Editor) -> list[lsp.LogTraceParams]:
    """Keep what the server traces from now on."""
    traces: list[lsp.LogTraceParams] = []
    editor.feature(lsp.LOG_TRACE)(lambda params: traces.append(params))
    return traces


async def test_the_channel_says_who_runs_the_probes_and_where_the_log_is(fresh, tmp_path: Path):
    editor = await fresh("vscode", tmp_path)
    await editor.until(lambda: len(lines(editor)) == 2)
    server, python = lines(editor)
    assert "server.log" in server
    assert (
        python == f"probes in {tmp_path} are run by {sys.executable} (the setting interpreter in the editor's settings)"
    )


async def test_another_interpreter_is_told_when_it_is_chosen(fresh, tmp_path: Path):
    editor = await fresh("neovim", tmp_path)
    async with editor.configured(interpreter="elsewhere/python"):
        await editor.until(lambda: any(str(tmp_path / "elsewhere/python") in line for line in lines(editor)))
    async with editor.configured(inlayHints="norm"):
        told = [line for line in lines(editor) if line.startswith("probes in")]
    assert sys.executable in told[-1]
    assert all(line != following for line, following in pairwise(told))


async def test_what_a_run_prints_is_shown_once_and_without_colours(neovim: Editor, folder: Path):
    (folder / "talks.py").write_text(PRINTS)
    await neovim.run(neovim.open(folder / "talks.py"))
    assert [line for line in lines(neovim) if "talks.py" in line] == ["gradflow_probe in talks.py printed:\nhello"]


async def test_of_a_flood_of_prints_the_end_is_shown(neovim: Editor, folder: Path):
    (folder / "flood.py").write_text(PRINTS.replace("print(", "for n in range(5000): print(n, "))
    await neovim.run(neovim.open(folder / "flood.py"))
    [shown] = [line for line in lines(neovim) if "in flood.py" in line]
    assert shown.startswith("gradflow_probe in flood.py printed much, at the end of it:\n")
    assert shown.endswith("\n4999 hello")
    assert len(shown) < 10_100 and shown.count("\n") <= 201


@pytest.mark.slow
async def test_a_trace_has_the_steps_and_no_contents(fresh, tmp_path: Path):
    (tmp_path / "model.py").write_text(PRINTS)
    editor = await fresh("neovim", tmp_path)
    traces = traced(editor)
    uri = editor.open(tmp_path / "model.py")
    await editor.run(uri)
    assert traces == []
    editor.set_trace(lsp.SetTraceParams(lsp.TraceValue.Messages))
    await editor.run(uri)
    said = [trace.message for trace in traces]
    assert "received workspace/executeCommand" in said
    assert "gradflow_probe: backward" in said
    assert any(message.startswith("gradflow_probe in model.py: ok after ") for message in said)
    assert not any(trace.verbose for trace in traces)
    editor.set_trace(lsp.SetTraceParams(lsp.TraceValue.Verbose))
    await editor.run(uri)
    assert any(sys.executable in (trace.verbose or "") for trace in traces)
    editor.set_trace(lsp.SetTraceParams(lsp.TraceValue.Off))
    await editor.command("report", uri=uri)
    before = len(traces)
    await editor.run(uri)
    assert len(traces) == before
    assert not any("Linear" in f"{trace.message}{trace.verbose}" for trace in traces)


@pytest_asyncio.fixture(loop_scope="session")
async def faulty(tmp_path: Path):
    """An editor whose server has a fault in one of its commands."""
    variables = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    config = ClientServerConfig(
        server_command=[sys.executable, "-c", FAULTY], client_factory=Editor, server_env=variables
    )
    editor = await config.start()
    await editor.start("vscode", [tmp_path])
    yield editor
    await end(editor)


async def test_a_fault_of_ours_is_one_sentence_and_a_record_in_the_log(faulty: Editor, tmp_path: Path):
    log = tmp_path / "state/gradflow-lsp/log/server.log"
    with pytest.raises(JsonRpcException) as raised:
        await faulty.command("clear")
    sentence = f"GradFlow could not do this, by a fault of its own (KeyError: 'a fault'). Its log says more: {log}"
    assert (raised.value.message, raised.value.data) == (sentence, None)
    [line] = await faulty.until(lambda: lines(faulty, lsp.MessageType.Error))
    assert line == f"a message could not be handled (KeyError: 'a fault'). The log says more: {log}"
    assert "KeyError: 'a fault'" in log.read_text()
    assert faulty.messages == []


async def test_what_is_refused_with_a_sentence_is_no_fault(vscode: Editor, folder: Path):
    (folder / "empty.py").write_text("x = 1\n")
    with pytest.raises(JsonRpcException, match="There is no gradient probe here"):
        await vscode.command("run", uri=vscode.open(folder / "empty.py"))
    assert not [line for line in lines(vscode, lsp.MessageType.Error) if "gradient probe" in line]


@pytest.mark.slow
async def test_the_log_file_keeps_neither_prints_nor_texts(fresh, tmp_path: Path):
    (tmp_path / "model.py").write_text(PRINTS)
    editor = await fresh("neovim", tmp_path)
    await editor.run(editor.open(tmp_path / "model.py"))
    log = Path(next(line for line in lines(editor) if "log: " in line).partition("log: ")[2])
    assert f"probes in {tmp_path}" in log.read_text()
    assert "hello" not in log.read_text()
    assert "Linear" not in log.read_text()
