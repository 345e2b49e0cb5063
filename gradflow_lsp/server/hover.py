"""Hover: the card of the layer, the cause or the probe under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate.render import markdown, plain
from gradflow_lsp.server import convert

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session


def register(session: Session) -> None:
    """Register the hover."""

    @session.server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        document = session.documents.get(params.text_document.uri)
        if document is None or document.path is None:
            return None
        encoding = session.documents.encoding
        point = convert.to_point(params.position, document.lines, encoding)
        pinned = session.board.over(document.path)
        if not pinned:
            return None
        from gradflow_lsp.annotate.card import card_at  # not before there is something to show

        card = card_at(pinned, document.outline, document.path, point, session.link)
        if card is None:
            return None
        if session.capabilities.markdown:
            text = markdown(card.blocks, images=session.settings.images)
            contents = lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=text)
        else:
            contents = lsp.MarkupContent(kind=lsp.MarkupKind.PlainText, value=plain(card.blocks))
        return lsp.Hover(contents=contents, range=convert.to_range(card.at, document.lines, encoding))
