"""Follows what happens to files: opened, typed in, saved, closed, changed by others, moved, deleted.

Keeps the index of probes and the board up to date. Only a save may start a run, as `on_save` has it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate.board import file_key
from gradflow_lsp.server import on_save
from gradflow_lsp.server.disk import read
from gradflow_lsp.server.documents import path_of
from gradflow_lsp.server.scanning import has_text, scan

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session

_WATCHED = ("**/*.py", "**/pyproject.toml", "**/.gitignore")


def register(session: Session) -> None:
    """Register everything that a client tells about files."""
    _register_documents(session)
    _register_files(session)


def _register_documents(session: Session) -> None:
    server = session.server

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        document = session.documents.opened(item.uri, item.version, item.text)
        has_text(session, document)
        if document.path and session.board.over(document.path):
            session.changed({document.path, *session.board.read(document.path, document.text)})
        session.disk.look()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        identifier = params.text_document
        change = session.documents.changed(identifier.uri, identifier.version, params.content_changes)
        if change is not None:
            document, before, edits = change
            has_text(session, document)
            if document.path:
                over = session.board.over(document.path)
                were_stale = [shown.stale for shown in over]
                different = session.board.edited(document.path, edits, before, document.text)
                news = were_stale != [shown.stale for shown in over] or bool(different - {document.path})
                session.changed(different, refresh=news)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path is not None:
            if Path(path).name == "pyproject.toml":
                session.settings_changed()
            document = session.documents.at(path)
            if document is not None:
                session.changed(session.board.read(path, document.text))
            session.forget_lost_probes(path)
            session.disk.look()
            on_save.saved(session, path)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        document = session.documents.closed(params.text_document.uri)
        if document is not None and document.path:
            session.index.update(Path(document.path))
            _look_again(session, document.path)
            session.disk.look()


def _register_files(session: Session) -> None:
    server = session.server

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: lsp.DidChangeWatchedFilesParams) -> None:
        paths = {path for change in params.changes if (path := path_of(change.uri))}
        names = {Path(path).name for path in paths}
        if "pyproject.toml" in names:
            session.settings_changed()
        if ".gitignore" in names:
            scan(session)
        for path in sorted(paths):
            _look_again(session, path)
        session.disk.look()

    @server.feature(lsp.WORKSPACE_DID_CREATE_FILES)
    def did_create_files(params: lsp.CreateFilesParams) -> None:
        _look_again_at(session, [file.uri for file in params.files])
        session.disk.look()

    @server.feature(lsp.WORKSPACE_DID_DELETE_FILES)
    def did_delete_files(params: lsp.DeleteFilesParams) -> None:
        for file in params.files:
            if path := path_of(file.uri):
                _gone(session, path)
        session.disk.look()  # what is being read just now may be older than this

    @server.feature(lsp.WORKSPACE_DID_RENAME_FILES)
    def did_rename_files(params: lsp.RenameFilesParams) -> None:
        for file in params.files:
            if path := path_of(file.old_uri):
                _gone(session, path)
        _look_again_at(session, [file.new_uri for file in params.files])
        session.disk.look()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        for removed in params.event.removed:
            folder = session.folders.pop(removed.uri, None)
            if folder is not None:
                _close_folder(session, folder)
        for added in params.event.added:
            if path := path_of(added.uri):
                session.folders[added.uri] = Path(path)
        session.in_background(session.settings.ask())
        scan(session)


async def watch_files(session: Session) -> None:
    """Ask the client to tell of changes on disk, where it wants to be asked."""
    if session.capabilities.register_watchers:
        watchers = [lsp.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
        await session.register_capability(
            lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, lsp.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        )


def _look_again_at(session: Session, uris: Iterable[str]) -> None:
    for uri in uris:
        if path := path_of(uri):
            _look_again(session, path)


def _look_again(session: Session, path: str) -> None:
    """Take note of what became of a file: on disk, or in a document under another path."""
    document = session.documents.at(path)
    if not Path(path).exists():
        _gone(session, path)
    elif Path(path).is_dir():
        scan(session)
    elif document is not None:
        session.changed(session.board.read(path, document.text))
    else:
        session.index.update(Path(path))
        if session.board.over(path):
            session.found(read([path]))


def _gone(session: Session, path: str) -> None:
    """Forget a file, or a folder with all that is in it."""
    session.index.remove(Path(path))
    lost = {path, *_known_below(session, path)}
    _cancel_in(session, lost)
    session.changed({file for known in lost for file in session.board.forget(known)})


def _close_folder(session: Session, folder: Path) -> None:
    """Let go of a workspace folder: its runs, and the findings of its probes, unless another folder has them too."""
    others = {path for other in session.folders.values() for path in _known_below(session, str(other))}
    inside = _known_below(session, str(folder)) - others
    _cancel_in(session, inside)
    session.changed({file for path in inside for file in session.board.clear(path)})


def _cancel_in(session: Session, paths: Collection[str]) -> None:
    files = {file_key(path) for path in paths}
    session.runs.cancel(run for run in session.runs.all() if file_key(run.request.path) in files)


def _known_below(session: Session, folder: str) -> set[str]:
    """Return the files in a folder that reports and runs have to do with."""
    known = session.board.files() | {run.request.path for run in session.runs.all()}
    beginning = str(Path(file_key(folder), "_"))[:-1]
    return {path for path in known if file_key(path).startswith(beginning)}
