"""What can be wrong with the arguments and inputs of a probe, as an error tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shape = tuple[int, ...]
Kind = Literal["ids", "number", "truth", "share"]
"""What a tensor holds: whole numbers, real ones, truth values, real ones between 0 and 1."""


@dataclass(frozen=True)
class WrongSize:
    """An axis has `got` entries and should have `wanted`; of a tensor of this `shape`, where the error shows it."""

    got: int
    wanted: int
    shape: Shape | None = None
    axis: int | None = None


@dataclass(frozen=True)
class WrongCount:
    """A tensor has `got` entries in all, which do not go into its new shape of `wanted`, or of a multiple of that."""

    got: int
    wanted: int


@dataclass(frozen=True)
class TooSmall:
    """A tensor, of this `shape` where it is known, should be larger: its last axes, or the batch.

    `beyond` is a number of entries that an input's last axis has to exceed.
    """

    shape: Shape | None = None
    beyond: int | None = None
    batch: bool = False


@dataclass(frozen=True)
class WrongRank:
    """A tensor should have one of these numbers of axes. `got` or its `shape` are there where the error shows them."""

    wanted: tuple[int, ...]
    got: int | None = None
    shape: Shape | None = None


@dataclass(frozen=True)
class WrongKind:
    """A tensor should hold something else."""

    wanted: Kind


@dataclass(frozen=True)
class IdsTooLarge:
    """Whole numbers should be below `bound`, which not every error tells."""

    bound: int | None = None


@dataclass(frozen=True)
class Absent:
    """Arguments of these names are missing in a call of `owner`, which is `Class.method` or a function."""

    names: tuple[str, ...]
    owner: str


@dataclass(frozen=True)
class Unasked:
    """An argument of this name is none of those that are taken."""

    name: str
    owner: str


@dataclass(frozen=True)
class TooMany:
    """More arguments without a name than are taken."""

    excess: int
    owner: str


@dataclass(frozen=True)
class NoEntry:
    """An object has no attribute of this name, or a mapping no such key."""

    name: str
    is_key: bool


@dataclass(frozen=True)
class NotAnArray:
    """A tensor should be an array of numpy."""


@dataclass(frozen=True)
class NotATensor:
    """What the loss is made of is a `kind`, with a tensor in it."""

    kind: str


@dataclass(frozen=True)
class ChangedInPlace:
    """A value that the backward pass needs was overwritten, as dropout in place does after some activations."""


@dataclass(frozen=True)
class NotScalar:
    """The loss has several entries."""


Trouble = (
    WrongSize
    | WrongCount
    | TooSmall
    | WrongRank
    | WrongKind
    | IdsTooLarge
    | Absent
    | Unasked
    | TooMany
    | NoEntry
    | NotAnArray
    | NotATensor
    | ChangedInPlace
    | NotScalar
)
