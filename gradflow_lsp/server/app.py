"""The language server: waits for `initialize`, then makes a session and registers what that client can use."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

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
from gradflow_lsp.server.client_log import ClientLog
from gradflow_lsp.server.log import log_file
from gradflow_lsp.server.protocol import Protocol
from gradflow_lsp.server.scanning import scan
from gradflow_lsp.server.session import Session

if TYPE_CHECKING:
    import psutil

FEATURES = (diagnostics, hover, code_lens, inlay_hints, code_actions, commands, watching, settings)

log = logging.getLogger(__name__)

_REFUSALS = (lsp.LSPErrorCodes.RequestFailed, lsp.LSPErrorCodes.RequestCancelled, lsp.ErrorCodes.MethodNotFound)
"""Errors that are answers, and no fault of ours."""


class GradflowServer(LanguageServer):
    """The server of one client; `session` is there once the client has said `initialize`."""

    protocol: Protocol

    def __init__(self, flags: Mapping[str, Any] | None = None) -> None:
        super().__init__("gradflow-lsp", __version__, protocol_cls=Protocol)
        self.session: Session | None = None
        self._client: psutil.Process | None = None
        self._client_was_there = False
        self._client_log: ClientLog | None = None
        self._flags = flags
        _register_lifecycle(self)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what went wrong in the server; a popup would tell its user nothing that helps."""
        if isinstance(error, JsonRpcException) and error.code in _REFUSALS:
            log.debug("refused: %s", error)  # with a sentence that was for the client
        else:
            log.error("a message could not be handled", exc_info=sys.exc_info()[1] or error)

    def trace(self, value: lsp.TraceValue | None) -> None:
        """Trace as the client asks for."""
        if self._client_log is not None:
            self._client_log.trace(value)

    def client_is_gone(self) -> bool:
        """Tell whether the client's process, where it named one that can be seen from here, has ended."""
        if self._client is None:
            return self._client_was_there  # and had ended before it could be looked at
        import psutil

        try:
            return not self._client.is_running() or self._client.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    async def close(self) -> None:
        """End everything that the session started."""
        if self.session is not None:
            await self.session.close()
        if self._client_log is not None:
            self._client_log.close()

    def begin(self, params: lsp.InitializeParams) -> None:
        """Make the session, and register what this client can use."""
        self._client_log = ClientLog(self)
        self.session = Session(self, params, self._flags)
        for feature in FEATURES:
            feature.register(self.session)
        client = params.process_id
        self._client_was_there = client is not None and Path("/proc", str(client)).exists()
        asyncio.get_running_loop().call_soon(self._begun, client)

    def _begun(self, client: int | None) -> None:
        """Do what can wait until `initialize` is answered."""
        gc.enable()
        if client:
            import psutil

            with contextlib.suppress(psutil.Error):
                self._client = psutil.Process(client)
        log.info("gradflow-lsp %s, Python %s, log: %s", __version__, platform.python_version(), log_file())


def _register_lifecycle(server: GradflowServer) -> None:
    asked_for: lsp.TraceValue | None = None

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        nonlocal asked_for
        asked_for = params.trace
        server.begin(params)

    @server.feature(lsp.SET_TRACE)
    def set_trace(params: lsp.SetTraceParams) -> None:
        server.trace(params.value)

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        session = server.session
        server.trace(asked_for)  # not before: a trace has to wait until `initialize` is answered
        if session is not None:
            scan(session)
            session.in_background(session.settings.ask())
            session.in_background(settings.watch_configuration(session))
            session.in_background(watching.watch_files(session))

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(params: None) -> None:
        await server.close()
