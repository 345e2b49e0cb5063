import pytest
from lsprotocol import types as lsp

from gradflow_lsp.server.capabilities import Capabilities

from .editor import capabilities


def of(name: str) -> Capabilities:
    return Capabilities.of(capabilities(name))


def test_a_client_that_declares_nothing_can_do_nothing():
    able = vars(Capabilities.of(lsp.ClientCapabilities()))
    assert [name for name, value in able.items() if value] == ["position_encoding"]


@pytest.mark.parametrize(
    ("names", "chosen"), [(None, "utf-16"), (["utf-7", "utf-32", "utf-8"], "utf-32"), (["utf-7"], "utf-16")]
)
def test_columns_count_what_the_client_names_first_of_what_is_known(names, chosen):
    client = lsp.ClientCapabilities(general=lsp.GeneralClientCapabilities(position_encodings=names))
    assert Capabilities.of(client).position_encoding == chosen


@pytest.mark.parametrize(("name", "pulls"), [("vscode", True), ("neovim", False), ("vim-ale", False), ("eglot", False)])
def test_diagnostics_are_pulled_only_by_clients_that_can_be_told_to_pull_again(name, pulls):
    assert of(name).pull_diagnostics is pulls


@pytest.mark.parametrize(("name", "shown"), [("vscode", True), ("neovim", True), ("eglot", False)])
def test_related_information_goes_to_clients_that_show_it(name, shown):
    assert of(name).related_information is shown


def test_real_clients_differ_in_what_they_can_be_asked():
    assert of("vscode").document_changes and not of("neovim").document_changes
    assert of("vscode").register_watchers and not of("neovim").register_watchers
    assert of("neovim").work_done_progress and not of("vim-ale").work_done_progress
    assert of("neovim").markdown and not of("vim-ale").markdown
    assert of("neovim").configuration and not of("vim-ale").configuration
