"""What the client hears of our records: the output channel, and the trace where that is on.

Errors, warnings and information are for the channel, as one line each, and so is what a run printed; steps on the way
(debug) are for the trace.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from gradflow_lsp.runs.printed import PRINTS
from gradflow_lsp.server.log import OURS, log_file, one_line

if TYPE_CHECKING:
    from gradflow_lsp.server.app import GradflowServer


class ClientLog(logging.Handler):
    """Sends our records to the client, from whatever thread they come. Made where the server's loop runs."""

    def __init__(self, server: GradflowServer) -> None:
        super().__init__(logging.DEBUG)
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._verbose = False
        self.addFilter(logging.Filter(OURS))
        logging.getLogger().addHandler(self)  # behind the file's, which has a record before the client asks for it

    def trace(self, value: lsp.TraceValue | None) -> None:
        """Trace as the client asks for: not at all, each step, or each step with its details."""
        self._verbose = value == lsp.TraceValue.Verbose
        off = value in (None, lsp.TraceValue.Off)
        logging.getLogger(OURS).setLevel(logging.INFO if off else logging.DEBUG)

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record to the channel, or to the trace; its `detail` only where that is verbose."""
        if record.levelno >= logging.INFO:
            self._send(self._server.window_log_message, lsp.LogMessageParams(type=_kind(record), message=_line(record)))
        else:
            detail = getattr(record, "detail", None) if self._verbose else None
            self._send(self._server.log_trace, lsp.LogTraceParams(message=record.getMessage(), verbose=detail))

    def close(self) -> None:
        """Send nothing any more."""
        logging.getLogger().removeHandler(self)
        super().close()

    def _send(self, send: Callable[..., Any], params: Any) -> None:
        with contextlib.suppress(Exception):  # the client is gone; a record about that would be the next to fail
            if threading.get_ident() == self._thread:
                send(params)
            else:
                self._loop.call_soon_threadsafe(send, params)


def _kind(record: logging.LogRecord) -> lsp.MessageType:
    if record.levelno >= logging.ERROR:
        return lsp.MessageType.Error
    return lsp.MessageType.Warning if record.levelno >= logging.WARNING else lsp.MessageType.Info


def _line(record: logging.LogRecord) -> str:
    if record.name == PRINTS:
        return record.getMessage()
    error = record.exc_info[1] if record.exc_info else None
    why = f" ({one_line(f'{type(error).__name__}: {error}')}). The log says more: {log_file()}" if error else ""
    return one_line(record.getMessage()) + why
