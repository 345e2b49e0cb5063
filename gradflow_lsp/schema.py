"""The schema of the settings: their types and defaults, and for each the check that a value from outside must pass.

The same rows serve the editor's configuration (camel case), `[tool.gradflow]` (snake case) and the flags (kebab case).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LEVELS = ("error", "warning", "information", "hint", "off")
"""What a severity may be set to, loudest first."""


@dataclass(frozen=True)
class Settings:
    """All settings of one workspace folder, with their defaults."""

    interpreter: str | tuple[str, ...] | None = None
    launcher: tuple[str, ...] | None = None
    path_mappings: Mapping[str, str] = field(default_factory=dict)
    run: str = "onCommand"
    timeout: float = 60.0
    """Seconds."""
    memory_limit: int | None = None
    """Bytes."""
    threads: int = 1
    parallel_runs: int = 2
    idle_minutes: float = 10.0
    seed: int = 0
    device: str = "cpu"
    replay: bool = True
    inlay_hints: str = "verdict"
    severity: Mapping[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """What one setting is for, what it may be, and how it is read.

    `parse` returns the checked value or raises `ValueError`; `from_text` first turns a flag's text into what a
    configuration file would hold, and may raise `ValueError` too.
    """

    help: str
    allowed: str
    parse: Callable[[Any], Any]
    from_text: Callable[[str], Any] = str


def camel(name: str) -> str:
    """Return the editor's spelling of a snake-case name: `memory_limit` -> `memoryLimit`."""
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def flag(name: str) -> str:
    """Return the flag of a setting: `memory_limit` -> `--memory-limit`, and `interpreter` -> `--python`."""
    return "--python" if name == "interpreter" else "--" + name.replace("_", "-")


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _text(value: Any) -> str:
    _require(_is_text(value))
    return str(value)


def _texts(value: Any) -> tuple[str, ...]:
    _require(isinstance(value, (list, tuple)) and all(_is_text(item) for item in value))
    return tuple(value)


def _command(value: Any) -> tuple[str, ...]:
    _require(bool(value))
    return _texts(value)


def _path_or_command(value: Any) -> str | tuple[str, ...]:
    return value if _is_text(value) else _command(value)


def _one_of(*choices: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        _require(isinstance(value, str) and value in choices)
        return str(value)

    return parse


def _positive(value: Any) -> float:
    _require(isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf"))
    return float(value)


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        _require(isinstance(value, int) and not isinstance(value, bool) and least <= value <= most)
        return int(value)

    return parse


_BYTES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def _size(value: Any) -> int:
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(|[kmgt]i?)b?\s*", value.lower())
        value = int(float(match[1]) * _BYTES[match[2]]) if match else None
    return _whole(1, 2**63 - 1)(value)


def _truth(value: Any) -> bool:
    _require(isinstance(value, bool))
    return bool(value)


def _truth_from_text(text: str) -> bool:
    _require(text.lower() in ("true", "false"))
    return text.lower() == "true"


def _table(value: Any) -> dict[str, Any]:
    _require(isinstance(value, Mapping))
    return {str(key): item for key, item in value.items()}


def _paths(value: Any) -> dict[str, Any]:
    _require(isinstance(value, Mapping) and all(_is_text(text) for pair in value.items() for text in pair))
    return _table(value)


def _pair_from_text(text: str) -> dict[str, str]:
    key, equals, value = text.partition("=")
    _require(bool(equals))
    return {key.strip(): value.strip()}


SCHEMA: dict[str, Rule] = {
    "interpreter": Rule(
        "The Python that runs the probes; found by itself when not set.",
        "a path, or a command as a list of texts",
        _path_or_command,
    ),
    "launcher": Rule(
        "The command that starts the worker elsewhere, such as on another machine.",
        "a command as a list of texts",
        _command,
        shlex.split,
    ),
    "path_mappings": Rule(
        "How paths where the worker runs map to paths here.",
        "a table from paths there to paths here",
        _paths,
        _pair_from_text,
    ),
    "run": Rule(
        "When the editor runs a probe: on request only, or also when its file is saved.",
        "onCommand or onSave",
        _one_of("onCommand", "onSave"),
    ),
    "timeout": Rule(
        "How long one probe may take, in seconds, replays included.", "a number of seconds above 0", _positive, float
    ),
    "memory_limit": Rule(
        "How much memory one probe may take.",
        "a number of bytes, or a size such as 8GiB",
        _size,
        lambda text: int(text) if text.isdigit() else text,
    ),
    "threads": Rule("How many threads torch may use in a probe.", "a whole number from 1", _whole(1, 4096), int),
    "parallel_runs": Rule("How many probes may run at once.", "a whole number from 1", _whole(1, 256), int),
    "idle_minutes": Rule(
        "How long an idle worker is kept ready, in minutes.", "a number of minutes above 0", _positive, float
    ),
    "seed": Rule(
        "The seed of random, numpy and torch before each probe.",
        "a whole number from 0 to 4294967295",
        _whole(0, 2**32 - 1),
        int,
    ),
    "device": Rule("The device handed to a probe that asks for one.", "the name of a torch device, such as cpu", _text),
    "replay": Rule(
        "Whether a suspicious verdict may be tested by calling the probe once more.",
        "true or false",
        _truth,
        _truth_from_text,
    ),
    "inlay_hints": Rule(
        "What the editor shows at the end of each layer's line.",
        "verdict, norm or off",
        _one_of("verdict", "norm", "off"),
    ),
    "severity": Rule(
        "How loud each code is.",
        f"a table from codes to {', '.join(LEVELS[:-1])} or {LEVELS[-1]}",
        _table,
        _pair_from_text,
    ),
    "exclude": Rule(
        "Files and folders to leave out, besides those that .gitignore names and environments.",
        "a list of globs",
        _texts,
        lambda text: [text],
    ),
}
"""The rule of each field of `Settings`, by its name."""
