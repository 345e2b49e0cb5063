"""Servers to talk to: one an editor for most tests, a fresh one for those that end it or need options of their own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from .editor import EDITORS, PATIENCE, Editor


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests of this folder in one loop, the servers' own, and take a breach of the protocol for a failure."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"))
            if pytest_asyncio.is_async_test(item):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace folder that the long-lived servers have open."""
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture()
def folder(workspace: Path, request: pytest.FixtureRequest) -> Path:
    """A folder of the workspace for one test alone."""
    name = "".join(c if c.isalnum() else "_" for c in request.node.name)
    path = workspace / name
    path.mkdir()
    return path


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def running(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Callable[[str], Awaitable[Editor]]]:
    """Return a named editor whose server has the workspace open; started once, and ended with the session."""
    editors: dict[str, Editor] = {}

    async def editor_named(name: str) -> Editor:
        if name not in editors:
            editors[name] = await start_editor(name, tmp_path_factory.mktemp("state"), [workspace])
        return editors[name]

    yield editor_named
    for editor in editors.values():
        await end(editor)


@pytest_asyncio.fixture(loop_scope="session", params=EDITORS)
async def editor(running: Callable[[str], Awaitable[Editor]], request: pytest.FixtureRequest) -> Editor:
    """Each editor in turn."""
    return await running(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def vscode(running: Callable[[str], Awaitable[Editor]]) -> Editor:
    """The editor that can do most: it pulls its diagnostics, watches files, refreshes and shows documents."""
    return await running("vscode")


@pytest_asyncio.fixture(loop_scope="session")
async def neovim(running: Callable[[str], Awaitable[Editor]]) -> Editor:
    """An editor in UTF-8 that is pushed to, and refreshes no lenses."""
    return await running("neovim")


@pytest_asyncio.fixture(loop_scope="session")
async def ale(running: Callable[[str], Awaitable[Editor]]) -> Editor:
    """The editor that can do least."""
    return await running("vim-ale")


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Callable[..., Awaitable[Editor]]]:
    """Start a server for one test: `await fresh("neovim", folder, timeout=5)`, with initialization options."""
    editors: list[Editor] = []

    async def start(name: str, *folders: Path, **options: object) -> Editor:
        editors.append(await start_editor(name, tmp_path_factory.mktemp("state"), folders, **options))
        return editors[-1]

    yield start
    for editor in editors:
        await end(editor)


async def start_editor(name: str, state: Path, folders: Sequence[Path], **options: object) -> Editor:
    """Start a server that finds no other Python than this one, and leaves nothing behind but in `state`."""
    variables = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    editor = await Editor.config(env={**variables, "XDG_STATE_HOME": str(state)}).start()
    await editor.start(name, folders, **{"interpreter": sys.executable, **options})
    return editor


async def end(editor: Editor) -> None:
    """End a server as an editor does, unless the test has."""
    async with asyncio.timeout(PATIENCE):
        if editor.server.returncode is None:
            await editor.shutdown_session()
        await editor.stop()
