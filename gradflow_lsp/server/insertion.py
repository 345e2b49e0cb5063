"""Inserting a probe: written in a thread, tried in a process of its own where the user asked for it, then applied.

What is applied is exactly what was tried: where the document has changed meanwhile, nothing is.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from gradflow_lsp.annotate import activity
from gradflow_lsp.annotate.board import file_key
from gradflow_lsp.annotate.edits import edits_between
from gradflow_lsp.probe.report import ProbeReport
from gradflow_lsp.server import convert
from gradflow_lsp.server.documents import Document
from gradflow_lsp.server.progress import RunProgress
from gradflow_lsp.source.outline import outline

if TYPE_CHECKING:
    from gradflow_lsp.runs.verified_stub import Trial
    from gradflow_lsp.server.session import Session
    from gradflow_lsp.source.stub import ProbeStub


class Insertions:
    """The probes that are being written, at most one a document."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._going: dict[str, asyncio.Task[None]] = {}
        self._writing = asyncio.Lock()

    async def preview(self, document: Document, class_name: str) -> lsp.WorkspaceEdit:
        """Return the edit that writes a probe for a class of a document; nothing is run."""
        return self._edit(document, await self._write(document, class_name))

    def start(self, document: Document, class_name: str, *, verify: bool) -> None:
        """Begin to write a probe, in place of one that is still being written for the document.

        With `verify` it is run before it is applied, and mended by its errors.
        """
        self.cancel(document.path, document.uri)
        task = self._session.in_background(self._insert(document, class_name, verify))
        self._going[document.uri] = task
        task.add_done_callback(lambda task: self._forget(document.uri, task))

    def cancel(self, path: str | None, uri: str | None = None) -> None:
        """Insert nothing of what is still being written for a file, or for any."""
        for going, task in list(self._going.items()):
            document = self._session.documents.get(going)
            is_meant = uri == going or (path is None and uri is None)
            if is_meant or (path and document and document.path and file_key(document.path) == file_key(path)):
                task.cancel()

    def _forget(self, uri: str, task: asyncio.Task[None]) -> None:
        if self._going.get(uri) is task:
            del self._going[uri]

    async def _insert(self, document: Document, class_name: str, verify: bool) -> None:
        task = asyncio.current_task()
        assert task is not None
        progress = RunProgress(self._session, activity.probe_for(class_name), activity.WRITING, task.cancel)
        outcome = activity.NOT_INSERTED
        try:
            stub = await self._write(document, class_name)
            trial = await self._try(document, document.path, stub, progress) if verify and document.path else None
            if await self._apply(document, trial.stub if trial else stub, class_name):
                why = activity.RUNS_NOTHING if document.path else activity.NOT_IN_A_FILE
                outcome = self._tell(class_name, trial, why)
        finally:
            progress.end(outcome)

    async def _write(self, document: Document, class_name: str) -> ProbeStub:
        async with self._writing:  # whoever is cancelled while it waits costs nothing
            return await asyncio.to_thread(_written, document.text, class_name, document.path)

    async def _try(self, document: Document, path: str, stub: ProbeStub, progress: RunProgress) -> Trial:
        from gradflow_lsp.runs.verified_stub import verified  # not before it is asked for, as with all of the writer

        runs = self._session.runs

        async def run(candidate: ProbeStub) -> ProbeReport:
            text = candidate.apply(document.text)
            [line] = [site.name_span.line for site in outline(text).probes if site.function == candidate.function]
            asked = runs.request(path, candidate.function, line)
            request = replace(asked, overlays={**asked.overlays, path: text}, explain=False)
            return await runs.report(request, lambda stage: None)

        return await verified(stub, run, on_trial=lambda number: progress.stage(activity.trying(number)))

    async def _apply(self, document: Document, stub: ProbeStub, class_name: str) -> bool:
        """Have the client apply a probe to the text that it was written for; tell the user where that cannot be."""
        session = self._session
        if session.documents.get(document.uri) is not document:
            session.tell(activity.EDITED_MEANWHILE)
            return False
        params = lsp.ApplyWorkspaceEditParams(edit=self._edit(document, stub), label=activity.insert_probe(class_name))
        if not (await session.server.workspace_apply_edit_async(params)).applied:
            session.tell(activity.REFUSED)
            return False
        return True

    def _tell(self, class_name: str, trial: Trial | None, why: str) -> str:
        """Return the outcome in a few words; where the probe is not known to run, tell the user so in a sentence."""
        if trial is not None and trial.runs:
            return activity.reaches(*trial.reached)
        tell = activity.inserted_failing if trial and trial.is_tried else activity.inserted_untried
        self._session.tell(tell(class_name, (trial and trial.reason) or why), lsp.MessageType.Warning)
        return activity.INSERTED

    def _edit(self, document: Document, stub: ProbeStub) -> lsp.WorkspaceEdit:
        """Return the edit that inserts a probe, tied to the document's version where the client understands that."""
        capabilities = self._session.capabilities
        changes = edits_between(document.text, stub.apply(document.text))
        edits = convert.to_text_edits(changes, document.lines, self._session.documents.encoding)
        if not capabilities.document_changes:
            return lsp.WorkspaceEdit(changes={document.uri: edits})
        with_stops = (
            _as_snippet(edit) if capabilities.snippet_edits and stub.function in edit.new_text else edit
            for edit in edits
        )
        identifier = lsp.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
        return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(text_document=identifier, edits=[*with_stops])])


@lru_cache(maxsize=16)
def _written(text: str, class_name: str, path: str | None) -> ProbeStub:
    from gradflow_lsp.source.stub import write_probe

    return write_probe(text, class_name, path=Path(path) if path else None)


def _as_snippet(edit: lsp.TextEdit) -> lsp.SnippetTextEdit:
    from gradflow_lsp.source.stub_snippet import snippet_of

    return lsp.SnippetTextEdit(range=edit.range, snippet=lsp.StringValue(snippet_of(edit.new_text)))
