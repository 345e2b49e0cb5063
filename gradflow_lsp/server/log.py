"""The server's log: a small file, since a client takes whatever stands on stderr for trouble."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

_MOST_BYTES = 1_000_000


def log_file() -> Path:
    """Return where the log is."""
    return Path(platformdirs.user_log_path("gradflow-lsp", appauthor=False)) / "server.log"


def set_up_logging() -> None:
    """Write warnings of all and information of our own to the log; where that is impossible, write nothing."""
    handler: logging.Handler
    try:
        log_file().parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(log_file(), maxBytes=_MOST_BYTES, backupCount=1, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("gradflow_lsp").setLevel(logging.INFO)
