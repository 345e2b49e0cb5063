"""Paths as the command line shows them: relative to a folder where they lie below it, else absolute."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from gradflow_lsp.probe.report import Location, ProbeReport


def shown_path(path: str, folder: Path) -> str:
    """Return `path` relative to `folder` where it lies below it, else as it is."""
    try:
        return str(Path(path).relative_to(folder))
    except ValueError:
        return path


def relative_to(report: ProbeReport, folder: Path) -> ProbeReport:
    """Return a copy of the report in which every path is shown from `folder`: locations, sources, the probe's own."""
    shown: ProbeReport = _replace(report, folder)
    return dataclasses.replace(
        shown,
        path=shown_path(report.path, folder),
        sources={shown_path(path, folder): digest for path, digest in report.sources.items()},
    )


def _replace(value: Any, folder: Path) -> Any:
    """Copy dataclasses and lists all the way down, changing only the path of each `Location`."""
    if isinstance(value, Location):
        return dataclasses.replace(value, path=shown_path(value.path, folder))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value)(**{f.name: _replace(getattr(value, f.name), folder) for f in dataclasses.fields(value)})
    if isinstance(value, list):
        return [_replace(item, folder) for item in value]
    return value
