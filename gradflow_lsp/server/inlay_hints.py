"""Inlay hints: the verdict or the norm at the end of each line that defines a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate.hints import hints
from gradflow_lsp.annotate.positions import Point
from gradflow_lsp.server import convert

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session


def register(session: Session) -> None:
    """Register the inlay hints."""

    @session.server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hint(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        document = session.documents.get(params.text_document.uri)
        if document is None or document.path is None:
            return []
        pinned = session.board.over(document.path)
        show = session.settings.of(document.path).inlay_hints if pinned else "off"
        first, last = params.range.start.line + 1, params.range.end.line + 1
        lines, encoding = document.lines, session.documents.encoding
        return [
            lsp.InlayHint(
                position=convert.to_position(Point(hint.line, len(lines.line(hint.line))), lines, encoding),
                label=hint.label,
                tooltip=hint.tooltip,
                padding_left=True,
            )
            for hint in hints(pinned, document.path, show)
            if first <= hint.line <= last
        ]
