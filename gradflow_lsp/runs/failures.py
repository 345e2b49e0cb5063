"""What keeps a probe from running, as seen from outside its process: the sentences, and the reports made of them.

What the process itself can tell (an exception, a wrong return) is written in `probe/failures.py`.
"""

from __future__ import annotations

import io
import re
import signal
from pathlib import Path

from gradflow_lsp.probe import bootstrap
from gradflow_lsp.probe.first_party import is_first_party
from gradflow_lsp.probe.protocol import RunRequest, Stage
from gradflow_lsp.probe.report import Environment, Location, ProbeError, ProbeReport, Status
from gradflow_lsp.runs.interpreter import Interpreter

_DURING: dict[Stage, str] = {
    "import": "while the file was imported",
    "probe": "while the probe ran",
    "backward": "during the backward pass",
    "explain": "while the causes were looked for",
}
_WINDOWS_EXCEPTION = 0xC0000000
"""From here on, Windows means by an exit status the exception that ended the process."""
_PROBE = str(Path(bootstrap.__file__).parent)
_FRAME = re.compile(r'^  File "(?P<path>[^"\n]+)", line (?P<line>\d+) in ', re.MULTILINE)


class LaunchFailed(Exception):
    """No process is there to run a probe; `error` says why, `python` which version was found."""

    def __init__(self, error: ProbeError, python: str | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.python = python


def no_interpreter(interpreter: Interpreter, reason: OSError) -> LaunchFailed:
    """The command cannot be started at all."""
    why = interpreter.trouble or (reason.strerror or str(reason)).lower()
    sentence = f"{_named(interpreter)} cannot be started: {why}. To choose another, {interpreter.change}."
    return _launch_failed("no-interpreter", sentence)


def too_old(interpreter: Interpreter, python: str) -> LaunchFailed:
    """The interpreter is older than probes need."""
    sentence = f"{_named(interpreter)} is Python {python}, and a probe needs 3.10 or newer."
    return _launch_failed("no-interpreter", f"{sentence} To choose another, {interpreter.change}.", python=python)


def no_torch(interpreter: Interpreter, detail: str, python: str, output: str) -> LaunchFailed:
    """The interpreter cannot import torch."""
    sentence = (
        f"cannot import torch in {_named(interpreter)}: {detail}. "
        f"Install torch there, or choose an interpreter that has it: {interpreter.change}."
    )
    return _launch_failed("no-torch", sentence, output, python)


def ended_early(interpreter: Interpreter, exit_status: int | None, output: str) -> LaunchFailed:
    """The process ended before it was ready for a request."""
    sentence = f"{_named(interpreter)} ended{_how(exit_status)} before it could run the probe."
    more = " Its output says more." if output else ""
    sentence += f"{more} To choose another, {interpreter.change}."
    return _launch_failed("launcher-failed", sentence, output)


def not_ready(interpreter: Interpreter, seconds: float, output: str) -> LaunchFailed:
    """The process did not become ready in time."""
    sentence = f"{_named(interpreter)} had not finished importing torch after {seconds:g} s."
    sentence += f" Try again, or choose another: {interpreter.change}."
    return _launch_failed("launcher-failed", sentence, output)


def ended(exit_status: int | None, stage: Stage, output: str, request: RunRequest) -> tuple[Status, ProbeError]:
    """The process ended without a report. `exit_status` is negative for a signal, `None` when nobody saw it."""
    location = _last_line_in(output, request)
    when = f"{_DURING[stage]}{_at(location, request)}"
    sentence = f"The process ended{_how(exit_status)} {when}"
    if exit_status is None:
        sentence = (
            f"The interpreter that runs are forked from was ended {when}, and this run with it. "
            "The next run starts a new one; see that the code ends no processes but its own."
        )
        return "crashed", ProbeError("killed", sentence, location)
    if 0 <= exit_status < _WINDOWS_EXCEPTION:
        sentence += ": something in the code called os._exit or ended the process in another way. A probe must return."
        return "crashed", ProbeError("system-exit", sentence, location)
    return "crashed", ProbeError("killed", f"{sentence}: {_why(exit_status)}", location)


def out_of_reach(stage: Stage, request: RunRequest) -> tuple[Status, ProbeError]:
    """The process goes on, but the pipe that its report would come through has ended."""
    sentence = (
        f"The run was stopped {_DURING[stage]}: something in the code closed or replaced file descriptors that it had "
        "not opened, and no report could come any more. Close only what the code has opened itself."
    )
    return "crashed", ProbeError("killed", sentence)


def out_of_time(
    seconds: float, stage: Stage, where: dict[str, object] | None, output: str, request: RunRequest
) -> tuple[Status, ProbeError]:
    """The run did not end within the time limit. `where` is what the process last said of its whereabouts."""
    location, traceback = _whereabouts(where, output, request)
    sentence = f"The run was stopped after {seconds:g} s {_DURING[stage]}{_at(location, request)}. "
    if stage == "import":
        sentence += "Move what takes long into functions that the probe does not call, or "
    else:
        sentence += "Give the probe a smaller model or less data, or "
    return "timeout", ProbeError("timeout", f"{sentence}raise the limit, gradflow.timeout.", location, traceback)


def out_of_memory(
    limit: int, stage: Stage, where: dict[str, object] | None, output: str, request: RunRequest
) -> tuple[Status, ProbeError]:
    """The run took more memory than it may."""
    location, traceback = _whereabouts(where, output, request)
    sentence = (
        f"The run was stopped at {limit / 2**20:,.0f} MiB of memory {_DURING[stage]}{_at(location, request)}. "
        "Give the probe a smaller model or less data, or raise the limit, gradflow.memoryLimit."
    )
    return "crashed", ProbeError("out-of-memory", sentence, location, traceback)


def cancelled(request: RunRequest) -> ProbeReport:
    """Return the report of a run that was cancelled."""
    return report(request, "cancelled", ProbeError("cancelled", "The run was cancelled before it was done."))


def report(
    request: RunRequest, status: Status, error: ProbeError, environment: Environment | None = None
) -> ProbeReport:
    """Return the report of a run that gave no gradients because of `error`."""
    return ProbeReport(
        path=request.path,
        function=request.function,
        line=request.line,
        status=status,
        mode=request.mode,
        error=error,
        environment=environment,
    )


def printed(output: str, *, stopped: bool) -> str | None:
    """Return what a run printed, without the lines of a crash that are about our own code; `None` for nothing.

    Of a run that was `stopped` the crash is left out: it was made to crash, to see where it was.
    """
    text, fatal, crash = output.rpartition("Fatal Python error: ")
    if not fatal:
        return output or None
    if stopped:
        return text or None
    threads = [thread for thread in crash.split("\n\n") if not thread.startswith(("Thread ", "Extension modules:"))]
    lines = [line for thread in threads for line in [*thread.splitlines(), ""] if _PROBE not in line]
    return text + fatal + "\n".join(lines).rstrip() + "\n"


def _launch_failed(kind: str, sentence: str, output: str = "", python: str | None = None) -> LaunchFailed:
    return LaunchFailed(ProbeError(kind, sentence, output=output or None), python)


def _named(interpreter: Interpreter) -> str:
    return f"{interpreter} ({interpreter.why})"


def _how(exit_status: int | None) -> str:
    if exit_status is None:
        return ""
    if exit_status >= _WINDOWS_EXCEPTION:
        return f" by the exception {exit_status:#x}"
    if exit_status >= 0:
        return f" with exit status {exit_status}"
    try:
        return f" by {signal.Signals(-exit_status).name}"
    except ValueError:  # a real-time signal has no name
        return f" by signal {-exit_status}"


_CRASHES = {"SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL", "SIGSYS", "SIGTRAP"}


def _why(exit_status: int) -> str:
    """What a signal's being the end most often means, and what to do."""
    name = _how(exit_status).rpartition(" ")[2]
    if name == "SIGKILL":
        return "most often the system does that, short of memory. Give the probe a smaller model or less data."
    if name in _CRASHES or exit_status >= _WINDOWS_EXCEPTION:
        return "native code crashed. Look at the arguments of the call there, or run the file under a debugger."
    return "the code itself or another program sent that signal. Leave it out of the probe."


def _at(location: Location | None, request: RunRequest) -> str:
    if location is None:
        return ""
    elsewhere = "" if location.path == request.path else f"{Path(location.path).name}, "
    return f" ({elsewhere}line {location.line})"


def _whereabouts(
    where: dict[str, object] | None, output: str, request: RunRequest
) -> tuple[Location | None, str | None]:
    """The place and the stack: as the process said, else as Python printed them when it was made to crash."""
    match where:
        case {"location": dict(location), "traceback": str(traceback)}:
            return Location(**location), traceback
        case {"traceback": str(traceback)}:
            return None, traceback
    return _last_line_in(output, request), None


def _last_line_in(output: str, request: RunRequest) -> Location | None:
    """The user's innermost line in the stack that Python prints when native code crashes, where there is one."""
    _, _, crash = output.rpartition("Fatal Python error: ")
    _, _, stack = crash.partition("Current thread ")
    for frame in _FRAME.finditer(stack.partition("\n\n")[0]):
        path, line = frame["path"], int(frame["line"])
        if path == request.path or is_first_party(path, request.roots):
            return _whole_line(path, line, request)
    return None


def _whole_line(path: str, line: int, request: RunRequest) -> Location:
    try:
        source = request.overlays.get(path) or Path(path).read_text(encoding="utf-8", errors="replace")
        text = io.StringIO(source, newline=None).readlines()[line - 1].rstrip()
    except (OSError, IndexError):
        text = ""
    return Location(path, line, len(text) - len(text.lstrip()), line, len(text))
