"""What keeps a probe from running, as seen from inside its process: one sentence, the user's own line, a traceback.

The failures that only an outside observer can tell (a crash, a time limit, no torch) are in `runs/failures.py`.
"""

from __future__ import annotations

import importlib
import linecache
import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType

from .first_party import is_first_party
from .loading import loaded_sources
from .protocol import RunRequest
from .report import Location, ProbeError, ProbeReport
from .sites import Site
from .syntax import whole_line

_OURS = f"{Path(__file__).parent}{os.sep}"
_NO_ONES = (_OURS, "<frozen importlib", importlib.__file__)
_LONGEST_SENTENCE = 300
_LONGEST_TRACEBACK = 20_000
_WHAT_HAPPENED = {
    "import-error": "{file} could not be imported: {what}",
    "probe-raised": "The probe raised {what}",
    "backward-failed": "The backward pass failed: {what}",
    "out-of-memory": "There was not enough memory: {what}",
}


@dataclass(frozen=True)
class Whereabouts:
    """Where the user's code is or was: its own innermost expression, and the stack that led there as text."""

    location: Location | None
    traceback: str


def describe(error: BaseException, kind: str, message: str | None, request: RunRequest) -> ProbeError:
    """Turn what the user's code raised into a `ProbeError`.

    `kind` says during what it was raised (`import-error`, `probe-raised`, `backward-failed`, …) and is made more exact
    where the exception itself tells: `syntax-error`, `system-exit`, `out-of-memory`. `message` replaces the sentence,
    which is written here otherwise.
    """
    location = _syntax_location(error, request) or _innermost(_traceback_frames(error.__traceback__), request)
    kind = _exact_kind(error, kind, request)
    if message is None:
        message = f"{_sentence(error, kind, location, request)}{_at(location, request)}."
    return ProbeError(kind, message, location, _traceback(error, request))


def sentence_of(error: BaseException) -> str:
    """Return `Type: text` of an exception on one line, cut where it gets long; no full stop."""
    text = _first_line(error)
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def failed_report(request: RunRequest, error: ProbeError) -> ProbeReport:
    """Return the report of a run that gave no gradients because of `error`."""
    return ProbeReport(
        path=request.path,
        function=request.function,
        line=request.line,
        status="failed",
        mode=request.mode,
        error=error,
        sources=loaded_sources(request),
    )


def our_own(error: BaseException) -> ProbeError:
    """Describe an exception that is no fault of the user's code but of this program."""
    text = "".join(traceback.format_exception(error))[-_LONGEST_TRACEBACK:]
    message = f"gradflow-lsp itself failed ({sentence_of(error)}); please report it with the traceback."
    return ProbeError("launcher-failed", message, None, text)


def whereabouts(frame: FrameType | None, request: RunRequest) -> Whereabouts:
    """Say where the code that is running in `frame` is."""
    stack = []
    while frame is not None:
        stack.append((frame, frame.f_lasti, frame.f_lineno))
        frame = frame.f_back
    stack.reverse()
    summary = traceback.StackSummary.extract((f, line) for f, _, line in stack)
    return Whereabouts(_innermost(iter(stack), request), "".join(_from_the_user_on(summary, request).format()))


def _exact_kind(error: BaseException, kind: str, request: RunRequest) -> str:
    if isinstance(error, SystemExit):
        return "system-exit"
    if isinstance(error, SyntaxError) and _syntax_location(error, request):
        return "syntax-error"
    text = str(error) if isinstance(error, RuntimeError) else ""
    if isinstance(error, MemoryError) or "can't allocate memory" in text or "out of memory" in text:
        return "out-of-memory"
    return kind


