"""The language server: waits for `initialize`, then makes a session and registers what that client can use."""

from __future__ import annotations

import contextlib
import logging
import platform
import sys
from collections.abc import Mapping
from typing import Any

import psutil
from cattrs import Converter
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
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
from gradflow_lsp.server.client_log import ClientLog
from gradflow_lsp.server.log import fault, log_file
from gradflow_lsp.server.scanning import scan
from gradflow_lsp.server.session import Session

FEATURES = (diagnostics, hover, code_lens, inlay_hints, code_actions, commands, watching, settings)

log = logging.getLogger(__name__)

_REFUSALS = (lsp.LSPErrorCodes.RequestFailed, lsp.LSPErrorCodes.RequestCancelled, lsp.ErrorCodes.MethodNotFound)
"""Errors that are answers, and no fault of ours."""


class _Protocol(LanguageServerProtocol):
    """The protocol, without copies of the open documents, records of every message ever handled, and tracebacks."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        for method in (lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_CHANGE, lsp.TEXT_DOCUMENT_DID_CLOSE):
            del self.fm.builtin_features[
                method
            ]  # those end lines at form feeds, and change the positions they are given

    def handle_message(self, message: Any) -> None:
        """Handle a message, and let go of those that are done with."""
        if method := getattr(message, "method", None):
            log.debug("received %s", method)
        super().handle_message(message)
        for number in [number for number, future in self._request_futures.items() if future.done()]:
            self._request_futures.pop(number, None)

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if error is not None and error.code == JsonRpcInternalError.CODE:
            error = lsp.ResponseError(code=error.code, message=fault(error.message))
        super()._send_response(msg_id, result, error)


class GradflowServer(LanguageServer):
    """The server of one client; `session` is there once the client has said `initialize`."""

    def __init__(self, flags: Mapping[str, Any] | None = None) -> None:
        super().__init__("gradflow-lsp", __version__, protocol_cls=_Protocol)
        self.session: Session | None = None
        self._client: psutil.Process | None = None
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
            return False
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
        """Make the session; the features of a first `initialize` stay, should there be a second."""
        if self.session is None:
            with contextlib.suppress(psutil.Error):
                self._client = psutil.Process(params.process_id) if params.process_id else None
            self._client_log = ClientLog(self)
            log.info("gradflow-lsp %s, Python %s, log: %s", __version__, platform.python_version(), log_file())
            self.session = Session(self, params, self._flags)
            for feature in FEATURES:
                feature.register(self.session)


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
