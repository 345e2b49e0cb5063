"""An editor for tests: a real client in another process than the server, with the capabilities of a real editor.

Nothing is slept for: `until` looks again whenever the server has said something, and gives up after a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Union

from cattrs import Converter
from lsprotocol import types as lsp
from lsprotocol.converters import get_converter
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import register_lsp_features

SECTION = "gradflow"
PATIENCE = 60.0
EDITORS = ("vscode", "neovim", "vim-ale")

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        h = self.first(x).relu().detach()
        return self.last(h)
"""

PROBE = """

def gradflow_probe():
    model = Net()
    return model, model(torch.ones(5, 4)).sum()
"""

BROKEN = MODEL + PROBE
HEALTHY = BROKEN.replace(".detach()", "")
ENDLESS = """\
import time
from pathlib import Path


def gradflow_probe():
    Path(__file__).with_suffix(".started").touch()
    while True:
        time.sleep(0.01)
"""


class Editor(LanguageClient):
    """A client that remembers what it was told, and answers what servers ask."""

    def __init__(self) -> None:
        super().__init__(converter_factory=_converter)
        register_lsp_features(self)
        self.heard = asyncio.Event()
        self.published: dict[str, lsp.PublishDiagnosticsParams] = {}
        self.registered: list[str] = []
        self.refreshes: list[str] = []
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.snippets: list[lsp.SnippetTextEdit] = []
        self.encoding = "utf-16"
        self.configurations_asked = 0
        _answer(self)

    @classmethod
    def config(cls, *arguments: str, env: dict[str, str] | None = None) -> ClientServerConfig:
        """Return how to start a server for this client."""
        command = [sys.executable, "-m", "gradflow_lsp", "server", "--stdio", *arguments]
        return ClientServerConfig(server_command=command, client_factory=cls, server_env=env)

    async def start(self, name: str, folders: Sequence[Path], **options: Any) -> lsp.InitializeResult:
        """Say `initialize` and `initialized` as the named editor does."""
        result = await self.initialize_session(
            lsp.InitializeParams(
                capabilities=capabilities(name),
                workspace_folders=[lsp.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders],
                initialization_options=options or None,
            )
        )
        self.encoding = result.capabilities.position_encoding or "utf-16"
        return result

    async def until(self, fact: Callable[[], Any]) -> Any:
        """Wait until a fact holds, and return it."""
        async with asyncio.timeout(PATIENCE):
            while not (value := fact()):
                self.heard.clear()
                await self.heard.wait()
        return value

    @property
    def server(self) -> asyncio.subprocess.Process:
        """The server's process."""
        assert self._server is not None
        return self._server

    # What a person does

    def open(self, path: Path, text: str | None = None, *, version: int = 1, uri: str | None = None) -> str:
        """Open a file, with what is on disk or with another text; return its URI."""
        uri = uri or path.as_uri()
        text = path.read_text(encoding="utf-8") if text is None else text
        self.texts[uri], self.versions[uri] = text, version
        item = lsp.TextDocumentItem(uri=uri, language_id="python", version=version, text=text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, old: str, new: str) -> None:
        """Replace the first piece of the text that reads `old`."""
        text = self.texts[uri]
        start = text.index(old)
        change = lsp.TextDocumentContentChangePartial(
            range=lsp.Range(self._position(text, start), self._position(text, start + len(old))), text=new
        )
        self.texts[uri] = text[:start] + new + text[start + len(old) :]
        self.versions[uri] += 1
        identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))

    def save(self, uri: str) -> None:
        """Write the text to disk and say so."""
        path_of(uri).write_text(self.texts[uri], encoding="utf-8")
        self.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    @contextlib.asynccontextmanager
    async def configured(self, **settings: Any) -> AsyncIterator[None]:
        """Change the editor's configuration for a while."""
        await self._configure(settings)
        try:
            yield
        finally:
            await self._configure({})

    async def _configure(self, settings: dict[str, Any]) -> None:
        self.set_configuration({SECTION: settings})
        asked = self.configurations_asked
        self.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings={SECTION: settings}))
        workspace = self.capabilities.workspace
        if workspace and workspace.configuration:
            await self.until(lambda: self.configurations_asked > asked)
        await self.command("report")  # answered after whatever came before it

    async def command(self, name: str, **argument: Any) -> Any:
        """Execute one of the server's commands; its answer as plain values."""
        params = lsp.ExecuteCommandParams(command=f"gradflow.{name}", arguments=[argument])
        async with asyncio.timeout(PATIENCE):
            return plain(await self.workspace_execute_command_async(params))

    async def run(self, uri: str, **argument: Any) -> dict[str, Any]:
        """Run a probe and return its report once it is there."""
        started = await self.command("run", uri=uri, **argument)
        return await self.report(uri, started["run"], **argument)

    async def report(self, uri: str, number: int, **argument: Any) -> dict[str, Any]:
        """Return the report of a run once that is over."""
        async with asyncio.timeout(PATIENCE):
            while True:
                answer = await self.command("report", uri=uri, **argument)
                if answer["run"] >= number and answer["state"] in ("done", "cancelled"):
                    return answer["report"]
                await asyncio.sleep(0.02)

    async def until_started(self, uri: str) -> None:
        """Wait until the endless probe itself runs."""
        async with asyncio.timeout(PATIENCE):
            while not path_of(uri).with_suffix(".started").exists():
                await asyncio.sleep(0.02)

    async def diagnostics_of(self, uri: str) -> dict[str, lsp.Diagnostic]:
        """Return the diagnostics of a file by code, pulled where this editor pulls."""
        if self.pulls:
            params = lsp.DocumentDiagnosticParams(text_document=lsp.TextDocumentIdentifier(uri))
            async with asyncio.timeout(PATIENCE):
                items = (await self.text_document_diagnostic_async(params)).items
        else:
            await self.command("report", uri=uri)  # whatever was published before this answer has arrived with it
            items = self.published[uri].diagnostics if uri in self.published else []
        return {str(item.code): item for item in items}

    async def hover(self, uri: str, needle: str) -> str | None:
        """Return what hovering over a piece of the text shows."""
        position = self.position(uri, needle)
        async with asyncio.timeout(PATIENCE):
            hover = await self.text_document_hover_async(
                lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(position.line, position.character + 1))
            )
        return hover.contents.value if hover else None

    async def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """Return the code lenses of a file."""
        async with asyncio.timeout(PATIENCE):
            params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
            return list(await self.text_document_code_lens_async(params) or [])

    async def hints(self, uri: str) -> dict[int, str]:
        """Return the inlay hints of a file by line, from 0."""
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(10_000, 0))
        async with asyncio.timeout(PATIENCE):
            params = lsp.InlayHintParams(lsp.TextDocumentIdentifier(uri), whole)
            return {hint.position.line: hint.label for hint in await self.text_document_inlay_hint_async(params) or []}

    async def actions(self, uri: str, needle: str, **context: Any) -> list[lsp.CodeAction | lsp.Command]:
        """Return the code actions on a piece of the text."""
        at = self.position(uri, needle)
        async with asyncio.timeout(PATIENCE):
            params = lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(uri), lsp.Range(at, at), lsp.CodeActionContext(diagnostics=[], **context)
            )
            return list(await self.text_document_code_action_async(params) or [])

    def apply(self, edit: lsp.WorkspaceEdit) -> None:
        """Carry a workspace edit out, and tell the server as for any other change."""
        by_uri = dict(edit.changes or {})
        for change in edit.document_changes or ():
            assert change.text_document.version == self.versions[change.text_document.uri]
            by_uri[change.text_document.uri] = change.edits
        for uri, edits in by_uri.items():
            text = self.texts[uri]
            for one in sorted(edits, key=lambda one: self._offset(text, one.range.start), reverse=True):
                start, end = self._offset(text, one.range.start), self._offset(text, one.range.end)
                text = text[:start] + self._inserted(one) + text[end:]
            self.texts[uri] = text
            self.versions[uri] += 1
            identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
            whole = lsp.TextDocumentContentChangeWholeDocument(text)
            self.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [whole]))

    # Positions, in this editor's units

    @property
    def pulls(self) -> bool:
        """Whether this editor pulls its diagnostics."""
        workspace = self.capabilities.workspace
        return bool(self.capabilities.text_document.diagnostic and workspace.diagnostics)

    def _inserted(self, edit: lsp.TextEdit | lsp.SnippetTextEdit) -> str:
        """Return the text of an edit; of a snippet, with its placeholders as they are."""
        if isinstance(edit, lsp.TextEdit):
            return edit.new_text
        self.snippets.append(edit)
        return re.sub(r"\\(.)|\$\{\d+:([^}]*)\}", lambda m: m[1] or m[2], edit.snippet.value)

    def position(self, uri: str, needle: str) -> lsp.Position:
        """Return where a piece of the text begins."""
        return self._position(self.texts[uri], self.texts[uri].index(needle))

    def text_at(self, uri: str, span: lsp.Range) -> str:
        """Return the text in a range."""
        text = self.texts[uri]
        return text[self._offset(text, span.start) : self._offset(text, span.end)]

    def _position(self, text: str, offset: int) -> lsp.Position:
        head = text[:offset]
        line = head[head.rfind("\n") + 1 :]
        return lsp.Position(head.count("\n"), _units(line, self.encoding))

    def _offset(self, text: str, position: lsp.Position) -> int:
        lines = text.split("\n")
        head = sum(len(line) + 1 for line in lines[: position.line])
        line = lines[position.line] if position.line < len(lines) else ""
        column = next((c for c in range(len(line)) if _units(line[:c], self.encoding) >= position.character), len(line))
        return min(head + column, len(text))


