"""Follows what happens to files: opened, typed in, saved, closed, changed by others, moved, deleted.

Keeps the index of probes and the board up to date. Only a save may start a run, and only where the user has switched
that on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate.board import file_key
from gradflow_lsp.server.documents import path_of
from gradflow_lsp.server.scanning import has_text, scan
from gradflow_lsp.server.session import digest
from gradflow_lsp.source.folders import read_source

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

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        identifier = params.text_document
        changed = session.documents.changed(identifier.uri, identifier.version, params.content_changes)
        if changed is not None:
            document, edits = changed
            has_text(session, document)
            if document.path:
                was_fresh = any(not shown.stale for shown in session.board.over(document.path))
                different = session.board.edited(document.path, edits, document.text)
                session.changed(different, refresh=was_fresh or different != {document.path})

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path is not None:
            if Path(path).name == "pyproject.toml":
                session.settings_changed()
            _forget_lost_probes(session, path)
            _run_after_save(session, path)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        document = session.documents.closed(params.text_document.uri)
        if document is not None and document.path:
            session.index.update(Path(document.path))
            _changed_on_disk(session, document.path)


def _register_files(session: Session) -> None:
    server = session.server
    every_file = lsp.FileOperationRegistrationOptions(
        filters=[lsp.FileOperationFilter(scheme="file", pattern=lsp.FileOperationPattern(glob="**"))]
    )

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: lsp.DidChangeWatchedFilesParams) -> None:
        paths = {path for change in params.changes if (path := path_of(change.uri))}
        names = {Path(path).name for path in paths}
        if "pyproject.toml" in names:
            session.settings_changed()
        if ".gitignore" in names:
            scan(session)
        for path in sorted(paths):
            if session.documents.at(path) is None or not Path(path).exists():
                _look_again(session, path)

    @server.feature(lsp.WORKSPACE_DID_CREATE_FILES, every_file)
    def did_create_files(params: lsp.CreateFilesParams) -> None:
        _look_again_at(session, [file.uri for file in params.files])

    @server.feature(lsp.WORKSPACE_DID_DELETE_FILES, every_file)
    def did_delete_files(params: lsp.DeleteFilesParams) -> None:
        for file in params.files:
            if path := path_of(file.uri):
                _gone(session, path)

    @server.feature(lsp.WORKSPACE_DID_RENAME_FILES, every_file)
    def did_rename_files(params: lsp.RenameFilesParams) -> None:
        for file in params.files:
            if path := path_of(file.old_uri):
                _gone(session, path)
        _look_again_at(session, [file.new_uri for file in params.files])

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


def _run_after_save(session: Session, path: str) -> None:
    if session.settings.of(path).run != "onSave":
        return
    probes = {(path, probe.function) for probe in session.probes_in(path)}
    probes |= {(shown.report.path, shown.report.function) for shown in session.board.over(path)}
    for file, function in sorted(probes):
        for probe in session.probes_in(file):
            if probe.function == function:
                session.runs.start(file, probe)


def _forget_lost_probes(session: Session, path: str) -> None:
    """Drop the reports of probes that a saved file has no more; a text that does not parse may still have them."""
    document = session.documents.at(path)
    for shown in session.board.over(path) if document else ():
        function = shown.report.function
        is_there = re.search(rf"^def\s+{re.escape(function)}\b", document.text if document else "", re.MULTILINE)
        if file_key(shown.report.path) == file_key(path) and not is_there:
            session.changed(session.board.clear(path, function))


def _look_again_at(session: Session, uris: Iterable[str]) -> None:
    for uri in uris:
        if path := path_of(uri):
            _look_again(session, path)


def _look_again(session: Session, path: str) -> None:
    """Take note of what became of a file on disk."""
    if not Path(path).exists():
        _gone(session, path)
    elif Path(path).is_dir():
        scan(session)
    elif session.documents.at(path) is None:
        session.index.update(Path(path))
        _changed_on_disk(session, path)


def _changed_on_disk(session: Session, path: str) -> None:
    """Move what lies in a file by what others did to it, or at least mark it stale."""
    over = session.board.over(path)
    if not over:
        return
    if not Path(path).exists():
        _gone(session, path)
        return
    different = {path}
    if session.board.text(path) is not None:
        different |= session.board.read(path, read_source(Path(path)))
    now = digest(path)
    key = file_key(path)
    if any(file_key(source) == key and sha != now for shown in over for source, sha in shown.report.sources.items()):
        different |= session.board.outdated(path)
    session.changed(different)


def _gone(session: Session, path: str) -> None:
    """Forget a file, or a folder with all that is in it."""
    session.index.remove(Path(path))
    lost = [known for known in _known_paths(session) if known == path or Path(path) in Path(known).parents]
    session.runs.cancel(run for run in session.runs.all() if run.request.path in {path, *lost})
    session.changed({file for known in {path, *lost} for file in session.board.forget(known)})


def _close_folder(session: Session, folder: Path) -> None:
    """Let go of a workspace folder: its runs, and the findings of its probes."""
    inside = [path for path in _known_paths(session) if folder in Path(path).parents]
    session.runs.cancel(run for run in session.runs.all() if run.request.path in inside)
    session.changed({file for path in inside for file in session.board.clear(path)})


def _known_paths(session: Session) -> Sequence[str]:
    shown = {path for shown in session.board.all() for path in (shown.report.path, *shown.paths())}
    return sorted(shown | {run.request.path for run in session.runs.all()})
