"""Looks at files on disk, in a thread, and has the board compare them with what ran.

Not every client tells of changes that others make, so what the reports depend on is looked at whenever the user turns
to a file: opens, saves or closes one, or has just run one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gradflow_lsp.annotate.board import file_key
from gradflow_lsp.annotate.sources import OnDisk

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session


class Disk:
    """One look at a time; what is asked for meanwhile is looked at in the next."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._again = False
        self._looking: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Have everything that reports depend on, and that no editor holds, compared with what ran."""
        self._again = bool(self._session.board.all())
        if self._again and (self._looking is None or self._looking.done()):
            self._looking = self._session.in_background(self._look())

    async def _look(self) -> None:
        session = self._session
        while self._again:
            self._again = False
            open_files = session.documents.files()
            paths = [path for path in session.board.files() if file_key(path) not in open_files]
            on_disk = await asyncio.to_thread(read, paths)
            if not self._again:  # else something has changed since, and may be told already
                session.found(on_disk)


def read(paths: Iterable[str]) -> dict[str, OnDisk]:
    """Return what is on disk under each path."""
    return {path: OnDisk.of(_bytes(Path(path))) for path in paths}


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except IsADirectoryError:
        return b""
    except OSError:
        return None
