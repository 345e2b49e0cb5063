"""Commands. Each takes one object, its fields optional where there is only one choice, and answers at once.

What takes time goes on in the background: some clients do nothing else while a command runs. What cannot be done is a
failed request with a sentence for the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from gradflow_lsp.annotate.board import file_key
from gradflow_lsp.annotate.hidden import NOTHING
from gradflow_lsp.annotate.render import markdown
from gradflow_lsp.annotate.view import View
from gradflow_lsp.probe.report import ProbeReport
from gradflow_lsp.server.documents import Document, path_of
from gradflow_lsp.server.offers import PREFIX
from gradflow_lsp.server.runs import Run
from gradflow_lsp.source.outline import ProbeSite
from gradflow_lsp.source.spans import Span

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session

Command = Callable[["Session", Mapping[str, Any]], Any]


def register(session: Session) -> None:
    """Register all commands."""
    for name, command in COMMANDS.items():
        session.server.command(PREFIX + name)(_taking_one_object(session, command))


def _taking_one_object(session: Session, command: Command) -> Callable[..., Any]:
    def handler(ls: object, *arguments: Any) -> Any:
        argument = arguments[0] if arguments else None
        if argument is not None and not isinstance(argument, Mapping):
            fail(f"This command takes one object such as {{uri, function}}, not {argument!r}.")
        return command(session, argument or {})

    return handler


def run(session: Session, argument: Mapping[str, Any]) -> dict[str, int]:
    """Start a run of one probe; answers its number."""
    path, probe = _probe(session, argument)
    mode = argument.get("mode") or "real"
    if mode != "real":
        fail(f'mode {mode!r} is not available; without it, probes run with real values ("real").')
    [started] = session.runs.start_asked_for([(path, probe)])
    return {"run": started.number}


def run_all(session: Session, argument: Mapping[str, Any]) -> dict[str, list[int]]:
    """Start a run of every probe in the workspace, or in one file; answers their numbers."""
    found = _probes(session, argument)
    if not found:
        fail(_NO_PROBE)
    return {"runs": [started.number for started in session.runs.start_asked_for(found)]}


def report(session: Session, argument: Mapping[str, Any]) -> dict[str, Any] | None:
    """Answer the state and the report of a probe's latest run, and whether what is on the lines is stale."""
    runs = _runs(session, argument)
    if not runs:
        return None
    latest = max(runs, key=lambda run: run.number)
    shown = session.board.of(latest.request.path, latest.request.function)
    return {
        "run": latest.number,
        "state": latest.state,
        "report": _as_shown(session, latest.report) if latest.report else None,
        "stale": shown is not None and shown.stale,
    }


def _as_shown(session: Session, report: ProbeReport) -> dict[str, Any]:
    shown = session.board.of(report.path, report.function)
    hidden = shown.hidden if shown and shown.report is report else NOTHING
    return View.of(report, hidden, session.settings.of(report.path).severity).report.to_json()


def cancel(session: Session, argument: Mapping[str, Any]) -> dict[str, list[int]]:
    """End the runs of one probe, of one file, or all; answers the numbers of those that still went on.

    The probes that are being written for the file, or for all, are not inserted.
    """
    if "function" not in argument:
        session.insertions.cancel(_path(argument))
    return {"cancelled": [run.number for run in session.runs.cancel(_runs(session, argument))]}


def clear(session: Session, argument: Mapping[str, Any]) -> None:
    """Take all findings off the lines, or those of one file or one probe."""
    session.changed(session.board.clear(_path(argument), argument.get("function")))


def insert_probe(session: Session, argument: Mapping[str, Any]) -> dict[str, str] | None:
    """Have the client write a probe for a class, named as `class` or by a `line` (from 0) of it; answers the class.

    Without either, the one class that has no probe is meant. If there are several, the user is told their names.
    The probe is tried first, and mended where it can be; `verify: false` inserts it as it was written.
    """
    document = _document(session, argument)
    if not session.capabilities.apply_edit:
        fail("This editor lets no server edit a file. Use the code action on the class instead.")
    meant = _classes_meant(document, argument)
    if len(meant) > 1:
        session.tell(f"Several classes have no probe: {', '.join(meant)}. Put the cursor on one of them and try again.")
        return None
    session.insertions.start(document, meant[0], verify=argument.get("verify") is not False)
    return {"class": meant[0]}


