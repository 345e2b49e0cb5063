"""Work-done progress of one run: begun, told stage by stage, and always ended.

A client that shows no progress gets a line in its log at the start, and the end as a message where somebody waits for
it. Nothing here is waited for: a client that answers late, or never, delays no run.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session


class RunProgress:
    """What the client sees of a run while it goes on; `on_cancel` is called when its user has had enough."""

    def __init__(self, session: Session, title: str, message: str, on_cancel: Callable[[], object]) -> None:
        self._server = session.server
        self._title, self._message = title, message
        self._on_cancel = on_cancel
        self._begun = self._ended = False
        self._token = str(uuid.uuid4())
        self._shown = session.capabilities.work_done_progress
        if self._shown:
            session.in_background(self._begin())
        else:
            self._log(f"{title}: {message}")

    def stage(self, message: str) -> None:
        """Say what the run is doing now."""
        self._message = message
        if self._begun and not self._ended:
            self._server.work_done_progress.report(self._token, lsp.WorkDoneProgressReport(message=message))

    def end(self, message: str, *, aloud: bool = True) -> None:
        """Say how the run went: `aloud` where its user is to be told, though there is no progress to see."""
        if not self._ended and not self._shown:
            text = f"{self._title}: {message}"
            if aloud:
                self._server.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Info, message=text))
            else:
                self._log(text)
        if self._begun and not self._ended:
            self._server.work_done_progress.end(self._token, lsp.WorkDoneProgressEnd(message=message))
            self._server.work_done_progress.tokens.pop(self._token, None)
        self._ended = True

    async def _begin(self) -> None:
        progress = self._server.work_done_progress
        with contextlib.suppress(Exception):  # a client may refuse, and does without
            await progress.create_async(self._token)
            if self._ended:
                progress.tokens.pop(self._token, None)
                return
            loop = asyncio.get_running_loop()
            progress.tokens[self._token].add_done_callback(
                lambda token: loop.call_soon(self._on_cancel) if token.cancelled() else None
            )
            self._begun = True
            progress.begin(
                self._token, lsp.WorkDoneProgressBegin(title=self._title, message=self._message, cancellable=True)
            )

    def _log(self, message: str) -> None:
        self._server.window_log_message(lsp.LogMessageParams(type=lsp.MessageType.Info, message=message))
