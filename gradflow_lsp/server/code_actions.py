"""Code actions: mend what was found under the cursor, run the probe there, write one for the class there.

They are worked out from the place alone: some clients send no diagnostics with the request. What runs or writes a probe
is no quick fix, since there are clients that apply all quick fixes at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from lsprotocol import types as lsp

from gradflow_lsp.annotate import activity
from gradflow_lsp.server import convert, quick_fixes
from gradflow_lsp.server.offers import INSERT, PREFIX, RUN, SOURCE
from gradflow_lsp.source.spans import Span

if TYPE_CHECKING:
    from gradflow_lsp.server.documents import Document
    from gradflow_lsp.server.session import Session


def register(session: Session) -> None:
    """Register the code actions."""

    @session.server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction | lsp.Command]:
        document = session.documents.get(params.text_document.uri)
        if document is None:
            return []
        lines, encoding = document.lines, session.documents.encoding
        start = convert.to_point(params.range.start, lines, encoding)
        end = convert.to_point(params.range.end, lines, encoding)
        actions: list[lsp.CodeAction] = []
        applies_all = _applies_all(session, params.context)
        if session.capabilities.code_action_literals and _wanted(quick_fixes.KIND, params.context):
            actions += quick_fixes.quick_fixes(session, document, start, end, only_one=applies_all)
        if applies_all:
            return [*actions]
        if _may_run(params.context):
            actions += _run(document, start.line, end.line)
        if _wanted(INSERT, params.context):
            actions += _insert(document, start.line, end.line)
        if not session.capabilities.code_action_literals:
            return [_as_command(action) for action in actions]
        if not session.capabilities.apply_edit or _is_on_save(params.context):
            actions = [await _with_edit(session, document, action) for action in actions]
        return [*actions]


def _run(document: Document, first: int, last: int) -> Iterator[lsp.CodeAction]:
    for probe in document.outline.probes:
        if _touches(probe.span, first, last):
            title = activity.RUN if probe.function == "gradflow_probe" else f"{activity.RUN}: {probe.function}"
            argument = {"uri": document.uri, "function": probe.function}
            command = lsp.Command(title=title, command=PREFIX + "run", arguments=[argument])
            yield lsp.CodeAction(title=title, kind=RUN, command=command)


def _insert(document: Document, first: int, last: int) -> Iterator[lsp.CodeAction]:
    for model in document.outline.classes:
        if model.is_module and _touches(model.span, first, last):
            title, argument = activity.insert_probe(model.name), {"uri": document.uri, "class": model.name}
            command = lsp.Command(title=title, command=PREFIX + "insertProbe", arguments=[argument])
            yield lsp.CodeAction(title=title, kind=INSERT, command=command)


async def _with_edit(session: Session, document: Document, action: lsp.CodeAction) -> lsp.CodeAction:
    """Put an edit in place of the command that tries the probe and has the client apply it: it runs nothing."""
    if action.kind != INSERT or action.command is None:
        return action
    [argument] = cast("list[dict[str, str]]", action.command.arguments)
    edit = await session.insertions.preview(document, argument["class"])
    return lsp.CodeAction(title=action.title, kind=action.kind, edit=edit)


def _touches(span: Span, first: int, last: int) -> bool:
    return span.line <= last and first <= span.end_line


def _wanted(kind: str, context: lsp.CodeActionContext) -> bool:
    only = context.only
    return only is None or any(wanted in ("", kind) or kind.startswith(f"{wanted}.") for wanted in only)


def _may_run(context: lsp.CodeActionContext) -> bool:
    """Tell whether a run may be offered: kinds that an editor applies on save must not run the user's code."""
    return _wanted(RUN, context) and not _is_on_save(context)


def _is_on_save(context: lsp.CodeActionContext) -> bool:
    """Tell whether the editor asks of itself for some kinds, as it does to apply them when a file is saved."""
    return bool(context.only) and context.trigger_kind == lsp.CodeActionTriggerKind.Automatic


def _applies_all(session: Session, context: lsp.CodeActionContext) -> bool:
    """Tell whether the editor may carry out every answer: one that knows of no preference, asked to fix a diagnostic.

    Its menu of all code actions names no diagnostic.
    """
    is_about_ours = any(diagnostic.source == SOURCE for diagnostic in context.diagnostics)
    return is_about_ours and not session.capabilities.preferred_actions


def _as_command(action: lsp.CodeAction) -> lsp.Command:
    command = action.command
    assert command is not None
    return command
