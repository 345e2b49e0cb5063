"""The server's log: a small file, since a client takes whatever stands on stderr for trouble.

No record holds a document's text or a message's content, and what users' programs print is not kept.
"""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

OURS = "gradflow_lsp"
"""The logger above all of ours."""
_MOST_BYTES = 1_000_000


def log_file() -> Path:
    """Return where the log is."""
    return Path(platformdirs.user_log_path("gradflow-lsp", appauthor=False)) / "server.log"


def set_up_logging() -> None:
    """Write warnings of all and information of our own to the log; where that is impossible, write nothing."""
    logging.raiseExceptions = False  # a log that cannot be written is no reason to speak up on stderr
    handler: logging.Handler
    try:
        log_file().parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(log_file(), maxBytes=_MOST_BYTES, backupCount=1, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.INFO)
    handler.addFilter(_is_to_be_kept)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger(OURS).setLevel(logging.INFO)
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # its errors hold messages; ours tell of the same


def _is_to_be_kept(record: logging.LogRecord) -> bool:
    from gradflow_lsp.runs.printed import PRINTS  # not before there is a record: a client waits for the start

    return record.name != PRINTS


def fault(error: BaseException | str) -> str:
    """Return the sentence for a fault of the server's own."""
    what = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return f"GradFlow could not do this, by a fault of its own ({one_line(what)}). Its log says more: {log_file()}"


def one_line(text: str) -> str:
    """Return a text without its line ends."""
    return " ".join(text.split())
