"""What a server may send to a client: only what that client declared. A table, and a client that keeps to it.

The rules are read off the specification of version 3.17, in the terms of the raw JSON.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from lsprotocol import types as lsp
from lsprotocol.converters import get_converter

from .editor import Editor

Json = Any
Rule = Callable[["Declared", Json], "bool | Iterator[str]"]


class Declared:
    """The capabilities of a client, asked by their path in the specification."""

    def __init__(self, capabilities: lsp.ClientCapabilities) -> None:
        self._raw = get_converter().unstructure(capabilities, lsp.ClientCapabilities)
        self.pulled = False
        """Whether the server said that its diagnostics are pulled."""
        self.tokens: set[Any] = set()
        """The progress that the server asked for, and that this client has granted."""

    def __call__(self, path: str) -> Any:
        value = self._raw
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value


def needs(path: str) -> Rule:
    """A message that is only for clients that declare this."""
    return lambda declared, params: bool(declared(path))


def always(declared: Declared, params: Json) -> bool:
    """A message that every client takes."""
    return True


def registrations(declared: Declared, params: Json) -> Iterator[str]:
    for one in params["registrations"]:
        method = one["method"]
        path = method.replace("/", ".")
        if not declared(f"{path}.dynamicRegistration"):
            yield f"no dynamic registration of {method}"
        relative = any(isinstance(each["globPattern"], dict) for each in one["registerOptions"].get("watchers", ()))
        if relative and not declared(f"{path}.relativePatternSupport"):
            yield "no relative patterns"


def published(declared: Declared, params: Json) -> Iterator[str]:
    if declared.pulled:
        yield "pushed what is pulled"
    yield from diagnostics(declared, params["diagnostics"])


def diagnostics(declared: Declared, items: Json) -> Iterator[str]:
    fields = {
        "relatedInformation": "relatedInformation",
        "codeDescription": "codeDescriptionSupport",
        "data": "dataSupport",
        "tags": "tagSupport",
    }
    for item in items:
        for field, capability in fields.items():
            if field in item and not declared(f"textDocument.publishDiagnostics.{capability}"):
                yield f"a diagnostic with {field}"
        known = declared("textDocument.publishDiagnostics.tagSupport.valueSet") or []
        if not set(item.get("tags", ())) <= set(known):
            yield "a tag that is not known"


def edit(declared: Declared, edit: Json) -> Iterator[str]:
    if "documentChanges" in edit and not declared("workspace.workspaceEdit.documentChanges"):
        yield "documentChanges"
    if "changeAnnotations" in edit and not declared("workspace.workspaceEdit.changeAnnotationSupport"):
        yield "changeAnnotations"
    for change in edit.get("documentChanges", ()):
        if "kind" in change and change["kind"] not in (declared("workspace.workspaceEdit.resourceOperations") or ()):
            yield f"the file operation {change['kind']}"
        snippets = any("snippet" in one for one in change.get("edits", ()))
        if snippets and not declared("workspace.workspaceEdit.snippetEditSupport"):
            yield "an edit with a snippet"


def applied(declared: Declared, params: Json) -> Iterator[str]:
    if not declared("workspace.applyEdit"):
        yield "workspace/applyEdit"
    yield from edit(declared, params["edit"])


def progress(declared: Declared, params: Json) -> bool:
    return params["token"] in declared.tokens


def hover(declared: Declared, result: Json) -> Iterator[str]:
    contents = result and result["contents"]
    if contents and contents["kind"] not in (declared("textDocument.hover.contentFormat") or ("plaintext",)):
        yield f"a hover in {contents['kind']}"


def actions(declared: Declared, result: Json) -> Iterator[str]:
    about = "textDocument.codeAction"
    fields = {"isPreferred": "isPreferredSupport", "disabled": "disabledSupport", "data": "dataSupport"}
    for action in result or ():
        if isinstance(action.get("command"), str):
            continue  # a command
        if not declared(f"{about}.codeActionLiteralSupport"):
            yield "a code action that is no command"
        for field, capability in fields.items():
            if field in action and not declared(f"{about}.{capability}"):
                yield f"a code action with {field}"
        if not {"edit", "command", "disabled"} & set(action) and "edit" not in (
            declared(f"{about}.resolveSupport.properties") or ()
        ):
            yield "a code action without its edit"
        yield from edit(declared, action.get("edit") or {})


def lenses(declared: Declared, result: Json) -> bool:
    return all("command" in lens for lens in result or ())  # nobody needs to resolve them


def initialized(declared: Declared, result: Json) -> Iterator[str]:
    server = result["capabilities"]
    declared.pulled = "diagnosticProvider" in server
    if declared.pulled and not declared("textDocument.diagnostic"):
        yield "diagnostics to pull"
    if server["positionEncoding"] not in (declared("general.positionEncodings") or ["utf-16"]):
        yield f"positions in {server['positionEncoding']}"


FROM_SERVER: dict[str, Rule] = {
    lsp.CLIENT_REGISTER_CAPABILITY: registrations,
    lsp.PROGRESS: progress,
    lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: published,
    lsp.WINDOW_LOG_MESSAGE: always,
    lsp.WINDOW_SHOW_DOCUMENT: needs("window.showDocument.support"),
    lsp.WINDOW_SHOW_MESSAGE: always,
    lsp.WINDOW_WORK_DONE_PROGRESS_CREATE: needs("window.workDoneProgress"),
    lsp.WORKSPACE_APPLY_EDIT: applied,
    lsp.WORKSPACE_CODE_LENS_REFRESH: needs("workspace.codeLens.refreshSupport"),
    lsp.WORKSPACE_CONFIGURATION: needs("workspace.configuration"),
    lsp.WORKSPACE_DIAGNOSTIC_REFRESH: needs("workspace.diagnostics.refreshSupport"),
    lsp.WORKSPACE_INLAY_HINT_REFRESH: needs("workspace.inlayHint.refreshSupport"),
}
"""All that this server ever sends of itself, and to whom."""

ANSWERS: dict[str, Rule] = {
    lsp.INITIALIZE: initialized,
    lsp.SHUTDOWN: lambda declared, result: result is None,
    lsp.TEXT_DOCUMENT_CODE_ACTION: actions,
    lsp.TEXT_DOCUMENT_CODE_LENS: lenses,
    lsp.TEXT_DOCUMENT_DIAGNOSTIC: lambda declared, result: diagnostics(declared, result.get("items", ())),
    lsp.TEXT_DOCUMENT_HOVER: hover,
    lsp.TEXT_DOCUMENT_INLAY_HINT: always,
    lsp.WORKSPACE_DIAGNOSTIC: lambda declared, result: (
        breach for file in result["items"] for breach in diagnostics(declared, file.get("items", ()))
    ),
    lsp.WORKSPACE_EXECUTE_COMMAND: always,
}
"""All that this server answers, and what may be in it."""


class StrictEditor(Editor):
    """An editor that notes every message which it never declared, or which is malformed."""

    declared: Declared

    def __init__(self) -> None:
        super().__init__()
        self.breaches: list[str] = []
        self.heard_of: dict[str, list[Json]] = {}
        """The parameters of what the server sent of itself, by method."""
        self._asked: dict[Any, str] = {}
        self._converter = self.protocol._converter
        structure, send = self.protocol.structure_message, self.protocol.send_request

        def structure_message(data: Json) -> Any:
            if "jsonrpc" in data:
                self._look_at(data)
            return structure(data)

        def send_request(method: str, params: Any = None, callback: Any = None, msg_id: Any = None) -> Any:
            msg_id = msg_id or str(uuid.uuid4())
            self._asked[msg_id] = method
            return send(method, params, callback, msg_id)

        self.protocol.structure_message, self.protocol.send_request = structure_message, send_request

    async def start(self, name, folders, **options):
        from .editor import capabilities

        self.declared = Declared(capabilities(name))
        return await super().start(name, folders, **options)

    def _look_at(self, message: Json) -> None:
        try:
            self.breaches += [f"{breach}: {str(message)[:500]}" for breach in self._breaches(message)]
        except Exception as error:
            self.breaches.append(f"{type(error).__name__}: {error}: {str(message)[:500]}")

    def _breaches(self, message: Json) -> Iterator[str]:
        if not _is_json(message):
            yield "a number that JSON has not"
        if "method" in message:
            method, content, kind = message["method"], message.get("params"), 0
            rule = FROM_SERVER.get(method)
            self.heard_of.setdefault(method, []).append(content)
        else:
            method, content, kind = self._asked.pop(message["id"], None), message.get("result"), 1
            rule = ANSWERS.get(method)
        if rule is None:
            yield f"nobody knows {method}"
            return
        if "error" in message:
            self._converter.structure(message, lsp.ResponseErrorMessage)
            return
        expected = lsp.METHOD_TO_TYPES[method][kind]
        again = self._converter.unstructure(self._converter.structure(message, expected), expected)
        if unknown := _paths(message) - _paths(again):
            yield f"fields that the protocol has not: {', '.join(sorted(unknown))}"
        found = rule(self.declared, content)
        if found is False:
            yield f"{method} was never declared"
        elif found is not True:
            yield from found
        if method == lsp.WINDOW_WORK_DONE_PROGRESS_CREATE:
            self.declared.tokens.add(content["token"])


def _is_json(value: Json) -> bool:
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    if isinstance(value, list):
        return all(map(_is_json, value))
    return not isinstance(value, float) or math.isfinite(value)


def _paths(value: Json, path: str = "") -> set[str]:
    """Return the path of each value that is not null."""
    if isinstance(value, dict):
        return {deep for name, item in value.items() for deep in _paths(item, f"{path}.{name}")}
    if isinstance(value, list):
        return {deep for item in value for deep in _paths(item, f"{path}[]")}
    return set() if value is None else {path}
