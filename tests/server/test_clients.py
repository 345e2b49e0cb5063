"""A whole session of each of nine real clients, with nothing in it that the client did not declare.

A session is played once for each client; the tests look at what came of it.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types as lsp

from .declared import StrictEditor
from .editor import BROKEN, ENDLESS, MODEL, PATIENCE, path_of

ALL = sorted(file.stem for file in (Path(__file__).parent / "caps").glob("*.json"))
TWINS = ("vscode-1.100",)
"""Clients that declare the same as another one."""

RAISES = 'def gradflow_probe():\n    raise ValueError("no data")\n'
# The letters are of one, two, three and four bytes in UTF-8, and the last is of two units in UTF-16.
WIDE = BROKEN.replace("self.first = ", 'note = "aé€𝔾"; self.first = ')
FIRST = "nn.Linear(4, 8)"


@dataclass
class Session:
    """What a client saw."""

    name: str
    editor: StrictEditor
    uri: str = ""
    seen: dict[str, Any] = field(default_factory=dict)

    def can(self, path: str) -> Any:
        return self.editor.declared(path)

    def heard_of(self, method: str) -> list[Any]:
        return self.editor.heard_of.get(method, [])


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[str, asyncio.Task[Session]]]:
    """The sessions of all clients that tests are chosen for, two at a time: each waits for its torch for long."""
    turn = asyncio.Semaphore(2)

    async def in_turn(name: str) -> Session:
        async with turn:
            return await from_start_to_end(name, tmp_path_factory)

    calls = [item.callspec for item in request.session.items if item.path == request.path and hasattr(item, "callspec")]
    names = dict.fromkeys(call.params["session"] for call in calls if "session" in call.params)
    tasks = {name: asyncio.create_task(in_turn(name)) for name in names}
    yield tasks
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="session",
    params=[pytest.param(name, marks=pytest.mark.slow if name in TWINS else ()) for name in ALL],
)
async def session(request: pytest.FixtureRequest, played: dict[str, asyncio.Task[Session]]) -> Session:
    """A client's session from `initialize` to the exit."""
    return await played[request.param]


async def from_start_to_end(name: str, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Play a client's session, in a server of its own."""
    folder = tmp_path_factory.mktemp("folder")
    variables = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    editor = await StrictEditor.config(
        env={**variables, "XDG_STATE_HOME": str(tmp_path_factory.mktemp("state"))}
    ).start()
    session = Session(name, editor)
    try:
        started = await editor.start(name, [folder], interpreter=sys.executable)
        session.seen["server"] = started.capabilities
        await play(session, folder)
        async with asyncio.timeout(PATIENCE):
            await editor.shutdown_session()
            session.seen["status"] = await editor.server.wait()
    finally:
        if editor.server.returncode is None:
            editor.server.kill()
        await editor.stop()
    return session


async def play(session: Session, folder: Path) -> None:
    """Everything that a user does in a long afternoon."""
    editor, seen = session.editor, session.seen
    (folder / "model.py").write_text(WIDE, encoding="utf-8")
    uri = session.uri = editor.open(folder / "model.py")
    seen["report"] = await editor.run(uri)
    await look_around(session, uri)
    seen["shown"] = await editor.command("showReport", uri=uri)
    await edit(session, uri)
    await insert(session, folder)
    await fail_and_cancel(session, folder)
    await change_settings(session, uri)
    await change_files(session, folder)
    await editor.command("clear")
    seen["cleared"] = await editor.diagnostics_of(uri)
    seen["restarted"] = await editor.command("restartWorker")
    editor.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
    seen["closed"] = await editor.command("report", uri=uri)


async def look_around(session: Session, uri: str) -> None:
    """Ask for all that this client shows."""
    editor, seen = session.editor, session.seen
    seen["diagnostics"] = await editor.diagnostics_of(uri)
    if editor.pulls:
        params = lsp.WorkspaceDiagnosticParams(previous_result_ids=[])
        seen["workspace"] = await editor.workspace_diagnostic_async(params)
    seen["hovers"] = [hover for word in set(re.findall(r"\w+", WIDE)) if (hover := await editor.hover(uri, word))]
    seen["hover"] = await editor.hover(uri, FIRST)
    if session.can("textDocument.codeLens"):
        seen["lenses"] = await editor.lenses(uri)
    if session.can("textDocument.inlayHint"):
        seen["hints"] = await editor.hints(uri)
    if session.can("textDocument.codeAction"):
        seen["actions"] = await editor.actions(uri, "def gradflow_probe")
        for line in ("class Net", FIRST, "detach", "def gradflow_probe"):
            for kind in lsp.CodeActionTriggerKind:
                await editor.actions(uri, line, trigger_kind=kind)
            await editor.actions(uri, line, only=["quickfix"])


async def edit(session: Session, uri: str) -> None:
    """Type above the findings, and save."""
    editor, seen = session.editor, session.seen
    editor.type(uri, "import torch\n", "# a note\nimport torch\n")
    seen["moved"] = await editor.diagnostics_of(uri)
    seen["at"] = {code: editor.text_at(uri, item.range) for code, item in seen["moved"].items()}
    seen["stale"] = await editor.hover(uri, FIRST)
    editor.save(uri)


async def insert(session: Session, folder: Path) -> None:
    """Have a probe written, in the way that this client can."""
    editor, seen = session.editor, session.seen
    (folder / "bare.py").write_text(MODEL, encoding="utf-8")
    uri = editor.open(folder / "bare.py")
    if session.can("textDocument.codeLens"):
        seen["lenses over a class"] = await editor.lenses(uri)
    if session.can("workspace.applyEdit"):
        await editor.command("insertProbe", uri=uri, **{"class": "Net"})
        await editor.until(lambda: "gradflow_probe" in editor.texts[uri])
    else:
        with pytest.raises(Exception, match="code action") as refused:
            await editor.command("insertProbe", uri=uri)
        seen["refused"] = str(refused.value)
    if session.can("workspace.applyEdit") is not True and session.can("textDocument.codeAction"):
        (action,) = [one for one in await editor.actions(uri, "class Net") if one.kind == "refactor.insertProbe"]
        editor.apply(action.edit)
    seen["inserted"] = editor.texts[uri]


async def fail_and_cancel(session: Session, folder: Path) -> None:
    """Run a probe that fails, and end one that would never."""
    editor, seen = session.editor, session.seen
    (folder / "raises.py").write_text(RAISES, encoding="utf-8")
    uri = editor.open(folder / "raises.py")
    seen["before failing"] = len(editor.messages)
    seen["failed"] = await editor.run(uri)
    seen["failure"] = await editor.diagnostics_of(uri)
    seen["after failing"] = len(editor.messages)
    (folder / "endless.py").write_text(ENDLESS, encoding="utf-8")
    uri = editor.open(folder / "endless.py")
    before = {*editor.progress_reports}
    started = await editor.command("run", uri=uri)
    await editor.until_started(uri)
    if session.can("textDocument.codeLens"):
        seen["lenses while it runs"] = await editor.lenses(uri)
    if session.can("window.workDoneProgress"):
        (token,) = editor.progress_reports.keys() - before
        editor.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token))
    else:
        seen["cancel"] = await editor.command("cancel", uri=uri)
    seen["cancelled"] = await editor.report(uri, started["run"])


