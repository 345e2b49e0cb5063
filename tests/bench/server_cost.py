"""What the server costs beside a bare one on the same library that answers constants (`bare_server.py`).

    python tests/bench/server_cost.py [--files 10000] [--open 200] [--requests 300] [--starts 10] [--output FILE]

Both servers get the same workspace, the same open documents and the same requests, by turns, from one client. In the
product a report is pinned to the document that is asked about, and the run of another probe goes on that keeps one
processor busy; a keystroke is a change of that document and the request behind it.

`cpu` is the processor time of the server's process (all threads, to the nanosecond), `wall` the time that the client
waited. The bars are held against the processor time wherever one is named: other work on the machine stretches the
wall of either. A ratio is product / bare; of p99 it is p99 / p99; of start-up and scan the median of neighbours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil
from tables import table
from workspaces import fill

HERE = Path(__file__).parent
COMMANDS = {
    "product": [sys.executable, "-m", "gradflow_lsp", "server", "--stdio"],
    "bare": [sys.executable, str(HERE / "bare_server.py")],
}
CAPABILITIES = HERE.parent / "server" / "caps" / "vscode.json"
BUSY = (
    "def gradflow_probe():\n    open(__file__ + '.started', 'w').close()\n    while True:\n        sum(range(1000))\n"
)
REQUEST_BAR, START_BAR, SCAN_BAR, MEMORY_BAR = 3, 1.2, 3, 1.5
SCHEDULED = 2
"""With the number of a process, the Linux kernel's name for the clock of that process (`clock_getcpuclockid`)."""
WARM_UP = 20
PATIENCE = 300


class Client:
    """Talks to one server, and answers whatever that asks."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._numbers = count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._reading = asyncio.create_task(self._read())

    def cpu(self) -> float:
        """The seconds of processor time that the server has taken so far, in all threads, without its children's."""
        return time.clock_gettime((~self.process.pid << 3) | SCHEDULED)

    async def ask(self, method: str, params: Any) -> Any:
        """Send a request; return the result, or the error's sentence."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._write({"id": number, "method": method, "params": params})
        return await answer

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._write({"method": method, "params": params})

    async def start(self, folder: Path) -> None:
        """Say `initialize`."""
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        capabilities = json.loads(CAPABILITIES.read_text(encoding="utf-8"))
        options = {"interpreter": sys.executable, "timeout": 3600}
        params = {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities, "workspaceFolders": folders}
        await self.ask("initialize", {**params, "initializationOptions": options})

    def open(self, path: Path) -> None:
        """Open a document."""
        text = path.read_text(encoding="utf-8", errors="replace")
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    async def command(self, name: str, **argument: Any) -> Any:
        """Execute a command of the product."""
        return await self.ask("workspace/executeCommand", {"command": f"gradflow.{name}", "arguments": [argument]})

    async def end(self) -> None:
        """Say goodbye."""
        await self.ask("shutdown", None)
        self.tell("exit", None)
        await self.process.wait()
        self._reading.cancel()

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def _read(self) -> None:
        reader = self.process.stdout
        assert reader is not None
        while header := await reader.readline():
            length = int(header.split(b":")[1])
            while (await reader.readline()).strip():
                pass
            message = json.loads(await reader.readexactly(length))
            if "method" not in message:
                error = message.get("error")
                self._answers.pop(message["id"]).set_result(error["message"] if error else message.get("result"))
            elif "id" in message:
                items = message.get("params", {}).get("items") if message["method"] == "workspace/configuration" else ()
                self._write({"id": message["id"], "result": [None for _ in items] or None})


@asynccontextmanager
async def server(name: str):
    """A server's process, and its client."""
    with tempfile.TemporaryDirectory() as state:
        process = await asyncio.create_subprocess_exec(
            *COMMANDS[name],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "XDG_STATE_HOME": state},
            limit=2**24,
        )
        client = Client(process)
        try:
            yield client
            await client.end()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def until(fact: Callable[[], Any]) -> Any:
    """Look again and again until a fact, or the awaitable that it returns, holds."""
    async with asyncio.timeout(PATIENCE):
        while True:
            value = fact()
            value = await value if asyncio.iscoroutine(value) else value
            if value:
                return value
            await asyncio.sleep(0.01)


