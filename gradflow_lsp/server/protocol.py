"""The protocol as the specification has it, where pygls is laxer: every request is answered, once and in its turn.

A request before `initialize`, after `shutdown`, or with parameters that do not fit gets an error and reaches no
feature. A notification at such a time is passed over.
"""

from __future__ import annotations

import contextvars
import json
import logging
from typing import TYPE_CHECKING, Any, TypeGuard

from cattrs import BaseValidationError, Converter, transform_error
from lsprotocol import types as lsp
from pygls.protocol import LanguageServerProtocol

from gradflow_lsp.server.log import fault

if TYPE_CHECKING:
    from gradflow_lsp.server.app import GradflowServer

log = logging.getLogger(__name__)

_OF_PYGLS_ALONE = (
    *(lsp.INITIALIZE, lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS),
    *(lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_CHANGE, lsp.TEXT_DOCUMENT_DID_CLOSE),
    *(lsp.NOTEBOOK_DOCUMENT_DID_OPEN, lsp.NOTEBOOK_DOCUMENT_DID_CHANGE, lsp.NOTEBOOK_DOCUMENT_DID_CLOSE),
)
"""What pygls keeps a workspace with: its documents end lines at form feeds, and change the positions they are given."""


class Protocol(LanguageServerProtocol):
    """One client's conversation."""

    _server: GradflowServer

    def __init__(self, server: GradflowServer, converter: Converter) -> None:
        super().__init__(server, converter)
        for method in _OF_PYGLS_ALONE:
            del self.fm.builtin_features[method]

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave it as it is: this is called for every object in a message, and only the whole has a type."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle one message as it was parsed, and let go of the requests that are done with."""
        if isinstance(message, dict) and (method := message.get("method")):
            log.debug("received %s", method)
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            self._refuse(None, lsp.ErrorCodes.InvalidRequest, "This is no JSON-RPC 2.0 message.")
        elif "method" not in message:
            self._take_answer(message)
        elif not isinstance(message["method"], str) or ("id" in message and not _is_id(message["id"])):
            self._refuse(None, lsp.ErrorCodes.InvalidRequest, "A method is a string, an id a string or an integer.")
        elif "id" in message:
            self._take_request(message["id"], message["method"], message)
        else:
            self._take_notification(message["method"], message)
        for number in [number for number, future in self._request_futures.items() if future.done()]:
            self._request_futures.pop(number, None)

    def read(self, body: bytes) -> None:
        """Handle one message as it was sent. What is wrong with it is answered or logged."""
        try:
            self.handle_message(json.loads(body))
        except Exception as error:
            self.unreadable(error, None)

    def unreadable(self, error: Exception, source: Any) -> None:
        """Say that what was sent is no JSON; anything else that went wrong while it was handled is logged."""
        if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
            self._refuse(None, lsp.ErrorCodes.ParseError, f"This is no JSON: {error}")
        else:
            self._server.report_server_error(error, source)

    def _take_request(self, number: int | str, method: str, message: dict[str, Any]) -> None:
        try:
            begun = self._server.session is not None  # it is opened here at the latest
        except Exception as error:
            self._refuse(number, lsp.ErrorCodes.InternalError, fault(error))
            self._server.report_server_error(error, None)
            return
        if self._shutdown:
            self._refuse(number, lsp.ErrorCodes.InvalidRequest, "The server is shutting down.")
        elif begun and method == lsp.INITIALIZE:
            self._refuse(number, lsp.ErrorCodes.InvalidRequest, "The server is initialized already.")
        elif not begun and method != lsp.INITIALIZE:
            self._refuse(number, lsp.ErrorCodes.ServerNotInitialized, "The first request must be initialize.")
        elif not self._knows(method):
            self._refuse(number, lsp.ErrorCodes.MethodNotFound, f"This server has no {method}.")
        else:
            try:
                request = self._structured(message)
            except Exception as error:
                self._refuse(number, lsp.ErrorCodes.InvalidParams, f"{method}: {_what_is_wrong(error)}")
                return
            self._shutdown = method == lsp.SHUTDOWN
            contextvars.copy_context().run(self._handle_request, number, method, request.params)

    def _take_notification(self, method: str, message: dict[str, Any]) -> None:
        in_its_time = self._server.session is not None and not self._shutdown
        if not (in_its_time or method == lsp.EXIT) or not (self._knows(method) or method == lsp.CANCEL_REQUEST):
            log.debug("passed over %s", method)
            return
        try:
            notification = self._structured(message)
        except Exception as error:
            log.warning("%s: %s", method, _what_is_wrong(error))
            return
        contextvars.copy_context().run(self._handle_notification, method, notification.params)

    def _take_answer(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        expected = self._result_types.pop(number, None) if _is_id(number) else None
        if not _is_id(number) or expected is None:
            log.warning("the client answered %r, which nobody asked", number)
            return
        try:
            if "error" in message:
                failed = self._converter.structure(message, lsp.ResponseErrorMessage)
                self._handle_response(number, error=failed.error)
            else:
                # Some clients leave a result out that is null.
                answer = self._converter.structure({"result": None, **message}, expected)
                self._handle_response(number, answer.result)
        except Exception as error:  # whoever waits for the answer must not wait for ever
            self._handle_response(
                number, error=lsp.ResponseError(lsp.ErrorCodes.InvalidParams.value, _what_is_wrong(error))
            )

    def _structured(self, message: dict[str, Any]) -> Any:
        expected = self.get_message_type(message["method"])
        assert expected is not None  # only methods of the protocol have features
        return self._converter.structure(message, expected)

    def _knows(self, method: str) -> bool:
        return method in self.fm.builtin_features or method in self.fm.features

    def _refuse(self, number: int | str | None, code: lsp.ErrorCodes, sentence: str) -> None:
        """Answer with an error; what cannot be read has no id, and the answer says so."""
        self._send_data(
            {"jsonrpc": self.VERSION, "id": number, "error": {"code": code.value, "message": sentence}},
        )

    def _send_response(self, msg_id: int | str, result: Any = None, error: lsp.ResponseError | None = None) -> None:
        """Answer a request. A traceback stays at home: the log has it, and it would show where files lie."""
        if error is not None and error.code == lsp.ErrorCodes.InternalError.value:
            error = lsp.ResponseError(error.code, fault(error.message))
        super()._send_response(msg_id, result, error)


def _is_id(value: object) -> TypeGuard[int | str]:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _what_is_wrong(error: Exception) -> str:
    return "; ".join(transform_error(error)) if isinstance(error, BaseValidationError) else str(error)
