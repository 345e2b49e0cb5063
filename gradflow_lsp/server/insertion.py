"""The edit that writes a probe into a document, in the form that the client can apply.

Working one out can take a second for an intricate class, so it is done in a thread, one at a time, and remembered.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate.edits import Edit, edits_between
from gradflow_lsp.server import convert
from gradflow_lsp.server.workspace_edits import workspace_edit
from gradflow_lsp.source.stub import write_probe

if TYPE_CHECKING:
    from gradflow_lsp.server.documents import Document
    from gradflow_lsp.server.session import Session


async def insertion(session: Session, document: Document, class_name: str) -> lsp.WorkspaceEdit:
    """Return the edit that writes a probe for a class of a document."""
    async with session.writing:  # whoever is cancelled while it waits costs nothing
        edits = await asyncio.to_thread(_edits, document.text, class_name, document.path)
    changes = convert.to_text_edits(edits, document.lines, session.documents.encoding)
    return workspace_edit(session, document.uri, changes)


@lru_cache(maxsize=16)
def _edits(text: str, class_name: str, path: str | None) -> tuple[Edit, ...]:
    stub = write_probe(text, class_name, path=Path(path) if path else None)
    return tuple(edits_between(text, stub.apply(text)))
