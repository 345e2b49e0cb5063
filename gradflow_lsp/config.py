"""Reads the settings: the editor's configuration, `[tool.gradflow]` of `pyproject.toml`, and the flags.

`load(folder, editor=..., flags=...)` lays the three over the defaults (a flag beats the editor, which beats the file)
and says where each value came from. A wrong or unknown setting becomes one sentence; everything else stays in force.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

from gradflow_lsp.codes import SHOWN_CODES
from gradflow_lsp.schema import LEVELS, SCHEMA, Settings, camel, flag

__all__ = ["SCHEMA", "Loaded", "Settings", "camel", "flag", "load", "read_pyproject"]

_OF_THE_CLIENT = {"trace", "server"}
"""Sections that an editor's extension keeps under `gradflow.` for itself: how it starts and traces the server."""


@dataclass(frozen=True)
class Loaded:
    """The settings in force, where each came from (by field name), and one sentence for each thing wrong.

    `file` is the `pyproject.toml` that was read, if one has a `[tool.gradflow]` table.
    """

    settings: Settings
    origins: dict[str, str]
    problems: list[str]
    file: Path | None = None


def load(
    folder: Path | None, *, editor: Mapping[str, Any] | None = None, flags: Mapping[str, Any] | None = None
) -> Loaded:
    """Return the settings that hold in `folder`; `None` stands for no folder, so that no file is read.

    `editor` is what a client answers for the section `gradflow`, or sends as `initializationOptions`: names in camel
    case, nulls count as unset. `flags` go by field name, values as a configuration file would hold them. Never raises.
    """
    layers = _Layers()
    table, file, problems = read_pyproject(folder) if folder else ({}, None, [])
    layers.problems.extend(problems)
    for name, value in table.items():
        place = f"{file}:{_line_of(name, file)}" if file else ""
        layers.add(name, value, place, base=file.parent if file else None)
    for name, value in _editor_items(editor or {}):
        layers.add(name, value, "the editor's settings", spell=camel)
    for name, value in (flags or {}).items():
        layers.add(name.replace("-", "_"), value, f"the flag {flag(name)}", base=Path.cwd())
    return Loaded(Settings(**layers.values), layers.origins, layers.problems, file)


class _Layers:
    """Settings laid one over another, the later on top."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.origins: dict[str, str] = dict.fromkeys(SCHEMA, "default")
        self.problems: list[str] = []

    def add(
        self, written: str, value: Any, place: str, *, spell: Callable[[str], str] = str, base: Path | None = None
    ) -> None:
        """Put a value in force as `place` writes it, or say what is wrong; relative programs are found from `base`."""
        names = {spell(name): name for name in SCHEMA}
        if written not in names:
            self.problems.append(f'{place}: there is no setting "{written}"{_hint(written, names)}; {_list(names)}.')
            return
        if value is None:
            return
        name = names[written]
        try:
            parsed = SCHEMA[name].parse(value)
        except ValueError:
            kept = self.values.get(name, getattr(Settings(), name))
            wrong = f"{written} must be {SCHEMA[name].allowed}, not {value!r}"
            self.problems.append(f"{place}: {wrong}; {_shown(kept)} stays in force.")
            return
        if name == "severity":
            parsed = {**self.values.get(name, {}), **self._severities(parsed, f"{place}: {written}")}
        if name == "interpreter" and base is not None:
            parsed = _anchored(parsed, base)
        self.values[name], self.origins[name] = parsed, place

    def _severities(self, table: Mapping[str, Any], place: str) -> dict[str, str]:
        good: dict[str, str] = {}
        for code, level in table.items():
            if code not in SHOWN_CODES:
                listed = "gradflow-lsp explain lists all codes"
                self.problems.append(f'{place}: there is no code "{code}"{_hint(code, SHOWN_CODES)}; {listed}.')
            elif level not in LEVELS:
                allowed = f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
                self.problems.append(f"{place}: {code} must be {allowed}, not {level!r}; its default stays in force.")
            else:
                good[code] = level
        return good


def read_pyproject(folder: Path) -> tuple[dict[str, Any], Path | None, list[str]]:
    """Return `[tool.gradflow]` of the nearest `pyproject.toml` upwards that has one, that file, and what is wrong.

    A `pyproject.toml` without such a table does not hide one further up, so that the parts of a larger project share.
    """
    problems: list[str] = []
    for parent in (folder, *folder.parents):
        file = parent / "pyproject.toml"
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("gradflow")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, AttributeError) as error:
            problems.append(f"{file}: this file cannot be read ({error}); settings in it are not in force.")
            continue
        if isinstance(table, dict):
            return table, file, problems
        if table is not None:
            problems.append(f"{file}: tool.gradflow must be a table, not {table!r}; it is not in force.")
    return {}, None, problems


def _line_of(name: str, file: Path) -> int:
    """Return the 1-based line where a key of `[tool.gradflow]` stands, or else the line of the table."""
    lines = file.read_text(encoding="utf-8").splitlines()
    table = re.compile(r"\s*\[\s*tool\s*\.\s*gradflow\b")
    key = re.compile(rf"(\s*\[\s*tool\s*\.\s*gradflow\s*\.)?\s*[\"']?{re.escape(name)}[\"']?\s*[\].=]")
    first = next((number for number, line in enumerate(lines, 1) if table.match(line)), 1)
    return next((number for number, line in enumerate(lines[first - 1 :], first) if key.match(line)), first)


def _editor_items(editor: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the editor's settings, whether it sends them bare, under `gradflow`, or with dotted names."""
    for name, value in editor.items():
        bare = name.removeprefix("gradflow.")
        if name == "gradflow" and isinstance(value, Mapping):
            yield from _editor_items(value)
        elif bare.split(".")[0] not in _OF_THE_CLIENT:
            yield bare, value


def _anchored(interpreter: str | tuple[str, ...], base: Path) -> str | tuple[str, ...]:
    """Make a relative path absolute; a bare name is left for PATH, what begins with a variable for whoever reads it."""
    program = interpreter if isinstance(interpreter, str) else interpreter[0]
    if any(separator in program for separator in ("/", os.sep)) and not program.startswith(("~", "$", "%")):
        program = str(base / program)
    return program if isinstance(interpreter, str) else (program, *interpreter[1:])


def _hint(written: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(written, list(known), n=1)
    return f' (did you mean "{close[0]}"?)' if close else ""


def _list(known: Iterable[str]) -> str:
    return "the settings are " + ", ".join(known)


def _shown(value: Any) -> str:
    if value is None or value == {} or value == ():
        return "the default"
    return str(value).lower() if isinstance(value, bool) else str(value)