def capabilities(name: str) -> lsp.ClientCapabilities:
    """Return what an editor declares."""
    file = Path(__file__).parent / "caps" / f"{name}.json"
    return get_converter().structure(json.loads(file.read_text(encoding="utf-8")), lsp.ClientCapabilities)


def path_of(uri: str) -> Path:
    """Return the path of a `file:` URI that a test made."""
    return Path(uri.removeprefix("file://"))


def plain(value: Any) -> Any:
    """Return an answer as dictionaries, lists and scalars, whatever the client library made of it."""
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def _units(text: str, encoding: str) -> int:
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode(encoding if size == 1 else f"{encoding}-le")) // size


def _converter() -> Converter:
    """Return the stock converter, but for a code action with a command in it, which that takes for a command."""
    converter = default_converter()
    converter.register_structure_hook(
        Union[lsp.Command, lsp.CodeAction],  # noqa: UP007  # as the library's own hook spells it
        lambda value, _: converter.structure(
            value, lsp.Command if isinstance(value.get("command"), str) else lsp.CodeAction
        ),
    )
    return converter


def _answer(editor: Editor) -> None:
    """Register what the stock client leaves out, and have every message wake up whoever waits."""
    hear = editor.protocol.handle_message

    def handle_message(message: Any) -> None:
        hear(message)
        editor.heard.set()

    editor.protocol.handle_message = handle_message

    @editor.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def register_capability(params: lsp.RegistrationParams) -> None:
        editor.registered += [registration.method for registration in params.registrations]

    @editor.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply_edit(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        editor.apply(params.edit)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    for method in (lsp.WORKSPACE_CODE_LENS_REFRESH, lsp.WORKSPACE_INLAY_HINT_REFRESH):

        @editor.feature(method)
        def refresh(params: None, method: str = method) -> None:
            editor.refreshes.append(method)

    configuration = editor.protocol.fm.features.pop(lsp.WORKSPACE_CONFIGURATION)

    @editor.feature(lsp.WORKSPACE_CONFIGURATION)
    def answer_configuration(params: lsp.ConfigurationParams) -> list[Any]:
        editor.configurations_asked += 1
        return configuration(params)

    remember = editor.protocol.fm.features.pop(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)

    @editor.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def publish_diagnostics(params: lsp.PublishDiagnosticsParams) -> None:
        editor.published[params.uri] = params
        remember(params)
