"""What a run costs in the editor, and `check` on the command line, beside running the same file as a plain script.

    python tests/bench/run_cost.py [--rounds 5] [--cases FOLDER] [--flat 200] [--output FILE]

A plain script imports torch, builds the model, and makes one forward and one backward. Each round takes, one after the
other: the script; a run in a server that has just been initialized (cold: no process has torch yet), from the command
to the published diagnostics; a second one in the same server (warm). Seconds are of the wall. With `--cases`, `check`
over a folder of probes is compared with running its files one after another as scripts. With `--flat`, that many runs
are made in one server, and its memory and open descriptors noted on the way.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import psutil
from lsprotocol import types as lsp

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from server.editor import Editor  # noqa: E402
from tables import table  # noqa: E402

REPOSITORY = Path(__file__).parents[2]
MODEL = REPOSITORY / "sample_projects/dry_soil/model.py"
SCRIPT = """
import sys
from importlib import import_module
import torch
torch.set_num_threads(1)
sys.path.insert(0, {folder!r})
model, loss = import_module({stem!r}).gradflow_probe()
for each in loss.values() if isinstance(loss, dict) else [loss]:
    if each.requires_grad:
        each.backward(retain_graph=True)
for one in model.values() if isinstance(model, dict) else model if isinstance(model, tuple) else [model]:
    for name, parameter in one.named_parameters():
        print(name, None if parameter.grad is None else parameter.grad.norm().item())
"""
WARM, COLD, CHECK = 0.10, 1.25, 0.10
EDITOR = "neovim"


def script(path: Path) -> float:
    """The seconds that the file takes as a plain script."""
    began = time.perf_counter()
    command = [sys.executable, "-c", SCRIPT.format(folder=str(path.parent), stem=path.stem)]
    subprocess.run(command, cwd=path.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


@asynccontextmanager
async def server(folder: Path):
    """A server that has been initialized, as an editor starts it."""
    with tempfile.TemporaryDirectory() as state:
        editor = await Editor.config(env={**os.environ, "XDG_STATE_HOME": state}).start()
        await editor.start(EDITOR, [folder], interpreter=sys.executable)
        try:
            yield editor
        finally:
            await editor.shutdown_session()
            await editor.stop()


async def run(editor: Editor, path: Path) -> float:
    """The seconds from the command to the diagnostics."""
    editor.published.pop(path.as_uri(), None)
    began = time.perf_counter()
    await editor.workspace_execute_command_async(
        lsp.ExecuteCommandParams("gradflow.run", arguments=[{"uri": path.as_uri()}])
    )
    await editor.until(lambda: path.as_uri() in editor.published)
    return time.perf_counter() - began


async def round_of(path: Path) -> tuple[float, float, float]:
    """The seconds of the script, of a cold run, of a warm run."""
    plain = script(path)
    async with server(path.parent) as editor:
        editor.open(path)
        return plain, await run(editor, path), await run(editor, path)


async def in_the_editor(rounds: int) -> list[str]:
    """The table of runs in the editor."""
    taken = [await round_of(MODEL) for _ in range(rounds)]
    rows = [["in the editor", "script s", "run s", "ratio", "bar"]]
    for name, column, bar in (("cold", 1, COLD), ("warm", 2, WARM)):
        ratio = median(each[column] / each[0] for each in taken)
        plain, seconds = median(each[0] for each in taken), median(each[column] for each in taken)
        rows.append([name, f"{plain:.2f}", f"{seconds:.3f}", f"{ratio:.3f}", held(ratio, bar)])
    return table(rows)


def on_the_command_line(cases: Path) -> list[str]:
    """The table of `check` over a folder."""
    files = sorted(cases.glob("*.py"))
    began = time.perf_counter()
    command = [sys.executable, "-m", "gradflow_lsp", "check", str(cases), "--format", "json"]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    checked = time.perf_counter() - began
    plain = sum(map(script, files))
    rows = [["on the command line", "scripts s", "check s", "ratio", "bar"]]
    rows.append(
        [
            f"{len(files)} files",
            f"{plain:.1f}",
            f"{checked:.1f}",
            f"{checked / plain:.3f}",
            held(checked / plain, CHECK),
        ]
    )
    return table(rows)


async def flat(runs: int) -> list[str]:
    """The table of what the server holds as runs go by."""
    rows = [["runs", "server MiB", "descriptors", "threads", "processes below it"]]
    async with server(MODEL.parent) as editor:
        editor.open(MODEL)
        process = psutil.Process(editor.server.pid)
        for number in range(1, runs + 1):
            await run(editor, MODEL)
            if number in (1, 10) or number % 50 == 0:
                memory = f"{process.memory_info().rss / 2**20:.1f}"
                below = len(process.children(recursive=True))
                rows.append([str(number), memory, str(process.num_fds()), str(process.num_threads()), str(below)])
    return table(rows)


def held(ratio: float, bar: float) -> str:
    """Whether a ratio is within its bar."""
    return f"<= {bar} {'ok' if ratio <= bar else 'MISSED'}"


async def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--flat", type=int, default=0)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    parts = [await in_the_editor(arguments.rounds)]
    if arguments.cases:
        parts.append(on_the_command_line(arguments.cases))
    if arguments.flat:
        parts.append(await flat(arguments.flat))
    text = "\n\n".join("\n".join(part) for part in parts)
    print(text)
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
