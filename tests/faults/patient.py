"""A server that suffers faults: started within bounds, watched for what it leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from pytest_lsp import ClientServerConfig
from server.editor import HEALTHY, PATIENCE, Editor

from . import leftovers

HERE = "# here"
BOUNDED = Path(__file__).parent / "bounded.py"


def probe(body: str, head: str = "") -> str:
    """Return a model file whose probe does `body` before it returns a healthy model; `head` stands before it."""
    indented = "".join(f"    {line}\n" if line else "\n" for line in body.strip("\n").split("\n"))
    return (
        f"import os, sys, signal, threading, time\nimport torch\n{head}\n\n\ndef gradflow_probe():\n{indented}"
        "    model = torch.nn.Linear(4, 1)\n    return model, model(torch.ones(2, 4)).mean()\n"
    )


@dataclass(frozen=True)
class Fault:
    """A model file that does something bad, and what is to be said of it.

    `text` marks the line to be named with a comment, `# here`. `says` is a pattern for the whole sentence. The editor
    has the file open; `beside` it lies, as bytes on the disk alone, `helper.py`, and then that is where the line is.
    """

    name: str
    text: str
    status: str = "ok"
    kind: str | None = None
    says: str = ""
    file: str = "model.py"
    beside: bytes | None = None

    @property
    def line(self) -> int | None:
        """The line that is marked."""
        text = self.text if self.beside is None else self.beside.decode("latin-1").replace("\0", "")  # as in UTF-16
        lines = [number for number, line in enumerate(re.split("\r\n|\r|\n", text), 1) if HERE in line]
        return lines[0] if lines else None


class Patient:
    """An editor with its server, which has one workspace folder, a temporary folder and a mark of its own."""

    def __init__(self, editor: Editor, folder: Path, mark: str) -> None:
        self.editor = editor
        self.workspace = folder / "workspace"
        self.temporary = folder / "tmp"
        self.mark = mark
        self.healthy = ""

    @classmethod
    async def start(cls, folder: Path, *, cold: bool = False, **options: object) -> Patient:
        """Start a server in `folder` with these settings."""
        mark = uuid.uuid4().hex
        for name in ("workspace", "tmp", "home", "state"):
            (folder / name).mkdir()
        variables = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
        variables |= {
            leftovers.MARK: mark,
            "TMPDIR": str(folder / "tmp"),
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "state"),
        }
        command = [sys.executable, str(BOUNDED), *(["--cold"] if cold else []), "server", "--stdio"]
        config = ClientServerConfig(server_command=command, client_factory=Editor, server_env=variables)
        patient = cls(await config.start(), folder, mark)
        try:
            await patient.editor.start("neovim", [patient.workspace], interpreter=sys.executable, **options)
            (patient.workspace / "healthy.py").write_text(HEALTHY)
            patient.healthy = patient.editor.open(patient.workspace / "healthy.py")
        except BaseException:
            leftovers.end_all(mark)
            raise
        return patient

    async def end(self) -> None:
        """End the server as an editor does, and see that nothing at all is left; end whatever is."""
        try:
            if self.editor.server.returncode is None:
                async with asyncio.timeout(PATIENCE):
                    await self.editor.shutdown_session()
            await self.nothing_is_left()
        finally:
            leftovers.end_all(self.mark)
            async with asyncio.timeout(PATIENCE):
                await self.editor.stop()

    def write(self, fault: Fault) -> Path:
        """Write the fault's file."""
        path = self.workspace / fault.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(fault.text.encode())
        if fault.beside is not None:
            (self.workspace / "helper.py").write_bytes(fault.beside)
        return path

    async def suffer(
        self, fault: Fault, *, path: Path | None = None, kept: Collection[int] | None = None
    ) -> dict[str, Any]:
        """Run the fault's file, or what is at `path`, asking for hovers until it is over; look at all of its report.

        `kept` are the processes that may be there afterwards; without it, the server and what it keeps for more runs.
        """
        path = path or self.write(fault)
        before = self.files()
        uri = self.editor.open(path, path.read_bytes().decode())
        started = await self.editor.command("run", uri=uri, function="gradflow_probe")
        states = []
        while (states or [""])[-1] not in ("done", "cancelled"):
            assert "healthy" in (await self.editor.hover(self.healthy, "nn.Linear(4, 8)"))
            answer = await self.editor.command("report", uri=uri, function="gradflow_probe")
            states.append(answer["state"])
        assert answer["run"] == started["run"]
        assert states[0] in ("queued", "running")
        await self._check(fault, answer["report"], uri, path.name if fault.beside is None else "helper.py")
        await self.nothing_is_left(self.keepers if kept is None else lambda: kept)
        assert self.files() == before
        return answer["report"]

    async def _check(self, fault: Fault, report: dict[str, Any], uri: str, file: str) -> None:
        error = report["error"]
        assert (report["status"], error and error["kind"]) == (fault.status, fault.kind), error
        codes = set(await self.editor.diagnostics_of(uri))
        if error is None:
            assert {parameter["verdict"] for parameter in report["parameters"]} == {"healthy"}
            assert not codes
            return
        assert re.fullmatch(fault.says, error["message"]), error["message"]
        assert (error["location"] and error["location"]["line"]) == fault.line
        if fault.line is not None:
            assert Path(error["location"]["path"]).name == file
        assert codes == {fault.kind}

    async def is_well(self) -> None:
        """See that a normal probe runs as ever."""
        report = await self.editor.run(self.healthy)
        assert report["status"] == "ok"
        assert {parameter["verdict"] for parameter in report["parameters"]} == {"healthy"}

    def files(self) -> dict[str, str]:
        """Return all files where a run could leave some."""
        return leftovers.files_in(self.workspace, self.temporary)

    def keepers(self) -> set[int]:
        """Return the numbers of the server and of the interpreters that it forks runs from."""
        server = psutil.Process(self.editor.server.pid)
        kept = {server.pid}
        for child in server.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                kept |= {child.pid} if child.cmdline()[-1:] == ["template"] else set()
        return kept

    async def nothing_is_left(self, expected: Callable[[], Collection[int]] = frozenset) -> None:
        """See that no process is there but those `expected`, and no corpse of one."""
        left = await asyncio.to_thread(leftovers.wait_until_gone, self.mark, expected, PATIENCE)
        assert not left, [(process.ppid(), process.cmdline()[-2:], process.status()) for process in left]
