"""The language server: answers `initialize` at once, and opens the session behind that answer."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from gradflow_lsp import __version__
from gradflow_lsp.server.capabilities import Capabilities
from gradflow_lsp.server.log import log_file
from gradflow_lsp.server.offers import offers
from gradflow_lsp.server.protocol import Protocol

if TYPE_CHECKING:
    import psutil

    from gradflow_lsp.server.client_log import ClientLog
    from gradflow_lsp.server.session import Session

log = logging.getLogger(__name__)

_REFUSALS = (lsp.LSPErrorCodes.RequestFailed, lsp.LSPErrorCodes.RequestCancelled, lsp.ErrorCodes.MethodNotFound)
"""Errors that are answers, and no fault of ours."""


class GradflowServer(LanguageServer):
    """The server of one client."""

    protocol: Protocol

    def __init__(self, flags: Mapping[str, Any] | None = None) -> None:
        super().__init__("gradflow-lsp", __version__, protocol_cls=Protocol)
        self._flags = flags
        self._initialize: lsp.InitializeParams | None = None
        self._session: Session | None = None
        self._client: psutil.Process | None = None
        self._client_was_there = False
        self._client_log: ClientLog | None = None
        _register_lifecycle(self)

    @property
    def has_begun(self) -> bool:
        """Whether the client has said `initialize`."""
        return self._initialize is not None

    @property
    def session(self) -> Session | None:
        """The session with the client, `None` until that has said `initialize`; opened when it is first asked for."""
        if self._session is None and self._initialize is not None:
            from gradflow_lsp.server.client_log import ClientLog
            from gradflow_lsp.server.features import open_session  # not before `initialize` is answered

            self._session = open_session(self, self._initialize, self._flags)
            self._client_log = ClientLog(self)
        return self._session

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
        if self._session is not None:
            await self._session.close()
        if self._client_log is not None:
            self._client_log.close()

    def begin(self, params: lsp.InitializeParams) -> lsp.InitializeResult:
        """Return what is offered to a client. The session is opened as soon as that is on its way."""
        offered = offers(Capabilities.of(params.capabilities))
        self._initialize = params
        client = params.process_id
        self._client_was_there = client is not None and Path("/proc", str(client)).exists()
        asyncio.get_running_loop().call_soon(self._begun, client)
        return lsp.InitializeResult(offered, lsp.ServerInfo(self.name, self.version))

    def _begun(self, client: int | None) -> None:
        """Do what can wait until `initialize` is answered."""
        gc.enable()
        assert self.session is not None
        gc.freeze()  # the features are there to stay as well
        if client:
            import psutil

            with contextlib.suppress(psutil.Error):
                self._client = psutil.Process(client)
        python = sys.version.partition(" ")[0]
        log.info("gradflow-lsp %s, Python %s, log: %s", self.version, python, log_file())


def _register_lifecycle(server: GradflowServer) -> None:
    asked_for: lsp.TraceValue | None = None

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> lsp.InitializeResult:
        nonlocal asked_for
        asked_for = params.trace
        return server.begin(params)

    @server.feature(lsp.SET_TRACE)
    def set_trace(params: lsp.SetTraceParams) -> None:
        server.trace(params.value)

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        server.trace(asked_for)  # not before: a trace has to wait until `initialize` is answered
        if server.session is not None:
            from gradflow_lsp.server.features import begin

            begin(server.session)

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(params: None) -> None:
        await server.close()
