import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from gradflow_lsp.server.app import GradflowServer

INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}
INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS, INTERNAL, PARSE = -32600, -32601, -32602, -32603, -32700
NOT_INITIALIZED, CANCELLED = -32002, -32800
A_FILE = {"uri": "file:///nowhere/model.py"}


class Talk:
    """A server in this process, and what it has said so far."""

    def __init__(self) -> None:
        self.server = GradflowServer()
        self.server.protocol.set_writer(self, include_headers=False)
        self.said: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        message = json.loads(data)
        if message.get("method") != "window/logMessage":  # the output channel may hear of anything
            self.said.append(message)

    def close(self) -> None:
        pass

    def send(self, **message: Any) -> None:
        self.server.protocol.handle_message({"jsonrpc": "2.0", **message})

    def ask(self, method: str, params: Any = None, number: Any = 1, **more: Any) -> Any:
        """Send a request that is answered at once; return the code of the error, else the result."""
        self.send(id=number, method=method, params=params, **more)
        return outcome(self.said[-1], number)


def outcome(answer: dict[str, Any], number: Any) -> Any:
    assert answer["id"] == number
    return answer["error"]["code"] if "error" in answer else answer["result"]


@pytest.fixture
async def new():
    talk = Talk()
    yield talk
    await talk.server.close()


@pytest.mark.parametrize("root", [{"rootUri": "file://[x"}, {"rootPath": "relative"}])
async def test_a_root_that_is_no_place_is_none(new: Talk, root: dict[str, str]):
    new.ask("initialize", {**INITIALIZE, **root})
    document = {"uri": "file://[x"}
    assert new.ask("textDocument/hover", {"textDocument": document, "position": {"line": 0, "character": 0}}) is None
    assert new.server.session.folders == {}


async def test_a_session_that_cannot_be_opened_leaves_no_request_without_an_answer(new: Talk, monkeypatch):
    def fails(*_: object) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr("gradflow_lsp.server.features.open_session", fails)
    assert new.ask("initialize", INITIALIZE)["serverInfo"]["name"] == "gradflow-lsp"
    for number in (2, 3):
        assert new.ask("shutdown", number=number) == INTERNAL


@pytest.fixture
async def talk(new: Talk):
    assert new.ask("initialize", INITIALIZE)["serverInfo"]["name"] == "gradflow-lsp"
    new.said.clear()
    return new


async def shut_down(talk: Talk) -> None:
    talk.send(id="down", method="shutdown")
    await until(lambda: any(message.get("id") == "down" for message in talk.said))


