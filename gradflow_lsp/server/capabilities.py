"""What the client can do, boiled down once at `initialize` to the questions that this server asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from gradflow_lsp.annotate.positions import Encoding

_ENCODINGS = ("utf-8", "utf-16", "utf-32")


@dataclass(frozen=True)
class Capabilities:
    """One yes or no for each thing that is done differently from client to client."""

    position_encoding: Encoding
    """What columns count: the first that the client names and we know."""
    pull_diagnostics: bool
    """Diagnostics are pulled: only where the client can be told to pull again, else the end of a run goes unseen."""
    related_information: bool
    code_description: bool
    diagnostic_data: bool
    diagnostic_version: bool
    faded_text: bool
    """Text can be shown as unnecessary."""
    markdown: bool
    code_action_literals: bool
    preferred_actions: bool
    apply_edit: bool
    document_changes: bool
    snippet_edits: bool
    work_done_progress: bool
    lens_refresh: bool
    hint_refresh: bool
    configuration: bool
    register_configuration: bool
    register_watchers: bool
    show_document: bool
    tells_created_files: bool
    tells_deleted_files: bool
    tells_renamed_files: bool

    @classmethod
    def of(cls, client: lsp.ClientCapabilities) -> Capabilities:
        """Read them off; whatever a client does not declare, it cannot do."""

        def can(path: str) -> Any:
            value: Any = client
            for name in path.split("."):
                value = getattr(value, name, None)
            return value

        encodings = can("general.position_encodings") or ()
        return cls(
            position_encoding=cast("Encoding", next((name for name in encodings if name in _ENCODINGS), "utf-16")),
            pull_diagnostics=can("text_document.diagnostic") is not None
            and bool(can("workspace.diagnostics.refresh_support")),
            related_information=bool(can("text_document.publish_diagnostics.related_information")),
            code_description=bool(can("text_document.publish_diagnostics.code_description_support")),
            diagnostic_data=bool(can("text_document.publish_diagnostics.data_support")),
            diagnostic_version=bool(can("text_document.publish_diagnostics.version_support")),
            faded_text=lsp.DiagnosticTag.Unnecessary
            in (can("text_document.publish_diagnostics.tag_support.value_set") or ()),
            markdown=lsp.MarkupKind.Markdown in (can("text_document.hover.content_format") or ()),
            code_action_literals=can("text_document.code_action.code_action_literal_support") is not None,
            preferred_actions=bool(can("text_document.code_action.is_preferred_support")),
            apply_edit=bool(can("workspace.apply_edit")),
            document_changes=bool(can("workspace.workspace_edit.document_changes")),
            snippet_edits=bool(can("workspace.workspace_edit.snippet_edit_support")),
            work_done_progress=bool(can("window.work_done_progress")),
            lens_refresh=bool(can("workspace.code_lens.refresh_support")),
            hint_refresh=bool(can("workspace.inlay_hint.refresh_support")),
            configuration=bool(can("workspace.configuration")),
            register_configuration=bool(can("workspace.did_change_configuration.dynamic_registration")),
            register_watchers=bool(can("workspace.did_change_watched_files.dynamic_registration")),
            show_document=bool(can("window.show_document.support")),
            tells_created_files=bool(can("workspace.file_operations.did_create")),
            tells_deleted_files=bool(can("workspace.file_operations.did_delete")),
            tells_renamed_files=bool(can("workspace.file_operations.did_rename")),
        )
