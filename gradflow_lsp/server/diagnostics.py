"""Diagnostics: pulled by clients that can be told to pull again, pushed to all others, and never both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate.board import file_key
from gradflow_lsp.server import convert
from gradflow_lsp.server.documents import path_of

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session


class Versions:
    """How often the diagnostics of each file have changed: the result id of a pull."""

    def __init__(self) -> None:
        self._count = 0
        self._of: dict[str, tuple[str, int]] = {}

    def bump(self, path: str) -> None:
        """Take note that a file's diagnostics are others now."""
        self._count += 1
        self._of[file_key(path)] = path, self._count

    def of(self, path: str) -> str:
        """Return the result id of what a file's diagnostics are now."""
        return str(self._of.get(file_key(path), (path, 0))[1])

    def paths(self) -> list[str]:
        """Return all files that ever had diagnostics."""
        return [path for path, _ in self._of.values()]


def of(session: Session, path: str) -> list[lsp.Diagnostic]:
    """Return the diagnostics of a file."""
    client = session.capabilities
    return [convert.to_diagnostic(annotation, session.locate, client) for annotation in session.annotations(path)]


def show(session: Session, paths: Iterable[str], *, refresh: bool) -> None:
    """Bring the client's diagnostics of some files up to date; without `refresh` it pulls when it wants to."""
    for path in paths:
        if session.capabilities.pull_diagnostics:
            session.versions.bump(path)
        else:
            _publish(session, path)
    if session.capabilities.pull_diagnostics and refresh:
        session.in_background(session.server.workspace_diagnostic_refresh_async(None))


def _publish(session: Session, path: str) -> None:
    """Push a file's diagnostics under each URI that it is open by, and clear those under a URI that is used no more."""
    found, uris, key = of(session, path), session.documents.uris(path), file_key(path)
    for uri in dict.fromkeys([*uris, *session.pushed.get(key, ())]):
        document = session.documents.get(uri)
        session.server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(
                uri=uri,
                version=document.version if document and session.capabilities.diagnostic_version else None,
                diagnostics=found if uri in uris else [],
            )
        )
    session.pushed[key] = uris


def register(session: Session) -> None:
    """Register the requests that pull diagnostics, for clients that do."""
    if not session.capabilities.pull_diagnostics:
        return

    @session.server.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC)
    def document_diagnostic(params: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
        path = path_of(params.text_document.uri)
        if path is None:
            return lsp.RelatedFullDocumentDiagnosticReport(items=[])
        result_id = session.versions.of(path)
        if result_id == params.previous_result_id:
            return lsp.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return lsp.RelatedFullDocumentDiagnosticReport(items=of(session, path), result_id=result_id)

    @session.server.feature(lsp.WORKSPACE_DIAGNOSTIC)
    def workspace_diagnostic(params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
        known = {file_key(path_of(result.uri) or result.uri): result.value for result in params.previous_result_ids}
        return lsp.WorkspaceDiagnosticReport(
            items=[_in_workspace(session, path, known.get(file_key(path))) for path in session.versions.paths()]
        )


def _in_workspace(session: Session, path: str, known: str | None) -> lsp.WorkspaceDocumentDiagnosticReport:
    document = session.documents.at(path)
    uri, version = session.documents.uri(path), document.version if document else None
    result_id = session.versions.of(path)
    if result_id == known:
        return lsp.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, version=version, result_id=result_id)
    return lsp.WorkspaceFullDocumentDiagnosticReport(
        uri=uri, version=version, items=of(session, path), result_id=result_id
    )
