"""The settings as flags of the command line, made from their schema: `memory_limit` becomes `--memory-limit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from gradflow_lsp.codes import SHOWN_CODES
from gradflow_lsp.schema import LEVELS, SCHEMA, flag

Command = TypeVar("Command", bound=Callable[..., Any])

_METAVARS = {"interpreter": "PATH", "severity": "CODE=LEVEL", "path_mappings": "THERE=HERE", "exclude": "GLOB"}
_TABLES = ("severity", "path_mappings")
_REPEATED = (*_TABLES, "exclude")


def _reader(setting: str) -> Callable[[str], Any]:
    """Return what reads a flag's text, checks it by the setting's rule, and keeps it as a file would hold it."""

    def read(text: str) -> Any:
        rule = SCHEMA[setting]
        try:
            written = rule.from_text(text)
            rule.parse(written)
        except ValueError:
            raise click.BadParameter(f"{text!r}; it must be {rule.allowed}.") from None
        if setting == "severity":
            [(code, level)] = written.items()
            if code not in SHOWN_CODES or level not in LEVELS:
                raise click.BadParameter(f"{text!r}; it must be CODE=LEVEL with a LEVEL of {', '.join(LEVELS)}.")
        return written

    return read


def setting_flags(*without: str) -> Callable[[Command], Command]:
    """Give a command one flag for each setting but those named."""

    def decorate(command: Command) -> Command:
        for name, rule in reversed(SCHEMA.items()):
            if name in without:
                continue
            if name == "replay":
                option = click.option("--replay/--no-replay", name, default=None, help=rule.help)
            else:
                option = click.option(
                    flag(name),
                    name,
                    type=_reader(name),
                    multiple=name in _REPEATED,
                    metavar=_METAVARS.get(name, "VALUE"),
                    help=rule.help,
                )
            command = option(command)
        return command

    return decorate


def given(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flags that were given, those that may be repeated as one table or list."""
    joined: dict[str, Any] = {}
    for name, value in flags.items():
        if name in _TABLES:
            value = {key: item for pair in value for key, item in pair.items()}
        elif name in _REPEATED:
            value = [glob for globs in value for glob in globs]
        if value not in (None, [], {}):
            joined[name] = value
    return joined