async def change_settings(session: Session, uri: str) -> None:
    """Make the cut a mere hint, for a while."""
    editor = session.editor
    async with editor.configured(severity={"detach": "hint"}):
        session.seen["as a hint"] = (await editor.diagnostics_of(uri))["detach"].severity


async def change_files(session: Session, folder: Path) -> None:
    """Have others change a file, and open and close a second folder."""
    editor, seen = session.editor, session.seen
    others = folder / "others.py"
    others.write_text(RAISES, encoding="utf-8")
    if session.can("workspace.didChangeWatchedFiles.dynamicRegistration"):
        changes = [lsp.FileEvent(uri=others.as_uri(), type=lsp.FileChangeType.Created)]
        editor.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams(changes))
        seen["run of a file that others made"] = await editor.run(others.as_uri())
    if session.can("workspace.workspaceFolders"):
        second = folder.parent / f"{folder.name}-second"
        second.mkdir()
        (second / "far.py").write_text(RAISES, encoding="utf-8")
        there = [lsp.WorkspaceFolder(second.as_uri(), "second")]
        for added, removed in ((there, []), ([], there)):
            event = lsp.WorkspaceFoldersChangeEvent(added=added, removed=removed)
            editor.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(event))
            await editor.command("report")


def test_nothing_is_sent_that_was_not_declared_or_is_malformed(session: Session):
    assert session.editor.breaches == []
    assert session.editor.error is None


def test_the_session_ends_well(session: Session):
    assert session.seen["status"] == 0


def test_the_findings_are_pushed_or_pulled(session: Session):
    assert {"missing-gradient", "detach"} <= set(session.seen["diagnostics"])
    assert bool(session.heard_of("textDocument/publishDiagnostics")) is not session.editor.pulls
    assert bool(session.heard_of("workspace/diagnostic/refresh")) is session.editor.pulls


def test_a_finding_names_its_cause_in_words_where_no_related_place_is_shown(session: Session):
    finding = session.seen["diagnostics"]["missing-gradient"]
    assert bool(finding.related_information) is bool(session.can("textDocument.publishDiagnostics.relatedInformation"))
    assert re.search(r"line \d+|:\d+", finding.message)


def test_a_version_is_told_to_clients_that_read_it(session: Session):
    if session.editor.pulls:
        pytest.skip("pulls")
    told = any("version" in params for params in session.heard_of("textDocument/publishDiagnostics"))
    assert told is bool(session.can("textDocument.publishDiagnostics.versionSupport"))


def test_a_hover_is_in_markdown_where_that_is_read(session: Session):
    assert session.seen["hovers"]
    reads = "markdown" in (session.can("textDocument.hover.contentFormat") or ())
    marks = [mark for mark in ("`", "**", "|") if mark in session.seen["hover"]]
    assert bool(marks) is reads, session.seen["hover"]


