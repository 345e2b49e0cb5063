"""Quick fixes: what can be done about the findings in a range, as edits that any client can carry out.

They are worked out from the findings that the server itself shows there, stale ones too as long as their expression is
as it was: some clients send no diagnostics with a request, or send them back without what was attached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate.annotations import Annotation
from gradflow_lsp.annotate.edits import Edit
from gradflow_lsp.annotate.positions import Lines, Point
from gradflow_lsp.server import convert, disk
from gradflow_lsp.server.workspace_edits import workspace_edit

if TYPE_CHECKING:
    from gradflow_lsp.annotate.remedies import Remedy
    from gradflow_lsp.server.documents import Document
    from gradflow_lsp.server.session import Session

KIND = lsp.CodeActionKind.QuickFix


def quick_fixes(
    session: Session, document: Document, start: Point, end: Point, *, only_one: bool = False
) -> list[lsp.CodeAction]:
    """Return the quick fixes for what stands between two points of a document; if `only_one`, the best that mends."""
    from gradflow_lsp.annotate.remedies import remedies  # not before something is found

    path = document.path
    if path is None:
        return []
    here = [annotation for annotation in session.annotations(path) if _touches(annotation, start, end)]
    texts: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path not in texts:
            texts[path] = _text(session, path)
        return texts[path]

    found = remedies(session.board.over(path), here, read) if here else []
    if only_one:
        found = [remedy for remedy in found if not remedy.is_mark][:1]
    return [_action(session, remedy, texts[remedy.path] or "") for remedy in found]


def _touches(annotation: Annotation, start: Point, end: Point) -> bool:
    """Tell whether a finding is in a range, or begins on one of its lines: a cursor need not be on the very word."""
    at = annotation.location
    overlaps = (at.line, at.column) <= end and start <= (at.end_line, at.end_column)
    return overlaps or start.line <= at.line <= end.line


def _text(session: Session, path: str) -> str | None:
    """Return a file's text as the client has it or, of a file that is not open, as the disk has it."""
    document = session.documents.at(path)
    if document is not None:
        return document.text
    on_disk = disk.read([path])
    session.found(on_disk)
    return on_disk[path].text


def _action(session: Session, remedy: Remedy, text: str) -> lsp.CodeAction:
    locate, client = session.locate, session.capabilities
    return lsp.CodeAction(
        title=remedy.fix.title,
        kind=KIND,
        diagnostics=[convert.to_diagnostic(annotation, locate, client) for annotation in remedy.about],
        is_preferred=True if remedy.fix.preferred and client.preferred_actions else None,
        edit=_edit(session, remedy, text),
    )


def _edit(session: Session, remedy: Remedy, text: str) -> lsp.WorkspaceEdit:
    edits = [
        Edit(Point(one.span.line, one.span.column), Point(one.span.end_line, one.span.end_column), one.text)
        for one in remedy.fix.replacements
    ]
    changes = convert.to_text_edits(edits, Lines(text), session.documents.encoding)
    return workspace_edit(session, session.documents.uri(remedy.path), changes)
