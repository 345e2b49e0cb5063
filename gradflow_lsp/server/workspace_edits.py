"""Edits of one file, in the form that the client can carry out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session


def workspace_edit(session: Session, uri: str, edits: list[lsp.TextEdit]) -> lsp.WorkspaceEdit:
    """Return an edit of one file, tied to its version where it is open and the client understands that."""
    document = session.documents.get(uri)
    if not session.capabilities.document_changes:
        return lsp.WorkspaceEdit(changes={uri: edits})
    identifier = lsp.OptionalVersionedTextDocumentIdentifier(uri=uri, version=document.version if document else None)
    return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(text_document=identifier, edits=[*edits])])
