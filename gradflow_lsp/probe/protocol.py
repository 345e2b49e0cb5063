"""What crosses the pipe between a run's process and whoever started it: one request in, JSON lines out.

Lines out are `{"stage": "import" | "probe" | "backward" | "explain"}` and `{"source": path, "sha256": …}` as the run
goes on, then `{"looked_for": [path, …]}` and one `{"report": {...}}`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal

from .report import JsonValue, Mode

Stage = Literal["import", "probe", "backward", "explain"]


@dataclass(frozen=True)
class RunRequest:
    """One probe to run, and all that the run may depend on.

    `roots` are the workspace folders: a file below one of them, and outside every environment, is first-party.
    `overlays` maps absolute paths to the text that the editor holds for them, read in place of the disk. Without
    `explain` the verdicts are those of the one backward, with neither causes nor a test of whether a zero is planned.
    """

    path: str
    function: str
    line: int = 1
    roots: tuple[str, ...] = ()
    overlays: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    device: str = "cpu"
    threads: int = 1
    replay: bool = True
    explain: bool = True
    mode: Mode = "real"

    def to_json(self) -> dict[str, JsonValue]:
        """Return the request as JSON values."""
        return {**dataclasses.asdict(self), "roots": list(self.roots)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> RunRequest:
        """Read what `to_json` wrote. Raises `TypeError` on unknown or absent fields."""
        return cls(**{**value, "roots": tuple(value["roots"])})
