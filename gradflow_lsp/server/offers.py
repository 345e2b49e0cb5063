"""What the server offers to a client: the answer to `initialize`.

A client waits for this, so it stands apart from the features that keep it, and needs none of them to be imported.
"""

from __future__ import annotations

from lsprotocol import types as lsp

from gradflow_lsp.server.capabilities import Capabilities

SOURCE = "gradflow"
"""What diagnostics name as their source."""
PREFIX = "gradflow."
COMMANDS = ("run", "runAll", "report", "cancel", "clear", "insertProbe", "showReport", "restartWorker")
"""Each command without `PREFIX`."""
INSERT, RUN = "refactor.insertProbe", "source.runProbe"
"""The kinds of the code actions that are no quick fixes."""

_EVERY_FILE = lsp.FileOperationRegistrationOptions(
    filters=[lsp.FileOperationFilter(scheme="file", pattern=lsp.FileOperationPattern(glob="**"))]
)


def offers(client: Capabilities) -> lsp.ServerCapabilities:
    """Return what this client is told that it can ask for."""
    kinds = [lsp.CodeActionKind.QuickFix, INSERT, RUN]
    actions = lsp.CodeActionOptions(code_action_kinds=kinds, resolve_provider=False)
    pulled = lsp.DiagnosticOptions(identifier=SOURCE, inter_file_dependencies=True, workspace_diagnostics=True)
    return lsp.ServerCapabilities(
        position_encoding=client.position_encoding,
        text_document_sync=lsp.TextDocumentSyncOptions(
            open_close=True, change=lsp.TextDocumentSyncKind.Incremental, save=True
        ),
        hover_provider=True,
        code_lens_provider=lsp.CodeLensOptions(resolve_provider=False),
        inlay_hint_provider=lsp.InlayHintOptions(resolve_provider=False),
        code_action_provider=actions if client.code_action_literals else True,
        diagnostic_provider=pulled if client.pull_diagnostics else None,
        execute_command_provider=lsp.ExecuteCommandOptions(commands=[PREFIX + name for name in COMMANDS]),
        workspace=lsp.WorkspaceOptions(
            workspace_folders=lsp.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True),
            file_operations=lsp.FileOperationOptions(
                did_create=_EVERY_FILE if client.tells_created_files else None,
                did_delete=_EVERY_FILE if client.tells_deleted_files else None,
                did_rename=_EVERY_FILE if client.tells_renamed_files else None,
            ),
        ),
    )
