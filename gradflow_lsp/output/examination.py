"""What `doctor` found, as text for a terminal and as Markdown for an issue.

Lines are wrapped between words alone, so that a path stays whole and can be copied.
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gradflow_lsp import __version__
from gradflow_lsp.doctor import Examination
from gradflow_lsp.output.private import Scrubber
from gradflow_lsp.output.relative import shown_path

_LABEL = 16
_LONGEST_VALUE = 24
_LOG_LINES = 40
_PACKAGES = ("pygls", "lsprotocol", "cattrs", "psutil", "tree-sitter")
_OF_THIS_MACHINE = ("interpreter", "launcher", "path_mappings", "exclude")
"""Settings whose value names folders: an issue only hears that they are set."""

Row = tuple[str, str]


def print_examination(found: Examination, log: Path, console: Console) -> None:
    """Print all of it, paths of settings shown from the current folder."""
    _print_rows(console, [("gradflow-lsp", f"{__version__}, run by {sys.executable}"), ("log file", str(log))])
    console.print()
    _print_rows(console, _interpreter_rows(found))
    _print_settings(found, console)
    console.print()
    if not found.problems:
        _print_rows(console, [("problems", "none")], "green")
        return
    console.print(Text("problems", "bold red"))
    for number, problem in enumerate(found.problems, 1):
        for line in (problem.what, problem.next_step):
            mark = f"  {number}. " if line == problem.what else "     "
            _print_wrapped(console, mark, line)


def markdown(found: Examination, log: Path) -> str:
    """Return what an issue needs to hear: no path, file name or user name of this machine is left in it."""
    scrub = Scrubber.of_this_machine(found.workspace)
    answer = found.answer
    kind = {"venv": "a virtual environment", "conda": "a conda environment"}.get(
        found.environment.kind if found.environment else "", "no environment"
    )
    facts = [
        ("gradflow-lsp", __version__),
        ("server", f"Python {platform.python_version()}, {', '.join(_versions())}"),
        ("platform", platform.platform()),
        ("interpreter", f"{found.interpreter.why} ({kind}{_words(found.interpreter.command)})"),
        ("python", answer.python or "unknown"),
        ("torch", answer.torch or "not found"),
        ("devices", _devices(found)),
        ("kept warm", found.kept_warm),
    ]
    settings = [
        f"{name}: {'set' if name in _OF_THIS_MACHINE else value}, by {origin}"
        for name, value, origin in found.settings()
        if origin != "default"
    ]
    parts = [
        "| | |\n|---|---|\n" + "\n".join(f"| {label} | {scrub(value)} |" for label, value in facts),
        _listed("Settings", "all at their defaults", map(scrub, settings)),
        _listed("Problems", "none", map(scrub, map(str, found.problems))),
        f"Last lines of the log:\n\n```text\n{scrub(_tail(log))}\n```",
    ]
    return "\n\n".join(parts)


def _listed(heading: str, otherwise: str, items: Iterable[str]) -> str:
    lines = [f"- {item}" for item in items]
    return "\n".join([f"{heading}:", "", *lines]) if lines else f"{heading}: {otherwise}."


def _interpreter_rows(found: Examination) -> Iterator[Row]:
    answer, environment = found.answer, found.environment
    yield "workspace", str(found.workspace)
    yield "interpreter", str(found.interpreter)
    yield "why", found.interpreter.why
    yield "to change it", found.interpreter.change
    for sentence in found.interpreter.passed_over:
        yield "note", sentence
    if environment is not None:
        kind = "conda" if environment.kind == "conda" else "virtual"
        yield "environment", f"{kind} environment {environment.prefix}, as if activated"
    if scripts := found.scripts_not_run:
        names = ", ".join(script.name for script in scripts)
        advice = "if torch needs what they set, start the editor where this environment is active"
        yield "not run", f"the environment's scripts for a shell ({names}); {advice}"
    yield "python", answer.python or "unknown"
    yield "torch", answer.torch or "not found"
    if answer.devices:
        yield "devices", _devices(found)
    yield "kept warm", found.kept_warm


def _devices(found: Examination) -> str:
    told = found.answer.devices or {}
    return ", ".join(["cpu", *(name if why is True else f"no {name} ({why})" for name, why in told.items())])


def _print_settings(found: Examination, console: Console) -> None:
    console.print()
    console.print(Text("settings", "bold"))
    settings = list(found.settings())
    width = min(max(len(value) for _, value, _ in settings), _LONGEST_VALUE)
    for name, value, origin in settings:
        style = "dim" if origin == "default" else ""
        start = f"  {name:{_LABEL}}"
        if len(value) > width:
            _print_wrapped(console, start, value, style)
            start, value = " " * len(start), ""
        _print_wrapped(console, f"{start}{value:{width}}  ", shown_path(origin, Path.cwd()), style)
    _print_wrapped(console, "  ", "What an editor is configured to is not seen from here; it beats a file.", "dim")


def _print_rows(console: Console, rows: Iterable[Row], style: str = "") -> None:
    for label, value in rows:
        _print_wrapped(console, f"{label:{_LABEL}}", value, style)


def _print_wrapped(console: Console, start: str, text: str, style: str = "") -> None:
    """Print a text behind a start, its further lines below it; a word that is too long for a line stays whole."""
    indent = " " * len(start)
    lines = textwrap.wrap(
        text,
        max(console.width, len(indent) + 20),
        initial_indent=start,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        console.print(Text(line, style), soft_wrap=True)


def _versions() -> Iterator[str]:
    for package in _PACKAGES:
        try:
            yield f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            yield f"{package} unknown"


def _words(command: tuple[str, ...]) -> str:
    return f", a command of {len(command)} words" if len(command) > 1 else ""


def _tail(log: Path) -> str:
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]) or "(empty)"
    except OSError:
        return "(there is none)"
