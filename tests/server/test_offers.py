import subprocess
import sys

import pytest
from lsprotocol import types as lsp

from gradflow_lsp.server.app import GradflowServer
from gradflow_lsp.server.capabilities import Capabilities
from gradflow_lsp.server.features import open_session
from gradflow_lsp.server.offers import COMMANDS, PREFIX, offers

from .editor import capabilities

PROVIDERS = {
    "hover_provider": lsp.TEXT_DOCUMENT_HOVER,
    "code_lens_provider": lsp.TEXT_DOCUMENT_CODE_LENS,
    "inlay_hint_provider": lsp.TEXT_DOCUMENT_INLAY_HINT,
    "code_action_provider": lsp.TEXT_DOCUMENT_CODE_ACTION,
    "diagnostic_provider": lsp.TEXT_DOCUMENT_DIAGNOSTIC,
    "execute_command_provider": lsp.WORKSPACE_EXECUTE_COMMAND,
    "position_encoding": None,
    "text_document_sync": lsp.TEXT_DOCUMENT_DID_CHANGE,
    "workspace": lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
}
"""What is offered, and a request or notification that is then handled."""


@pytest.mark.parametrize("name", ["vscode", "neovim", "vim-ale"])
async def test_what_is_offered_is_what_is_registered(name: str):
    server, client = GradflowServer(), capabilities(name)
    session = open_session(server, lsp.InitializeParams(client), None)
    offered = {field for field, value in vars_of(offers(Capabilities.of(client))) if value is not None}
    assert offered <= set(PROVIDERS)
    for field, method in PROVIDERS.items():
        handled = method in server.protocol.fm.features or method == lsp.WORKSPACE_EXECUTE_COMMAND
        assert (field in offered) is (handled or method is None), field
    assert list(server.protocol.fm.commands) == [PREFIX + name for name in COMMANDS]
    await session.close()


def vars_of(offered: lsp.ServerCapabilities) -> list[tuple[str, object]]:
    return [(name, getattr(offered, name)) for name in offered.__slots__ if not name.startswith("_")]


def test_initialize_is_answered_before_the_features_are_imported():
    program = "import sys, gradflow_lsp.server.transports; print(*sorted(n for n in sys.modules if 'gradflow' in n))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = done.stdout.split()
    assert "gradflow_lsp.server.offers" in imported
    assert not [name for name in imported if name.split(".")[1:2] not in ([], ["server"])]