async def start_up(folder: Path, starts: int) -> list[list[str]]:
    """The rows of starting, in an empty folder: from the spawn to the answer to `initialize`, and to a hover's."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    hovered: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for number in range(starts + 1):
        for name in sorted(COMMANDS, reverse=bool(number % 2)):
            began = time.perf_counter()
            async with server(name) as client:
                await client.start(folder)
                taken[name].append((client.cpu(), time.perf_counter() - began))
                client.tell("initialized", {})
                await client.ask("textDocument/hover", nothing_at(folder))
                hovered[name].append((client.cpu(), time.perf_counter() - began))
    return [
        row("start-up", taken["product"][1:], taken["bare"][1:], START_BAR, median),
        row("start-up, and a first hover", hovered["product"][1:], hovered["bare"][1:], None, median),
    ]


def nothing_at(folder: Path) -> dict[str, Any]:
    """The parameters of a hover that finds nothing."""
    return {"textDocument": {"uri": folder.as_uri()}, "position": {"line": 0, "character": 0}}


async def scan(folder: Path, rounds: int) -> list[list[str]]:
    """The rows of the first scan, beside grep; and of the hover that was sent when it began."""
    ours, greps, hovers = [], [], []
    for _ in range(rounds):
        before, began = of_children(), time.perf_counter()
        subprocess.run(["grep", "-rl", "gradflow_probe", str(folder)], stdout=subprocess.DEVNULL)
        greps.append((of_children() - before, time.perf_counter() - began))
        async with server("product") as client:
            await client.start(folder)
            await client.ask("textDocument/hover", nothing_at(folder))  # what is imported by then belongs to starting
            cpu, began = client.cpu(), time.perf_counter()
            client.tell("initialized", {})
            hover = asyncio.create_task(client.ask("textDocument/hover", nothing_at(folder)))
            hover.add_done_callback(lambda _, began=began: hovers.append(time.perf_counter() - began))

            async def found(client: Client = client) -> bool:
                return "There are" in str(await client.command("run"))

            await until(found)
            ours.append((client.cpu() - cpu, time.perf_counter() - began))
            assert hover.done()
    rows = [row("first scan, beside grep -rl", ours, greps, SCAN_BAR, median)]
    ends = median(wall for _, wall in ours)
    answered = f"{1000 * median(hovers):.0f} ms after it began, {1000 * ends:.0f} ms the scan's end"
    rows.append(["a hover sent when the scan begins", "", "", "", answered, "", "", "before its end", "ok"])
    return rows


def of_children() -> float:
    """The seconds of processor time of all processes that were started and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def requests_at(uri: str, text: str) -> dict[str, tuple[str, Any]]:
    """One request of each kind about a document."""
    lines = text.split("\n")
    line = next(number for number, line in enumerate(lines) if "nn.Linear" in line)
    here = {"line": line, "character": lines[line].index("nn.Linear") + 3}
    document = {"textDocument": {"uri": uri}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    context = {"diagnostics": [], "triggerKind": 2}
    return {
        "hover": ("textDocument/hover", {**document, "position": here}),
        "lens": ("textDocument/codeLens", document),
        "hints": ("textDocument/inlayHint", {**document, "range": whole}),
        "code action": (
            "textDocument/codeAction",
            {**document, "range": {"start": here, "end": here}, "context": context},
        ),
    }


async def requests(clients: dict[str, Client], model: Path, number: int) -> list[list[str]]:
    """The rows of each request, and of each request right behind a keystroke."""
    text, uri = model.read_text(), model.as_uri()
    asked = requests_at(uri, text)
    line = next(n for n, line in enumerate(text.split("\n")) if line.startswith('    """'))
    versions = count(2)

    def type_a_letter(client: Client) -> None:
        at = {"line": line, "character": 8}
        changes = [{"range": {"start": at, "end": at}, "text": "x"}]
        identifier = {"uri": uri, "version": next(versions)}
        client.tell("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})

    rows = []
    for typing in (False, True):
        for name, (method, params) in asked.items():
            taken: dict[str, list[tuple[float, float]]] = {each: [] for each in clients}
            for turn in range(number + WARM_UP):
                for each, client in sorted(clients.items(), reverse=bool(turn % 2)):
                    cpu, began = client.cpu(), time.perf_counter()
                    if typing:
                        type_a_letter(client)
                    await client.ask(method, params)
                    wall = time.perf_counter() - began
                    taken[each].append((client.cpu() - cpu, wall))
            kept = {each: values[WARM_UP:] for each, values in taken.items()}
            title = f"a keystroke, then {name}" if typing else name
            rows.append(row(title, kept["product"], kept["bare"], REQUEST_BAR, p99))
            rows.append(row(f"{title} (median)", kept["product"], kept["bare"], None, median))
    return rows


def p99(values: list[float]) -> float:
    """The value that one in a hundred exceeds."""
    return quantiles(values, n=100, method="inclusive")[98]


def row(
    title: str,
    ours: list[tuple[float, float]],
    theirs: list[tuple[float, float]],
    bar: float | None,
    of: Callable[[list[float]], float],
) -> list[str]:
    """A row of the table: processor time and wall of both, their ratios, and whether the bar is held."""
    cells = [title]
    ratios = []
    for column in (0, 1):
        mine, yours = [each[column] for each in ours], [each[column] for each in theirs]
        paired = of is median and len(mine) == len(yours)
        ratios.append(median(a / b for a, b in zip(mine, yours, strict=True)) if paired else of(mine) / of(yours))
        cells += [f"{1000 * of(mine):.2f}", f"{1000 * of(yours):.2f}", f"{ratios[-1]:.2f}"]
    return [*cells, "" if bar is None else f"<= {bar}", "" if bar is None else held(ratios[0], bar)]


def held(ratio: float, bar: float) -> str:
    """Whether a ratio is within its bar."""
    return "ok" if ratio <= bar else "MISSED"


def memory(clients: dict[str, Client]) -> list[list[str]]:
    """The rows of what the processes hold."""
    found = {name: psutil.Process(client.process.pid).memory_full_info() for name, client in clients.items()}
    rows = []
    for kind in ("uss", "rss"):
        ours, theirs = (getattr(found[name], kind) / 2**20 for name in ("product", "bare"))
        rows.append([f"{kind.upper()} after the scan", f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}"])
        rows[-1] += [f"<= {MEMORY_BAR}", held(ours / theirs, MEMORY_BAR)]
    return rows


async def at_work(folder: Path, files: list[Path], opened: int, number: int) -> tuple[list[list[str]], list[list[str]]]:
    """The rows of requests and of memory, in a large workspace with many open documents and a run that goes on."""
    model, busy = files[0], folder / "busy.py"
    asked = requests_at(model.as_uri(), model.read_text())
    busy.write_text(BUSY)
    async with server("product") as product, server("bare") as bare:
        clients = {"product": product, "bare": bare}
        for client in clients.values():
            await client.start(folder)
            client.tell("initialized", {})
            for path in files[:opened]:
                client.open(path)
        await product.command("run", uri=model.as_uri())

        async def done() -> bool:
            return (await product.command("report", uri=model.as_uri()))["state"] == "done"

        await until(done)
        for client in clients.values():
            for path in files[:opened]:  # as an editor does for each document that comes into view
                for method, params in requests_at(path.as_uri(), "nn.Linear").values():
                    await client.ask(method, params)
            answers = [await client.ask(method, params) for method, params in asked.values()]
            assert all(answer and not isinstance(answer, str) for answer in answers), answers
        held_by = memory(clients)
        await product.command("run", uri=busy.as_uri())
        await until(busy.with_suffix(".py.started").exists)
        return await requests(clients, model, number), held_by


async def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--open", type=int, default=200)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--only", choices=["start", "scan", "work"])
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rows = [["", "product cpu ms", "bare cpu ms", "x cpu", "product wall ms", "bare wall ms", "x wall", "bar", ""]]
    holds: list[list[str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder, empty = Path(name, "workspace"), Path(name, "empty")
        empty.mkdir()
        files = fill(folder, arguments.files)
        if arguments.only in (None, "start"):
            rows += await start_up(empty, arguments.starts)
        if arguments.only in (None, "scan"):
            rows += await scan(folder, max(3, arguments.starts // 2))
        if arguments.only in (None, "work"):
            found, holds = await at_work(folder, files, arguments.open, arguments.requests)
            rows += found
    parts = [table(rows)]
    if holds:
        parts.append(table([["", "product MiB", "bare MiB", "x", "bar", ""], *holds]))
    text = "\n\n".join("\n".join(part) for part in parts)
    print(text)
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
