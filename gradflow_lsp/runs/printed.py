"""Passes on what a run printed, once and bounded, to whoever listens: the server does, and shows it in the editor."""

from __future__ import annotations

import logging
import re
from pathlib import Path

from gradflow_lsp.probe.protocol import RunRequest
from gradflow_lsp.runs import failures

PRINTS = "gradflow_lsp.prints"
"""The name of the logger for what users' programs print. It is private: no file keeps it."""

_MOST_LINES, _MOST_CHARACTERS = 200, 10_000
_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")

_log = logging.getLogger(PRINTS)


def pass_on(request: RunRequest, output: str, *, stopped: bool = False) -> None:
    """Pass on what a run printed, if it printed anything; of very much, the end. It may have been `stopped` by us."""
    text = _COLOURS.sub("", failures.printed(output, stopped=stopped) or "").strip("\n")
    if text:
        kept = "\n".join(text[-_MOST_CHARACTERS:].splitlines()[-_MOST_LINES:])
        start = "printed" if kept == text else "printed much, at the end of it"
        _log.info("%s in %s %s:\n%s", request.function, Path(request.path).name, start, kept)