def test_what_a_lens_does_can_be_done_without_lenses(session: Session):
    seen = session.seen
    if session.can("textDocument.codeLens"):
        assert "gradflow.run" in [lens.command.command for lens in seen["lenses"]]
        assert "gradflow.insertProbe" in [lens.command.command for lens in seen["lenses over a class"]]
        assert "gradflow.cancel" in [lens.command.command for lens in seen["lenses while it runs"]]
    if session.can("textDocument.codeAction"):
        commands = [action.command for action in seen["actions"]]
        names = [command if isinstance(command, str) else command.command for command in commands if command]
        assert "gradflow.run" in names


def test_an_action_is_a_literal_where_those_are_understood(session: Session):
    if session.can("textDocument.codeAction"):
        literal = lsp.CodeAction if session.can("textDocument.codeAction.codeActionLiteralSupport") else lsp.Command
        assert session.seen["actions"]
        assert {type(action) for action in session.seen["actions"]} == {literal}


def test_kinds_of_actions_are_announced_to_clients_that_understand_literals(session: Session):
    literals = bool(session.can("textDocument.codeAction.codeActionLiteralSupport"))
    assert isinstance(session.seen["server"].code_action_provider, lsp.CodeActionOptions) is literals


def test_hints_stand_on_the_lines_of_the_layers(session: Session):
    if session.can("textDocument.inlayHint"):
        assert len(session.seen["hints"]) == 2


def test_a_probe_is_written_by_the_server_or_by_the_action(session: Session):
    assert session.can("workspace.applyEdit") or "code action" in session.seen["refused"]
    if session.can("workspace.applyEdit") or session.can("textDocument.codeAction"):
        assert "def gradflow_probe" in session.seen["inserted"]


def test_progress_is_begun_and_ended_where_it_is_shown(session: Session):
    told = session.editor.progress_reports.values()
    assert bool(told) is bool(session.can("window.workDoneProgress"))
    for steps in filter(None, told):  # none where the run had ended before the editor granted its progress
        assert [steps[0].kind, steps[-1].kind] == ["begin", "end"]
        assert {step.kind for step in steps[1:-1]} <= {"report"}


def test_without_progress_the_end_of_a_run_is_a_message(session: Session):
    ends = [one for one in session.editor.messages if one.message.startswith("Gradient probe: ")]
    assert bool(ends) is not bool(session.can("window.workDoneProgress"))


def test_a_run_that_was_asked_for_and_fails_is_told_in_one_message(session: Session):
    while_failing = session.editor.messages[session.seen["before failing"] : session.seen["after failing"]]
    (told,) = [one for one in while_failing if "could not run" in one.message]
    assert told.type == lsp.MessageType.Warning
    assert told.message == "gradflow_probe in raises.py could not run: The probe raised ValueError: no data (line 2)."


def test_a_run_that_fails_says_so_on_its_line(session: Session):
    assert session.seen["failed"]["status"] == "failed"
    assert "no data" in session.seen["failure"]["probe-raised"].message


def test_a_run_is_cancelled_by_its_progress_or_by_command(session: Session):
    assert session.seen["cancelled"]["status"] == "cancelled"


def test_the_settings_are_asked_for_or_taken_as_they_are_sent(session: Session):
    assert session.seen["as a hint"] == lsp.DiagnosticSeverity.Hint
    assert bool(session.heard_of("workspace/configuration")) is bool(session.can("workspace.configuration"))


def test_changes_are_registered_for_where_that_is_possible(session: Session):
    registered = {"workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles"}
    possible = {one for one in registered if session.can(f"{one.replace('/', '.')}.dynamicRegistration")}
    assert set(session.editor.registered) == possible
    assert session.seen.get("run of a file that others made", {"status": "failed"})["status"] == "failed"


def test_what_changed_is_asked_for_again_where_that_can_be_told(session: Session):
    for feature in ("codeLens", "inlayHint"):
        can = bool(session.can(f"workspace.{feature}.refreshSupport"))
        assert bool(session.heard_of(f"workspace/{feature}/refresh")) is can


def test_a_report_is_shown_as_a_page_or_in_a_sentence(session: Session):
    assert "first.weight" in session.seen["shown"]["markdown"]
    told = [message for message in session.editor.messages if message.message.startswith("gradflow_probe: ")]
    pages = session.heard_of("window/showDocument")
    shows = bool(session.can("window.showDocument.support"))
    assert (len(pages), len(told)) == ((1, 0) if shows else (0, 1))


def test_findings_move_with_their_lines_and_are_marked_stale(session: Session):
    assert session.seen["at"]["missing-gradient"] == FIRST  # behind letters of every width, in this client's units
    before, after = session.seen["diagnostics"]["detach"], session.seen["moved"]["detach"]
    assert after.range.start.line == before.range.start.line + 1
    assert session.seen["stale"] != session.seen["hover"]


def test_clearing_takes_everything_away(session: Session):
    assert session.seen["cleared"] == {}
    assert path_of(session.uri).exists() and session.seen["closed"]["state"] == "done"