def _sentence(error: BaseException, kind: str, location: Location | None, request: RunRequest) -> str:
    file = Path(location.path if location else request.path).name
    if kind == "syntax-error" and isinstance(error, SyntaxError):
        return f"{file} has a syntax error: {error.msg}"
    if kind == "system-exit" and isinstance(error, SystemExit):
        call = f"sys.exit({'' if error.code is None else repr(error.code)[:_LONGEST_SENTENCE]})"
        if location is None or _runs_at_import(error, request):
            return f'{file} called {call} while it was imported: put the call under if __name__ == "__main__"'
        return f"The probe called {call}"
    if kind == "import-error" and isinstance(error, ModuleNotFoundError) and error.name and "." not in error.name:
        return (
            f"{file} imports {error.name}, which {sys.executable} does not have: "
            "install it there or choose another interpreter"
        )
    plain = kind == "import-error" and isinstance(error, ImportError)
    what = _first_line(error) if plain else sentence_of(error)
    return _WHAT_HAPPENED.get(kind, "The probe failed: {what}").format(file=file, what=what.rstrip("."))


def _runs_at_import(error: BaseException, request: RunRequest) -> bool:
    """Say whether the user's outermost frame is a module's own code, not the probe."""
    frames = (frame for frame, _, _ in _traceback_frames(error.__traceback__))
    outermost = next((f for f in frames if _is_the_users(f.f_code.co_filename, request)), None)
    return outermost is not None and outermost.f_code.co_name == "<module>"


def _at(location: Location | None, request: RunRequest) -> str:
    if location is None:
        return ""
    elsewhere = "" if location.path == request.path else f"{Path(location.path).name}, "
    return f" ({elsewhere}line {location.line})"


def _first_line(error: BaseException) -> str:
    try:
        line = next(iter(str(error).strip().splitlines()), "")
    except Exception:  # the user's own `__str__` may fail as well
        return ""
    return line if len(line) <= _LONGEST_SENTENCE else line[: _LONGEST_SENTENCE - 1] + "…"


def _is_the_users(path: str, request: RunRequest) -> bool:
    if path.startswith(_OURS):
        return False
    return path == request.path or is_first_party(path, request.roots)


def _traceback_frames(tb: TracebackType | None) -> Iterator[tuple[FrameType, int, int]]:
    while tb is not None:
        yield tb.tb_frame, tb.tb_lasti, tb.tb_lineno
        tb = tb.tb_next


def _innermost(frames: Iterator[tuple[FrameType, int, int]], request: RunRequest) -> Location | None:
    """The user's innermost expression among frames that come outermost first."""
    users = [(f.f_code, lasti) for f, lasti, _ in frames if _is_the_users(f.f_code.co_filename, request)]
    return Site(*users[-1], None).location() if users else None


def _syntax_location(error: BaseException, request: RunRequest) -> Location | None:
    """The place that a `SyntaxError` of the user's text points at."""
    if not isinstance(error, SyntaxError) or not error.filename or not _is_the_users(error.filename, request):
        return None
    line = error.lineno or 1
    whole = whole_line(error.filename, line)
    start = (error.offset or 0) - 1
    if start < 0:
        return whole
    width = len(linecache.getline(error.filename, line).rstrip("\n"))
    start = min(start, width)
    end = (error.end_offset or 0) - 1
    if error.end_lineno is None or error.end_lineno < line or (error.end_lineno == line and end <= start):
        return Location(error.filename, line, start, line, max(start, min(start + 1, width)))
    return Location(error.filename, line, start, error.end_lineno, max(end, 0))


def _traceback(error: BaseException, request: RunRequest) -> str:
    shown = traceback.TracebackException.from_exception(error)
    pending = [shown]
    while pending:
        part = pending.pop()
        part.stack = _from_the_user_on(part.stack, request)
        pending += [inner for inner in (part.__cause__, part.__context__) if inner]
        pending += getattr(part, "exceptions", None) or []
    text = "".join(shown.format())
    if len(text) <= _LONGEST_TRACEBACK:
        return text
    half = _LONGEST_TRACEBACK // 2
    return f"{text[:half]}\n  …\n{text[-half:]}"


def _from_the_user_on(stack: traceback.StackSummary, request: RunRequest) -> traceback.StackSummary:
    """Drop the frames before the user's first one, and those of this package and of the import system."""
    entries = list(stack)
    first = next((i for i, e in enumerate(entries) if _is_the_users(e.filename, request)), 0)
    return traceback.StackSummary.from_list([e for e in entries[first:] if not e.filename.startswith(_NO_ONES)])