async def until(fact: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not fact():
            await asyncio.sleep(0)


class TestBeforeInitialize:
    async def test_a_request_is_told_to_wait(self, new: Talk):
        assert new.ask("textDocument/hover", {}) == NOT_INITIALIZED
        assert new.ask("shutdown") == NOT_INITIALIZED

    async def test_a_notification_is_passed_over(self, new: Talk):
        new.send(method="textDocument/didOpen", params={"textDocument": A_FILE})
        new.send(method="initialized", params={})
        assert new.said == []

    async def test_an_initialize_that_cannot_be_read_may_be_repeated(self, new: Talk):
        assert new.ask("initialize", {"processId": "none"}) == INVALID_PARAMS
        assert "capabilities" in new.ask("initialize", INITIALIZE)


class TestAfterwards:
    async def test_a_second_initialize_is_an_error(self, talk: Talk):
        assert talk.ask("initialize", INITIALIZE) == INVALID_REQUEST

    async def test_a_request_after_shutdown_is_an_error(self, talk: Talk):
        await shut_down(talk)
        assert talk.ask("textDocument/hover", {"textDocument": A_FILE}) == INVALID_REQUEST
        assert talk.ask("shutdown") == INVALID_REQUEST

    async def test_a_second_shutdown_does_not_disturb_the_first(self, talk: Talk):
        talk.send(id=1, method="shutdown")
        assert talk.ask("shutdown", number=2) == INVALID_REQUEST
        await until(lambda: len(talk.said) == 2)
        assert outcome(talk.said[-1], 1) is None

    async def test_a_notification_after_shutdown_is_passed_over(self, talk: Talk):
        await shut_down(talk)
        talk.said.clear()
        talk.send(method="workspace/didChangeConfiguration", params={"settings": {"gradflow": {"timeout": "long"}}})
        assert talk.said == []

    @pytest.mark.parametrize(("with_shutdown", "status"), [(True, 0), (False, 1)])
    async def test_the_status_says_whether_exit_came_after_shutdown(self, talk: Talk, with_shutdown: bool, status: int):
        if with_shutdown:
            talk.send(id=1, method="shutdown")  # received is enough: not every client waits for the answer
        with pytest.raises(SystemExit) as ended:
            talk.send(method="exit")
        assert ended.value.code == status


class TestWhatCannotBeDone:
    @pytest.mark.parametrize("method", ["textDocument/completion", "foo/bar", "$/unknown"])
    async def test_a_method_that_is_not_there_is_said_not_to_be(self, talk: Talk, method: str):
        assert talk.ask(method, {"what": "ever"}) == NOT_FOUND

    async def test_nor_without_parameters(self, talk: Talk):
        talk.send(id=1, method="foo/bar")
        assert outcome(talk.said[-1], 1) == NOT_FOUND

    @pytest.mark.parametrize("method", ["foo/bar", "$/unknown", "textDocument/willSave"])
    async def test_a_notification_that_is_unknown_is_passed_over(self, talk: Talk, method: str):
        talk.send(method=method, params={})
        assert talk.said == []

    @pytest.mark.parametrize(
        ("params", "what"),
        [
            (None, "textDocument"),
            ([], "textDocument"),
            ({"textDocument": A_FILE}, "position"),
            ({"textDocument": A_FILE, "position": {"line": -1, "character": 0}}, "position"),
            ({"textDocument": A_FILE, "position": {"line": 2**40, "character": 0}}, "position"),
            ({"textDocument": {"uri": 7}, "position": "here"}, "position"),
        ],
    )
    async def test_parameters_that_do_not_fit_are_answered_with_what_is_wrong(self, talk: Talk, params: Any, what: str):
        assert talk.ask("textDocument/hover", params) == INVALID_PARAMS
        assert what in talk.said[-1]["error"]["message"]

    async def test_a_notification_that_does_not_fit_shows_nothing(self, talk: Talk):
        talk.send(method="textDocument/didOpen", params={"textDocument": 3})
        talk.send(method="textDocument/didChange", params=None)
        assert talk.said == []

    async def test_a_command_that_is_not_there_is_an_error(self, talk: Talk):
        assert talk.ask("workspace/executeCommand", {"command": "gradflow.nothing"}) == INVALID_PARAMS

    async def test_an_error_of_the_server_shows_no_traceback(self, talk: Talk, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setitem(talk.server.protocol.fm.features, lsp.TEXT_DOCUMENT_HOVER, lambda params: 1 / 0)
        params = {"textDocument": A_FILE, "position": {"line": 0, "character": 0}}
        assert talk.ask("textDocument/hover", params) == INTERNAL
        assert __file__ not in json.dumps(talk.said)

    @pytest.mark.parametrize("message", [[], "hello", {"id": 1, "method": "shutdown"}, {"jsonrpc": "1.0", "id": 2}])
    async def test_what_is_no_message_is_an_invalid_request_of_nobody(self, talk: Talk, message: Any):
        talk.server.protocol.handle_message(message)
        assert outcome(talk.said[-1], None) == INVALID_REQUEST

    @pytest.mark.parametrize("number", [None, True, 1.5, {}, []])
    async def test_an_id_is_a_string_or_an_integer(self, talk: Talk, number: Any):
        talk.send(id=number, method="shutdown")
        assert outcome(talk.said[-1], None) == INVALID_REQUEST

    @pytest.mark.parametrize("body", [b"{", b"", b"\xff\xff", b"NaN or so"])
    async def test_what_is_no_json_is_a_parse_error_of_nobody(self, talk: Talk, body: bytes):
        talk.server.protocol.read(body)
        assert outcome(talk.said[-1], None) == PARSE


class TestAnswers:
    @pytest.mark.parametrize("number", [0, 7, -3, "seven", ""])
    async def test_an_answer_has_the_id_of_its_request(self, talk: Talk, number: Any):
        assert talk.ask("textDocument/codeLens", {"textDocument": A_FILE}, number=number) == []

    async def test_a_dictionary_of_the_users_may_have_any_key(self, talk: Talk):
        argument = {"uri": A_FILE["uri"], "jsonrpc": "2.0", "id": 3, "method": "foo"}
        params = {"command": "gradflow.report", "arguments": [argument]}
        assert talk.ask("workspace/executeCommand", params) is None

    async def test_a_request_is_cancelled_while_it_goes_on_and_answered_once(self, talk: Talk, tmp_path: Path):
        uri = (tmp_path / "model.py").as_uri()
        text = "from torch import nn\n\n\nclass Net(nn.Module):\n    pass\n"
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        talk.send(method="textDocument/didOpen", params={"textDocument": document})
        at = {"line": 3, "character": 8}
        params = {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}}
        talk.server.session.capabilities.__dict__["code_action_literals"] = True
        talk.send(id=5, method="textDocument/codeAction", params=params)
        talk.send(method="$/cancelRequest", params={"id": 5})
        talk.send(method="$/cancelRequest", params={"id": 5})
        await until(lambda: talk.said)
        assert outcome(talk.said[-1], 5) == CANCELLED
        assert talk.ask("textDocument/codeLens", {"textDocument": {"uri": uri}}, number=6)
        assert len(talk.said) == 2

    async def test_an_answer_that_does_not_fit_is_a_failure_of_what_was_asked(self, talk: Talk):
        asked = asyncio.ensure_future(
            talk.server.workspace_configuration_async(lsp.ConfigurationParams([lsp.ConfigurationItem()]))
        )
        await until(lambda: talk.said)
        talk.send(id=talk.said[-1]["id"], result=7)
        with pytest.raises(Exception, match="result"):
            await asked

    async def test_an_answer_that_nobody_asked_for_is_passed_over(self, talk: Talk):
        talk.send(id="nobody", result=None)
        talk.send(id=None, error={"code": 1, "message": "what?"})
        assert talk.said == []
