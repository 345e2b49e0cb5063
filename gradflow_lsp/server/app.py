"""The language server: waits for `initialize`, then makes a session and registers what that client can use."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping
from typing import Any

import psutil
from cattrs import Converter
from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from gradflow_lsp import __version__
from gradflow_lsp.server import (
    code_actions,
    code_lens,
    commands,
    diagnostics,
    hover,
    inlay_hints,
    settings,
    watching,
)
from gradflow_lsp.server.scanning import scan
from gradflow_lsp.server.session import Session

FEATURES = (diagnostics, hover, code_lens, inlay_hints, code_actions, commands, watching, settings)

log = logging.getLogger(__name__)


class _Protocol(LanguageServerProtocol):
    """The protocol, without copies of the open documents and without a record of every message ever handled."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        for method in (lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_CHANGE, lsp.TEXT_DOCUMENT_DID_CLOSE):
            del self.fm.builtin_features[
                method
            ]  # those end lines at form feeds, and change the positions they are given

    def handle_message(self, message: Any) -> None:
        """Handle a message, and let go of those that are done with."""
        super().handle_message(message)
        for number in [number for number, future in self._request_futures.items() if future.done()]:
            self._request_futures.pop(number, None)


class GradflowServer(LanguageServer):
    """The server of one client; `session` is there once the client has said `initialize`."""

    def __init__(self, flags: Mapping[str, Any] | None = None) -> None:
        super().__init__("gradflow-lsp", __version__, protocol_cls=_Protocol)
        self.session: Session | None = None
        self._client: psutil.Process | None = None
        self._flags = flags
        _register_lifecycle(self)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what went wrong in the server; a popup would tell its user nothing that helps."""
        log.error("%s", error, exc_info=error)

    def client_is_gone(self) -> bool:
        """Tell whether the client's process, where it named one that can be seen from here, has ended."""
        if self._client is None:
            return False
        try:
            return not self._client.is_running() or self._client.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    async def close(self) -> None:
        """End everything that the session started."""
        if self.session is not None:
            await self.session.close()

    def begin(self, params: lsp.InitializeParams) -> None:
        """Make the session; the features of a first `initialize` stay, should there be a second."""
        if self.session is None:
            with contextlib.suppress(psutil.Error):
                self._client = psutil.Process(params.process_id) if params.process_id else None
            self.session = Session(self, params, self._flags)
            for feature in FEATURES:
                feature.register(self.session)


def _register_lifecycle(server: GradflowServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.begin(params)

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        session = server.session
        if session is not None:
            scan(session)
            session.in_background(session.settings.ask())
            session.in_background(settings.watch_configuration(session))
            session.in_background(watching.watch_files(session))

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(params: None) -> None:
        await server.close()
