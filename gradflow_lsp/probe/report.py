"""The report of one run: plain types, and their JSON form, which is the public contract.

Imports nothing but the standard library: the engine fills these types in the user's interpreter, and the server and the
command line read them in theirs. Paths are absolute here; whoever prints a report for people makes them relative.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Literal, Union

SCHEMA = 1

Status = Literal["ok", "failed", "crashed", "timeout", "cancelled"]
Mode = Literal["real", "structural"]
Severity = Literal["error", "warning", "information", "hint"]
Verdict = Literal[
    "healthy", "missing", "zero", "vanishing", "exploding", "nonfinite", "unregistered", "frozen", "reached"
]

DIAGNOSTIC_CODES: dict[str, str] = {
    "missing": "missing-gradient",
    "zero": "zero-gradient",
    "vanishing": "vanishing-gradient",
    "exploding": "exploding-gradient",
    "nonfinite": "nonfinite-gradient",
    "unregistered": "unregistered-parameter",
    "frozen": "frozen-parameter",
}
"""The diagnostic code of each verdict that is shown to the user."""

JsonValue = Union[None, bool, int, float, str, "list[JsonValue]", "dict[str, JsonValue]"]


@dataclass(frozen=True)
class Location:
    """A range of source text: lines from 1, columns from 0 in code points, the end exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Related:
    """A further place that belongs to a cause or a parameter, with the sentence that says how."""

    message: str
    location: Location


@dataclass
class Cause:
    """Why gradients are bad and on which expression; undoing it alone mends at least one of `parameters`."""

    kind: str
    message: str
    parameters: list[str]
    location: Location
    related: list[Related] = field(default_factory=list)


@dataclass
class Finding:
    """Something true of the probe or of its loss, not of one parameter."""

    code: str
    severity: Severity
    message: str
    location: Location | None = None


@dataclass
class ParameterReport:
    """One parameter: the facts of the backward, the verdict on them, and where its layer is written.

    Norms are 2-norms of whole tensors; `None` means there is no such tensor. `causes` are indices into
    `ProbeReport.causes`; `severity` is `None` when nothing is shown to the user.
    """

    name: str
    module: str
    type: str
    shape: list[int]
    dtype: str
    verdict: Verdict
    severity: Severity | None = None
    grad_norm: float | None = None
    grad_norms: dict[str, float | None] = field(default_factory=dict)
    weight_norm: float | None = None
    zero_fraction: float | None = None
    location: Location | None = None
    related: list[Related] = field(default_factory=list)
    missing_on_ranks: list[int] = field(default_factory=list)
    causes: list[int] = field(default_factory=list)


@dataclass
class ProbeError:
    """Why a probe gave no gradients: one sentence, the user's own line, and what the run printed."""

    kind: str
    message: str
    location: Location | None = None
    traceback: str | None = None
    output: str | None = None


@dataclass
class Environment:
    """Where the probe ran."""

    python: str
    torch: str | None
    device: str
    interpreter: str
    ranks: int = 1


@dataclass
class Seconds:
    """How long each stage took, in seconds; `import` is spelled `import_` here."""

    total: float = 0.0
    import_: float = 0.0
    probe: float = 0.0
    backward: float = 0.0
    explain: float = 0.0


@dataclass
class ProbeReport:
    """Everything one run of one probe found.

    `looked_for` is not part of the JSON: first-party paths at which the run looked for a module, and found none.
    """

    path: str
    function: str
    line: int
    status: Status
    mode: Mode = "real"
    error: ProbeError | None = None
    losses: dict[str, float] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    environment: Environment | None = None
    seconds: Seconds = field(default_factory=Seconds)
    sources: dict[str, str] = field(default_factory=dict)
    parameters: list[ParameterReport] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    looked_for: list[str] = field(default_factory=list, metadata={"json": False})

    def to_json(self) -> dict[str, JsonValue]:
        """Return the report as JSON values in which NaN and infinities are the strings `"nan"`, `"inf"`, `"-inf"`."""
        return _encode(self)  # type: ignore[return-value]

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ProbeReport:
        """Read what `to_json` wrote. Raises `KeyError` or `TypeError` on anything else."""
        error, environment = value["error"], value["environment"]
        return cls(
            path=value["path"],
            function=value["function"],
            line=value["line"],
            status=value["status"],
            mode=value["mode"],
            error=None if error is None else ProbeError(**{**error, "location": _location(error["location"])}),
            losses={name: float(loss) for name, loss in value["losses"].items()},
            findings=[Finding(**{**f, "location": _location(f["location"])}) for f in value["findings"]],
            environment=None if environment is None else Environment(**environment),
            seconds=Seconds(**{_FIELD_NAMES.get(name, name): s for name, s in value["seconds"].items()}),
            sources=dict(value["sources"]),
            parameters=[_parameter(p) for p in value["parameters"]],
            causes=[
                Cause(**{**c, "location": _location(c["location"]), "related": _related(c["related"])})
                for c in value["causes"]
            ],
        )


_JSON_NAMES = {"import_": "import"}
_FIELD_NAMES = {json_name: name for name, json_name in _JSON_NAMES.items()}


def _encode(value: Any) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = [f.name for f in dataclasses.fields(value) if f.metadata.get("json", True)]
        return {_JSON_NAMES.get(name, name): _encode(getattr(value, name)) for name in shown}
    if isinstance(value, dict):
        return {str(k): _encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encode(v) for v in value]
    assert value is None or isinstance(value, (bool, int, float, str))
    return value


def _number(value: float | str | None) -> float | None:
    return None if value is None else float(value)


def _location(value: dict[str, Any] | None) -> Location | None:
    return None if value is None else Location(**value)


def _related(values: list[dict[str, Any]]) -> list[Related]:
    return [Related(v["message"], Location(**v["location"])) for v in values]


def _parameter(value: dict[str, Any]) -> ParameterReport:
    return ParameterReport(
        **{
            **value,
            "grad_norm": _number(value["grad_norm"]),
            "grad_norms": {name: _number(norm) for name, norm in value["grad_norms"].items()},
            "weight_norm": _number(value["weight_norm"]),
            "location": _location(value["location"]),
            "related": _related(value["related"]),
        }
    )
