"""The state of one client's session, and what all features do with it: read it, change it, say what looks different."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Coroutine, Iterable, Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lsprotocol import types as lsp

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.annotations import Annotation
from gradflow_lsp.annotate.board import Board, Shown, file_key
from gradflow_lsp.annotate.positions import Lines
from gradflow_lsp.annotate.render import Link
from gradflow_lsp.annotate.sources import OnDisk, texts_that_ran
from gradflow_lsp.output.relative import shown_path
from gradflow_lsp.probe.protocol import RunRequest
from gradflow_lsp.probe.report import Location, ProbeReport
from gradflow_lsp.server import convert, diagnostics, disk
from gradflow_lsp.server.capabilities import Capabilities
from gradflow_lsp.server.documents import Documents, path_of
from gradflow_lsp.server.insertion import Insertions
from gradflow_lsp.server.runs import Runs
from gradflow_lsp.server.scanning import scan_if_needed
from gradflow_lsp.server.settings import FolderSettings
from gradflow_lsp.source.folders import read_source
from gradflow_lsp.source.index import WorkspaceIndex
from gradflow_lsp.source.outline import ProbeSite, outline

if TYPE_CHECKING:
    from gradflow_lsp.server.app import GradflowServer

_OF_THE_INTERPRETER = ("no-interpreter", "no-torch", "launcher-failed")


class Session:
    """Everything that is known between `initialize` and the end."""

    def __init__(self, server: GradflowServer, params: lsp.InitializeParams, flags: Mapping[str, Any] | None) -> None:
        self.server = server
        self.log = logging.getLogger("gradflow_lsp.server")
        self.capabilities = Capabilities.of(params.capabilities)
        self.folders = _folders(params)
        self.documents = Documents(self.capabilities.position_encoding)
        self.board = Board()
        self.index = WorkspaceIndex([])
        self.scanned: object = None
        """What the index was last built of: the folders and what they leave out."""
        self.settings = FolderSettings(self, params.initialization_options, flags)
        self.runs = Runs(self)
        self.disk = disk.Disk(self)
        self.versions = diagnostics.Versions()
        self.insertions = Insertions(self)
        self.pushed: dict[str, list[str]] = {}
        """The URIs under which the diagnostics of each file were last pushed, by the file's key."""
        self._tasks: set[asyncio.Task[Any]] = set()

    # What belongs to which folder

    def folder_of(self, path: str) -> Path:
        """Return the workspace folder that a file lies in; outside of all of them, its project's own."""
        holding = [folder for folder in self.folders.values() if folder in Path(path).parents]
        from gradflow_lsp.check import workspace_of  # not before it is asked for: a client waits for the start

        return max(holding, key=lambda folder: len(folder.parts), default=None) or workspace_of(Path(path))

    def roots_of(self, path: str) -> list[Path]:
        """Return the folders whose files count as the user's own when a probe in this file runs."""
        return list(dict.fromkeys([self.folder_of(path), *self.folders.values()]))

    def probes_in(self, path: str) -> tuple[ProbeSite, ...]:
        """Return the probes of a file, as the client has it if it is open there; also of one that no scan has found."""
        document = self.documents.at(path)
        if document is not None:
            return document.outline.probes
        return self.index.probes_in(Path(path)) or outline(_read(path) or "").probes

    # What stands on the lines

    def annotations(self, path: str) -> list[Annotation]:
        """Return what stands in a file."""
        return self.board.annotations(path, self.settings.of(path).severity)

    def lines(self, path: str) -> Lines:
        """Return the text that positions in a file are to be counted in."""
        document = self.documents.at(path)
        if document is not None:
            return document.lines
        text = self.board.text(path)
        return _split(text if text is not None else _read(path) or "")

    def locate(self, location: Location) -> lsp.Location:
        """Return a place as the client names and counts it."""
        lines = self.lines(location.path)
        return lsp.Location(
            self.documents.uri(location.path), convert.to_range(location, lines, self.documents.encoding)
        )

    def link(self, location: Location, seen_from: str) -> Link:
        """Return a link that opens a place from a card in the file `seen_from`."""
        return Link(words.place(location, seen_from), f"{self.documents.uri(location.path)}#L{location.line}")

    def link_from_page(self, location: Location, seen_from: str) -> Link | str:
        """Return a link that opens a place from a page in `scratch`, and names it for whoever cannot follow that.

        Its address is relative: VS Code follows no other from a page.
        """
        text = f"{shown_path(location.path, self.folder_of(location.path))}:{location.line}"
        try:
            address = Path(os.path.relpath(location.path, self.scratch)).as_posix()
        except ValueError:  # on another drive
            return text
        return Link(text, f"{quote(address)}#L{location.line}")

    async def show(self, report: ProbeReport, request: RunRequest) -> Shown:
        """Pin the report of a run, and compare what it read with what is there by now."""
        ran_at = datetime.now()
        pinned = Shown(report, ran_at)
        in_editor = {file_key(path): text for path, text in request.overlays.items()}
        overlays = {path: in_editor[file_key(path)] for path in pinned.read() if file_key(path) in in_editor}

        def look() -> tuple[dict[str, OnDisk], dict[str, str]]:
            on_disk = disk.read(pinned.files())
            return on_disk, texts_that_ran(pinned.read(), overlays, on_disk)

        on_disk, texts = await asyncio.to_thread(look)
        different = self.board.show(report, texts, ran_at)
        for document in self.documents:
            path = document.path
            if path and pinned.depends_on(path) and self.documents.at(path) is document:
                different |= self.board.read(path, document.text)
        self.changed(different)
        self.found(on_disk)
        self.disk.look()
        return self.board.of(report.path, report.function) or pinned

    def found(self, on_disk: Mapping[str, OnDisk]) -> None:
        """Compare what is on disk with what ran, for files that are not open."""
        different: set[str] = set()
        open_files = self.documents.files()
        for path, file in on_disk.items():
            if file_key(path) not in open_files:
                different |= self.board.found(path, file)
        self.changed(different)
        for path in different:
            self.forget_lost_probes(path)

    def forget_lost_probes(self, path: str) -> None:
        """Drop the reports of probes that a file has no more; a text that does not parse may still have them."""
        for shown in self.board.over(path):
            function = shown.report.function
            definition = re.compile(rf"^def\s+{re.escape(function)}\b", re.MULTILINE)
            if file_key(shown.report.path) == file_key(path) and not definition.search(self.lines(path).text):
                self.changed(self.board.clear(path, function))

    def forget_launch_failures(self, folder: Path) -> None:
        """Drop what is said of an interpreter on the probes of a folder, for another one is in force there."""
        for shown in self.board.all():
            report = shown.report
            if report.error and report.error.kind in _OF_THE_INTERPRETER and self.folder_of(report.path) == folder:
                self.changed(self.board.clear(report.path, report.function))

    def changed(self, paths: Iterable[str], *, refresh: bool = True) -> None:
        """Show anew what stands in these files; without `refresh` only what the client would not ask for by itself."""
        paths = list(paths)
        if paths:
            diagnostics.show(self, paths, refresh=refresh)
        if paths and refresh:
            self.lenses_changed()
            if self.capabilities.hint_refresh:
                self.in_background(self.server.workspace_inlay_hint_refresh_async(None))

    def lenses_changed(self) -> None:
        """Have the client ask for its lenses again, where it can be told to."""
        if self.capabilities.lens_refresh:
            self.in_background(self.server.workspace_code_lens_refresh_async(None))

    def settings_changed(self) -> None:
        """Show everything as the settings have it now."""
        self.settings.reread()
        for folder in self.folders.values():
            self.settings.of_folder(folder)
        scan_if_needed(self)
        self.runs.settings_changed()
        self.changed({path for shown in self.board.all() for path in shown.paths()})

    # What goes on beside

    def in_background(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start work that nobody waits for; what goes wrong in it is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._settled)
        return task

    def _settled(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self.log.error("work in the background failed", exc_info=error)

    async def register_capability(self, method: str, options: Any) -> None:
        """Ask the client to send notifications that it sends only when asked."""
        registration = lsp.Registration(id=f"gradflow {method}", method=method, register_options=options)
        await self.server.client_register_capability_async(lsp.RegistrationParams([registration]))

    def tell(self, message: str, kind: lsp.MessageType = lsp.MessageType.Info) -> None:
        """Show the user a sentence."""
        self.server.window_show_message(lsp.ShowMessageParams(type=kind, message=message))

    @cached_property
    def scratch(self) -> Path:
        """A folder for pages to show, gone when the session ends."""
        return Path(tempfile.mkdtemp(prefix="gradflow-"))

    async def close(self) -> None:
        """End everything that was started; nothing of the session outlives this."""
        await self.runs.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if "scratch" in self.__dict__:
            shutil.rmtree(self.scratch, ignore_errors=True)


def _folders(params: lsp.InitializeParams) -> dict[str, Path]:
    """Return the workspace folders by their URI; a client may send one root, or none at all."""
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    if not uris and params.root_path and Path(params.root_path).is_absolute():
        uris = [Path(params.root_path).as_uri()]
    return {uri: Path(path) for uri in uris if (path := path_of(uri))}


@lru_cache(maxsize=16)
def _split(text: str) -> Lines:
    return Lines(text)


def _read(path: str) -> str | None:
    try:
        return read_source(Path(path))
    except OSError:
        return None
