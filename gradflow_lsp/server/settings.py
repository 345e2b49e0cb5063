"""The settings in force in each folder: the flags, the client's configuration and `pyproject.toml`, one over another.

The client's configuration is asked for once it has said `initialized`, and again whenever it says that it changed. What
is wrong with a setting is told once, and again only after it was right.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from gradflow_lsp.config import Loaded, Settings, load
from gradflow_lsp.runs.interpreter import Interpreter, find_interpreter

if TYPE_CHECKING:
    from gradflow_lsp.server.session import Session

log = logging.getLogger(__name__)

SECTION = "gradflow"
_CLIENT = "client"
"""What a client says of itself beside the settings: `{"interpreter": the selected Python, path or command}`, and at the
start `{"images": true}` if it draws the images in a hover; no capability of the protocol tells that."""
_PATIENCE = 10.0
"""Seconds that a run waits for a client's configuration before it does without."""


class FolderSettings:
    """The settings of each folder, read when first asked for and kept until something changes."""

    def __init__(self, session: Session, initial: Any, flags: Mapping[str, Any] | None) -> None:
        self._session = session
        self._initial = initial if isinstance(initial, Mapping) else {}
        self._flags = flags
        self._editor: dict[Path | None, Mapping[str, Any]] = {}
        self._loaded: dict[Path, Loaded] = {}
        self._wrong: dict[Path, set[str]] = {}
        """What is known to be wrong in each folder, and was told."""
        self._interpreters: dict[Path, Interpreter] = {}
        """The one that was last told for each folder."""
        self._answered = asyncio.Event()

    def of(self, path: str) -> Settings:
        """Return the settings that hold for a file."""
        return self.of_folder(self._session.folder_of(path))

    def of_folder(self, folder: Path) -> Settings:
        """Return the settings that hold in a folder."""
        return self._of(folder).settings

    def interpreter(self, folder: Path) -> Interpreter:
        """Return the Python that runs the probes of a folder."""
        loaded = self._of(folder)
        return find_interpreter(
            folder,
            setting=loaded.settings.interpreter,
            origin=loaded.origins["interpreter"],
            client=self.chosen_interpreter(folder),
            launcher=loaded.settings.launcher,
            mappings=loaded.settings.path_mappings,
        )

    def chosen_interpreter(self, folder: Path) -> str | tuple[str, ...] | None:
        """Return the Python that is selected in the editor for a folder, where its extension says so."""
        client = self._from_editor(folder).get(_CLIENT)
        interpreter = client.get("interpreter") if isinstance(client, Mapping) else None
        if isinstance(interpreter, list) and interpreter and all(isinstance(word, str) for word in interpreter):
            return tuple(interpreter)
        return interpreter if isinstance(interpreter, str) else None

    @property
    def images(self) -> bool:
        """Whether the client says that it draws the images in a hover."""
        client = self._initial.get(_CLIENT)
        return isinstance(client, Mapping) and client.get("images") is True

    def reread(self) -> None:
        """Forget what was read from files."""
        self._loaded.clear()

    async def ready(self) -> None:
        """Wait until the client has answered what its configuration is; not forever."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):  # `wait_for` can swallow that a run is cancelled
                await self._answered.wait()

    async def ask(self) -> None:
        """Ask the client for its configuration of every folder."""
        session = self._session
        try:
            if session.capabilities.configuration:
                items = [lsp.ConfigurationItem(section=SECTION)]
                items += [lsp.ConfigurationItem(scope_uri=uri, section=SECTION) for uri in session.folders]
                answers = await session.server.workspace_configuration_async(lsp.ConfigurationParams(items))
                self._take(answers)
        except Exception:
            session.log.exception("the client did not tell its configuration")
        finally:
            self._answered.set()
            session.settings_changed()

    def told(self, payload: Any) -> None:
        """Take the configuration that a client sends of itself, for want of one that can be asked for."""
        if isinstance(payload, Mapping):
            self._editor = {None: payload.get(SECTION) or {} if SECTION in payload else payload}
        self._session.settings_changed()

    def _of(self, folder: Path) -> Loaded:
        if folder not in self._loaded:
            editor = {name: value for name, value in self._from_editor(folder).items() if name != _CLIENT}
            loaded = self._loaded[folder] = load(folder, editor=editor, flags=self._flags)
            self._tell(folder, loaded.problems)
            if self._answered.is_set():
                self._tell_interpreter(folder)
        return self._loaded[folder]

    def _from_editor(self, folder: Path) -> dict[str, Any]:
        return {**self._initial, **(self._editor.get(folder) or self._editor.get(None) or {})}

    def _take(self, answers: Sequence[Any] | None) -> None:
        folders: list[Path | None] = [None, *self._session.folders.values()]
        self._editor = {
            folder: answer
            for folder, answer in zip(folders, answers or (), strict=False)
            if isinstance(answer, Mapping)
        }

    def _tell(self, folder: Path, problems: Sequence[str]) -> None:
        """Say once what is wrong, also where it holds in several folders or moves with its line."""
        wrong = {_LINE.sub(":", problem): problem for problem in problems}
        known = set().union(*self._wrong.values())
        self._wrong[folder] = set(wrong)
        for problem in (problem for key, problem in wrong.items() if key not in known):
            log.warning("%s", problem)
            self._session.tell(problem, lsp.MessageType.Warning)

    def _tell_interpreter(self, folder: Path) -> None:
        """Say in the output channel which Python runs the probes of a folder, whenever that is another one."""
        interpreter = self.interpreter(folder)
        last = self._interpreters.get(folder)
        if last != interpreter:
            self._interpreters[folder] = interpreter
            if last is not None:
                asyncio.get_running_loop().call_soon(self._session.forget_launch_failures, folder)
            log.info("probes in %s are run by %s (%s)", folder, interpreter, interpreter.why)
            for sentence in interpreter.passed_over:
                log.info("%s", sentence)


_LINE = re.compile(r":\d+:")


def register(session: Session) -> None:
    """Register what the client says about settings."""

    @session.server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: lsp.DidChangeConfigurationParams) -> None:
        if session.capabilities.configuration:
            session.in_background(session.settings.ask())
        else:
            session.settings.told(params.settings)


async def watch_configuration(session: Session) -> None:
    """Ask the client to tell of changes, where it wants to be asked."""
    if session.capabilities.register_configuration:
        await session.register_capability(
            lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, lsp.DidChangeConfigurationRegistrationOptions(section=SECTION)
        )
