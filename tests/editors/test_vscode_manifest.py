"""The VS Code extension's manifest agrees with the server: the same settings, and command names of its own."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from gradflow_lsp.config import Settings, camel

EXTENSION = Path(__file__).parents[2] / "client-config" / "vscode"
OWN_SETTINGS = {"gradflow.server.command", "gradflow.trace.server"}


@pytest.fixture(scope="module")
def manifest():
    return json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def settings(manifest):
    return manifest["contributes"]["configuration"]["properties"]


def test_every_setting_of_the_server_can_be_set_in_the_editor(settings):
    assert set(settings) - OWN_SETTINGS == {f"gradflow.{camel(field.name)}" for field in fields(Settings)}


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_the_editor_shows_the_default_that_is_in_force(settings, field):
    default = getattr(Settings(), field.name)
    in_json = list(default) if isinstance(default, tuple) else default
    assert settings[f"gradflow.{camel(field.name)}"]["default"] == in_json


def test_every_setting_is_explained(settings):
    assert [name for name, s in settings.items() if not (s.get("description") or s.get("markdownDescription"))] == []


def test_no_command_of_the_extension_has_the_name_of_one_of_the_server(manifest):
    # The server's `gradflow.<name>` are registered for the whole editor by the language client; twice is an error.
    commands = [command["command"] for command in manifest["contributes"]["commands"]]
    assert commands and all(command.startswith("gradflow.client.") for command in commands)


def test_nothing_in_an_untrusted_folder_chooses_what_is_executed(manifest):
    restricted = manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert {"gradflow.server.command", "gradflow.interpreter", "gradflow.launcher", "gradflow.run"} <= set(restricted)


@pytest.mark.parametrize("folder", [EXTENSION, Path(__file__).parent / "vscode"], ids=lambda folder: folder.parent.name)
def test_the_lock_file_names_no_registry(folder):
    packages = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert packages and [name for name, package in packages.items() if "resolved" in package] == []
