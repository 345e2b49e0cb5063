"""All features, and the session that they share: what takes long to import, and is not before it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from gradflow_lsp.server import code_actions, code_lens, commands, diagnostics, hover, inlay_hints, settings, watching
from gradflow_lsp.server.scanning import scan
from gradflow_lsp.server.session import Session

if TYPE_CHECKING:
    from gradflow_lsp.server.app import GradflowServer

_FEATURES = (diagnostics, hover, code_lens, inlay_hints, code_actions, commands, watching, settings)


def open_session(server: GradflowServer, params: lsp.InitializeParams, flags: Mapping[str, Any] | None) -> Session:
    """Return a new session, with everything registered that its client was offered."""
    session = Session(server, params, flags)
    for feature in _FEATURES:
        feature.register(session)
    return session


def begin(session: Session) -> None:
    """Do what has to wait until the client may be asked: look for probes, and for its configuration."""
    scan(session)
    session.in_background(session.settings.ask())
    session.in_background(settings.watch_configuration(session))
    session.in_background(watching.watch_files(session))
