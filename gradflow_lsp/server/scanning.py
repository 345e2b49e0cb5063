"""Keeps the index of probes: built in the background by reading alone, and fed with the texts of open documents."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from gradflow_lsp.source.index import WorkspaceIndex

if TYPE_CHECKING:
    from gradflow_lsp.server.documents import Document
    from gradflow_lsp.server.session import Session


def scan(session: Session) -> None:
    """Look for probes in all folders, in a thread of its own; the server's loop takes the result over."""
    loop = asyncio.get_running_loop()
    session.scanned = wanted = _wanted(session)
    session.index.told_of.clear()

    def work() -> None:
        index = WorkspaceIndex(*wanted)
        index.scan()
        with contextlib.suppress(RuntimeError):  # the session has ended
            loop.call_soon_threadsafe(_take_over, session, wanted, index)

    threading.Thread(target=work, name="scan", daemon=True).start()


def scan_if_needed(session: Session) -> None:
    """Look for probes again if the settings leave out other files than before."""
    if session.scanned not in (None, _wanted(session)):
        scan(session)


def _wanted(session: Session) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    folders = tuple(session.folders.values())
    globs = [glob for folder in folders for glob in session.settings.of_folder(folder).exclude]
    return folders, tuple(dict.fromkeys(globs))


def _take_over(session: Session, wanted: object, index: WorkspaceIndex) -> None:
    if wanted is session.scanned:  # else another scan is under way
        for path in session.index.told_of:  # the scan may have come by before that happened
            if path.exists():
                index.update(path)
            else:
                index.remove(path)
        session.index = index
        for document in session.documents:
            has_text(session, document)


def has_text(session: Session, document: Document) -> None:
    """Tell the index what an open document has."""
    if document.path:
        session.index.update(Path(document.path), document.text)
