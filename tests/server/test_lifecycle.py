import asyncio
import json
import signal
import sys
from pathlib import Path

import psutil
import pytest

from .editor import ENDLESS, HEALTHY, PATIENCE, Editor


async def with_endless_run(fresh, folder: Path) -> tuple[Editor, list[psutil.Process]]:
    """Return an editor whose server runs a probe without end, and all processes of that server."""
    (folder / "model.py").write_text(ENDLESS)
    editor = await fresh("neovim", folder)
    uri = editor.open(folder / "model.py")
    await editor.command("run", uri=uri)
    await editor.until_started(uri)
    server = psutil.Process(editor.server.pid)
    children = server.children(recursive=True)
    assert children
    return editor, [server, *children]


async def gone(processes: list[psutil.Process]) -> bool:
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, timeout=PATIENCE)
    return not alive


async def test_shutdown_ends_every_process(fresh, tmp_path: Path):
    editor, processes = await with_endless_run(fresh, tmp_path)
    async with asyncio.timeout(PATIENCE):
        assert await editor.shutdown_async(None) is None
        editor.exit(None)
        assert await editor.server.wait() == 0
    assert await gone(processes)


async def test_exit_without_shutdown_has_status_one(fresh, tmp_path: Path):
    editor = await fresh("neovim", tmp_path)
    editor.exit(None)
    async with asyncio.timeout(PATIENCE):
        assert await editor.server.wait() == 1


@pytest.mark.slow
async def test_the_end_of_input_ends_every_process(fresh, tmp_path: Path):
    editor, processes = await with_endless_run(fresh, tmp_path)
    editor.server.stdin.close()
    async with asyncio.timeout(PATIENCE):
        await editor.server.wait()
    assert await gone(processes)


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
@pytest.mark.slow
async def test_a_signal_ends_every_process(fresh, tmp_path: Path, number: int):
    editor, processes = await with_endless_run(fresh, tmp_path)
    editor.server.send_signal(number)
    async with asyncio.timeout(PATIENCE):
        await editor.server.wait()
    assert await gone(processes)


@pytest.mark.parametrize("signal_first", [True, False])
async def test_a_signal_beside_the_end_of_input_ends_in_silence_while_torch_is_imported(
    tmp_path: Path, signal_first: bool
):
    (tmp_path / "model.py").write_text(HEALTHY)
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gradflow_lsp"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    uri = (tmp_path / "model.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": HEALTHY}
    said = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "workspace/executeCommand", "params": {"command": "gradflow.run"}},
    ]
    said[-1]["params"]["arguments"] = [{"uri": uri}]
    for body in (json.dumps({"jsonrpc": "2.0", **message}) for message in said):
        server.stdin.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    async with asyncio.timeout(PATIENCE):
        await server.stdout.readuntil(b'"run"')
        while not (children := psutil.Process(server.pid).children()):
            await asyncio.sleep(0.01)
        if signal_first:
            server.send_signal(signal.SIGTERM)
        server.stdin.close()
        if not signal_first:
            server.send_signal(signal.SIGTERM)
        _, errors = await server.communicate()
    assert errors == b""
    assert await gone(children)


async def test_whatever_is_printed_the_client_hears_only_the_protocol(neovim: Editor, folder: Path):
    (folder / "model.py").write_text("import os, sys\nprint('hello')\nos.write(1, b'raw')\n" + HEALTHY)
    assert (await neovim.run(neovim.open(folder / "model.py")))["status"] == "ok"
    assert neovim.error is None


async def test_a_server_says_nothing_on_stderr(tmp_path: Path):
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gradflow_lsp"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
    messages = f"Content-Length: {len(body)}\r\n\r\n{body}"
    async with asyncio.timeout(PATIENCE):
        output, errors = await server.communicate(messages.encode())
    assert b'"positionEncoding":"utf-16"' in output.replace(b" ", b"")
    assert errors == b""
    assert server.returncode == 0


@pytest.mark.slow
async def test_a_client_that_is_gone_is_noticed(tmp_path: Path):
    client = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gradflow_lsp"), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    params = {"processId": client.pid, "capabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    server.stdin.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    async with asyncio.timeout(PATIENCE):
        assert (await server.stdout.readline()).startswith(b"Content-Length")
        client.stdin.close()
        await client.wait()
        await server.wait()
        server.stdin.close()


async def test_a_server_on_a_port_serves_one_client_and_ends_with_it(tmp_path: Path):
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gradflow_lsp", "server", "--tcp", "--port", "0"), stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        port = int((await server.stderr.readline()).rsplit(b":", 1)[1])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
        writer.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        assert (await reader.readline()).startswith(b"Content-Length")
        writer.close()
        assert await server.wait() == 0