def _classes_meant(document: Document, argument: Mapping[str, Any]) -> list[str]:
    """Return the names of the model classes that a request may mean, never none."""
    models = [model for model in document.outline.classes if model.is_module]
    name, line = argument.get("class"), argument.get("line")
    if not models:
        fail("This file has no model class to write a probe for.")
    if name is not None:
        meant = [model.name for model in models if model.name == name]
        return meant or fail(f"This file has no model class {name}; it has {', '.join(m.name for m in models)}.")
    if isinstance(line, int):
        at_line = [model.name for model in models if model.span.line <= line + 1 <= model.span.end_line]
        if at_line:
            return at_line[-1:]
    probed = {word for probe in document.outline.probes for word in _words_in(document, probe.span)}
    return [model.name for model in models if model.name not in probed] or [model.name for model in models]


def _words_in(document: Document, span: Span) -> list[str]:
    return re.findall(r"\w+", "\n".join(map(document.lines.line, range(span.line, span.end_line + 1))))


def show_report(session: Session, argument: Mapping[str, Any]) -> dict[str, str] | None:
    """Show the whole report of a probe; answers it as Markdown."""
    path, function = _path(argument), argument.get("function")
    pinned = [
        shown
        for shown in session.board.all()
        if (path is None or file_key(shown.report.path) == file_key(path)) and function in (None, shown.report.function)
    ]
    if not pinned:
        session.tell("There is no report yet. Run the gradient probe first.")
        return None
    shown = pinned[-1]
    from gradflow_lsp.annotate.card import report_page  # not before there is something to show

    text = markdown(report_page(shown, session.link_from_page))
    if session.capabilities.show_document:
        page = session.scratch / f"{Path(shown.report.path).stem}-{shown.report.function}.md"
        page.write_text(text + "\n", encoding="utf-8")
        params = lsp.ShowDocumentParams(uri=page.as_uri(), take_focus=True)
        session.in_background(session.server.window_show_document_async(params))
    else:
        session.tell(f"{shown.report.function}: {shown.outcome()}")
    return {"markdown": text}


def restart_worker(session: Session, argument: Mapping[str, Any]) -> None:
    """End all runs and the processes kept for them; the next run starts afresh."""
    session.in_background(session.runs.close())


COMMANDS: dict[str, Command] = {
    "run": run,
    "runAll": run_all,
    "report": report,
    "cancel": cancel,
    "clear": clear,
    "insertProbe": insert_probe,
    "showReport": show_report,
    "restartWorker": restart_worker,
}
"""Each command by its name in `offers`."""

_NO_PROBE = "There is no gradient probe here. A probe is a top-level function gradflow_probe() without arguments."


def fail(sentence: str) -> NoReturn:
    """Answer a request with a sentence that says why it cannot be done."""
    raise JsonRpcException(message=sentence, code=lsp.LSPErrorCodes.RequestFailed.value)


def _path(argument: Mapping[str, Any]) -> str | None:
    uri = argument.get("uri")
    if uri is None:
        return None
    path = path_of(uri) if isinstance(uri, str) else None
    if path is None:
        fail(f"{uri} is not saved in a file, and only files can be run. Save it first.")
    return path


def _document(session: Session, argument: Mapping[str, Any]) -> Document:
    uri = argument.get("uri")
    documents = [document for document in session.documents if uri is None]
    document = session.documents.get(uri) if isinstance(uri, str) else None
    if document is not None:
        return document
    if len(documents) == 1:
        return documents[0]
    fail("Open the file first, and name it as uri.")


def _probes(session: Session, argument: Mapping[str, Any]) -> list[tuple[str, ProbeSite]]:
    path, function = _path(argument), argument.get("function")
    files = [path] if path else {file_key(str(file)): str(file) for file in session.index.probes()}.values()
    return [(file, probe) for file in files for probe in session.probes_in(file) if function in (None, probe.function)]


def _probe(session: Session, argument: Mapping[str, Any]) -> tuple[str, ProbeSite]:
    found = _probes(session, argument)
    if len(found) == 1:
        return found[0]
    if not found:
        fail(_NO_PROBE)
    listed = ", ".join(f"{Path(path).name} {probe.function}" for path, probe in found[:5])
    fail(f"There are {len(found)} gradient probes ({listed}). Name one by its uri and function.")


def _runs(session: Session, argument: Mapping[str, Any]) -> list[Run]:
    path, function = _path(argument), argument.get("function")
    return [
        run
        for run in session.runs.all()
        if (path is None or file_key(run.request.path) == file_key(path)) and function in (None, run.request.function)
    ]
