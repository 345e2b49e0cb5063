import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradflow_lsp.config import Settings
from gradflow_lsp.server.scanning import scan
from gradflow_lsp.source.index import WorkspaceIndex

PROBE = "def gradflow_probe(): ...\n"


@pytest.fixture
def session(tmp_path: Path):
    """What a scan asks a session for."""
    settings = SimpleNamespace(of_folder=lambda folder: Settings())
    return SimpleNamespace(
        folders={"": tmp_path}, settings=settings, documents=[], index=WorkspaceIndex([]), scanned=None
    )


async def until_taken_over(session: SimpleNamespace, before: WorkspaceIndex) -> None:
    async with asyncio.timeout(10):
        while session.index is before:
            await asyncio.sleep(0.001)


async def test_what_happens_to_files_during_a_scan_is_not_lost(session, tmp_path: Path, monkeypatch):
    (tmp_path / "gone.py").write_text(PROBE)
    scanned, may_end = threading.Event(), threading.Event()
    read_all = WorkspaceIndex.scan

    def slow(index: WorkspaceIndex) -> None:
        read_all(index)
        scanned.set()
        may_end.wait(10)

    monkeypatch.setattr(WorkspaceIndex, "scan", slow)
    before = session.index
    scan(session)
    await asyncio.to_thread(scanned.wait, 10)
    (tmp_path / "new.py").write_text(PROBE)
    before.update(tmp_path / "new.py")
    (tmp_path / "gone.py").unlink()
    before.remove(tmp_path / "gone.py")
    may_end.set()
    await until_taken_over(session, before)
    assert [path.name for path in session.index.probes()] == ["new.py"]
