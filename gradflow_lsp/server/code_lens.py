"""Code lenses over probes and over model classes without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate.lenses import Lens, lenses
from gradflow_lsp.server import convert
from gradflow_lsp.server.offers import PREFIX

if TYPE_CHECKING:
    from gradflow_lsp.server.documents import Document
    from gradflow_lsp.server.session import Session


def register(session: Session) -> None:
    """Register the code lenses."""

    @session.server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        document = session.documents.get(params.text_document.uri)
        if document is None:
            return []
        path = document.path or document.uri
        found = lenses(
            document.outline,
            lambda function: session.runs.stage(path, function),
            lambda function: session.board.of(path, function),
        )
        return [_to_code_lens(session, document, lens) for lens in found]


def _to_code_lens(session: Session, document: Document, lens: Lens) -> lsp.CodeLens:
    subject = "class" if lens.action == "insertProbe" else "function"
    return lsp.CodeLens(
        range=convert.to_range(lens.at, document.lines, session.documents.encoding),
        command=lsp.Command(
            title=lens.title,
            command=PREFIX + lens.action,
            arguments=[{"uri": document.uri, subject: lens.subject}],
        ),
    )
