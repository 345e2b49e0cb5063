"""What keeps a probe from running, as seen from inside its process: one sentence, the user's own line, a traceback.

The failures that only an outside observer can tell (a crash, a time limit, no torch) are in `runs/failures.py`.
"""

from __future__ import annotations

import importlib
import linecache
import os
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import cast

from .first_party import is_first_party
from .protocol import RunRequest
from .report import Location, ProbeError, ProbeReport
from .sites import Site
from .sources import loaded_sources
from .syntax import whole_line

_OURS = f"{Path(__file__).parent}{os.sep}"
_NO_ONES = (_OURS, "<frozen importlib", importlib.__file__)
_LONGEST_SENTENCE = 300
_LONGEST_TRACEBACK = 20_000
_OUT_OF_MEMORY = re.compile("can't allocate memory|out of memory")
_ASKED_FOR = re.compile(r"allocate (\d+(?:\.\d*)?) ?(bytes|[KMGTP]iB)")
_WHAT_HAPPENED = {
    "import-error": "{file} could not be imported: {what}",
    "probe-raised": "The probe raised {what}",
    "backward-failed": "The backward pass failed: {what}",
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
    location = _syntax_location(error, request) or _innermost(_frames(error), request)
    if location and _syntax_file(error, request) not in (None, location.path):
        location = None  # where the file was imported is not what is wrong
    kind = _exact_kind(error, kind, request)
    if message is None:
        message = f"{_sentence(error, kind, location, request)}{_at(location, request)}."
        if kind == "out-of-memory":
            message += " Give the probe a smaller model or less data."
    return ProbeError(kind, message, location, _traceback(error, request))


def sentence_of(error: BaseException) -> str:
    """Return `Type: text` of an exception on one line, cut where it gets long; no full stop."""
    text, name = _first_line(error), _class_name(error)
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
    message = f"gradflow-lsp itself failed ({sentence_of(error)}); please report it with the traceback."
    return ProbeError("launcher-failed", message, None, _formatted(error)[-_LONGEST_TRACEBACK:])


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
    if _is(error, SystemExit):
        return "system-exit"
    if _syntax_file(error, request):
        return "syntax-error"
    if _is(error, MemoryError) or (_is(error, RuntimeError) and _OUT_OF_MEMORY.search(_text(error))):
        return "out-of-memory"
    return kind


def _sentence(error: BaseException, kind: str, location: Location | None, request: RunRequest) -> str:
    file = Path(location.path if location else request.path).name
    if kind == "syntax-error":
        file = Path(_syntax_file(error, request) or file).name
        return f"{file} has a syntax error: {_cut(_text(_plain(error, SyntaxError, 'msg')))}"
    if kind == "system-exit":
        code = _plain(error, SystemExit, "code")
        call = f"sys.exit({'' if code is None else _cut(_repr(code))})"
        if location is None or _runs_at_import(error, request):
            return f'{file} called {call} while it was imported: put the call under if __name__ == "__main__"'
        return f"The probe called {call}"
    if kind == "import-error" and _is(error, ModuleNotFoundError):
        name = _plain(error, ImportError, "name")
        if isinstance(name, str) and name and "." not in name:
            return (
                f"{file} imports {name}, which {sys.executable} does not have: "
                "install it there or choose another interpreter"
            )
    if kind == "out-of-memory":
        asked = _ASKED_FOR.search(_text(error))
        return "There was not enough memory" + (f" for {_size(float(asked[1]), asked[2])}" if asked else "")
    plain = kind == "import-error" and _is(error, ImportError)
    what = _first_line(error) if plain else sentence_of(error)
    return _WHAT_HAPPENED.get(kind, "The probe failed: {what}").format(file=file, what=what.rstrip("."))


def _size(amount: float, unit: str) -> str:
    units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while amount >= 1024 and unit != units[-1]:
        amount, unit = amount / 1024, units[units.index(unit) + 1]
    return f"{amount:.4g} {unit}"


def _runs_at_import(error: BaseException, request: RunRequest) -> bool:
    """Say whether the user's outermost frame is a module's own code, not the probe."""
    frames = (frame for frame, _, _ in _frames(error))
    outermost = next((f for f in frames if _is_the_users(f.f_code.co_filename, request)), None)
    return outermost is not None and outermost.f_code.co_name == "<module>"


def _at(location: Location | None, request: RunRequest) -> str:
    if location is None:
        return ""
    elsewhere = "" if location.path == request.path else f"{Path(location.path).name}, "
    return f" ({elsewhere}line {location.line})"


# The class of an exception may be the user's own, and whatever it defines may fail, leave or lie: so nothing is asked
# of the exception that its class could answer otherwise than Python itself.


def _is(error: BaseException, kind: type[BaseException]) -> bool:
    return issubclass(type(error), kind)  # `isinstance` would ask for `__class__`


def _plain(error: BaseException, kind: type[BaseException], attribute: str) -> object:
    """An attribute as `kind` keeps it, one of the exception's base classes."""
    return vars(kind)[attribute].__get__(error)


def _class_name(value: object) -> str:
    name: str = vars(type)["__name__"].__get__(type(value))
    return name


def _text(value: object) -> str:
    try:
        return str(value)
    except BaseException:
        return ""


def _repr(value: object) -> str:
    try:
        return repr(value)
    except BaseException:
        return f"{_class_name(value)}(…)"


def _first_line(error: BaseException) -> str:
    return _cut(next(iter(_text(error).strip().splitlines()), ""))


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_SENTENCE else line[: _LONGEST_SENTENCE - 1] + "…"


def _is_the_users(path: str, request: RunRequest) -> bool:
    if path.startswith(_OURS):
        return False
    return path == request.path or is_first_party(path, request.roots)


def _frames(error: BaseException) -> Iterator[tuple[FrameType, int, int]]:
    """The frames that the exception went through, outermost first, each with its instruction and line."""
    tb = cast("TracebackType | None", _plain(error, BaseException, "__traceback__"))
    while tb is not None:
        yield tb.tb_frame, tb.tb_lasti, tb.tb_lineno
        tb = tb.tb_next


def _innermost(frames: Iterator[tuple[FrameType, int, int]], request: RunRequest) -> Location | None:
    """The user's innermost expression among frames that come outermost first."""
    users = [(f.f_code, lasti) for f, lasti, _ in frames if _is_the_users(f.f_code.co_filename, request)]
    return Site(*users[-1], None).location() if users else None


def _syntax_file(error: BaseException, request: RunRequest) -> str | None:
    """The user's file whose text a `SyntaxError` is about."""
    path = _plain(error, SyntaxError, "filename") if _is(error, SyntaxError) else None
    return path if isinstance(path, str) and _is_the_users(path, request) else None


def _syntax_location(error: BaseException, request: RunRequest) -> Location | None:
    """The place that a `SyntaxError` of the user's text points at."""
    path = _syntax_file(error, request)
    if path is None:
        return None
    numbers = (_plain(error, SyntaxError, name) for name in ("lineno", "offset", "end_lineno", "end_offset"))
    line, offset, end_line, end_offset = (number if isinstance(number, int) else 0 for number in numbers)
    if not 1 <= line <= len(linecache.getlines(path)) + 1:  # Python knows no line, or the user's code made one up
        return None
    start = offset - 1
    if start < 0:
        return whole_line(path, line)
    width = len(linecache.getline(path, line).rstrip("\n"))
    start, end = min(start, width), end_offset - 1
    if end_line < line or (end_line == line and end <= start):
        return Location(path, line, start, line, max(start, min(start + 1, width)))
    return Location(path, line, start, end_line, max(end, 0))


def _traceback(error: BaseException, request: RunRequest) -> str:
    text = _formatted(error, request)
    if len(text) <= _LONGEST_TRACEBACK:
        return text
    half = _LONGEST_TRACEBACK // 2
    return f"{text[:half]}\n  …\n{text[-half:]}"


def _formatted(error: BaseException, request: RunRequest | None = None) -> str:
    """The traceback with all that the exception came from; of a request's code, from the user's first frame on."""
    try:
        shown = traceback.TracebackException.from_exception(error)
        if request is not None:
            _shorten(shown, request)
        return "".join(shown.format())
    except BaseException:  # one of the exceptions does not let itself be looked at
        stack = traceback.StackSummary.extract((frame, line) for frame, _, line in _frames(error))
        lines = (stack if request is None else _from_the_user_on(stack, request)).format()
        return "".join(["Traceback (most recent call last):\n", *lines, sentence_of(error), "\n"])


def _shorten(shown: traceback.TracebackException, request: RunRequest) -> None:
    pending = [shown]
    while pending:
        part = pending.pop()
        part.stack = _from_the_user_on(part.stack, request)
        pending += [inner for inner in (part.__cause__, part.__context__) if inner]
        pending += getattr(part, "exceptions", None) or []


def _from_the_user_on(stack: traceback.StackSummary, request: RunRequest) -> traceback.StackSummary:
    """Drop the frames before the user's first one, and those of this package and of the import system."""
    entries = list(stack)
    first = next((i for i, e in enumerate(entries) if _is_the_users(e.filename, request)), 0)
    return traceback.StackSummary.from_list([e for e in entries[first:] if not e.filename.startswith(_NO_ONES)])
