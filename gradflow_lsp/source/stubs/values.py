"""What stands for numbers, texts and tensors while the walker goes through a class, and the misfits it meets.

Plain numbers, strings, lists, tuples and dicts stand for themselves. A number or string that came from a guess is a
`Size`, `Real` or `Text`: the same value, with its origin. Arithmetic gives plain values again, so an origin is only
ever claimed for a value that was passed on unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

Key = tuple[str | int, ...]
"""Where a guess sits: `("model", "n_words")` is an argument of the constructor, `("input", "x")` one of forward."""

Dims = tuple[int | None, ...]
"""The sizes of a tensor, `None` for one that is not known."""


class Unknown:
    """A value that reading alone cannot tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


@dataclass(frozen=True)
class Origin:
    """The guess that a value came from: its value, its length, or as a tensor the size of
    one axis, the rank (less an offset) or the dtype.
    """

    key: Key
    what: Literal["value", "axis", "rank", "dtype", "length", "constant"] = "value"
    index: int = 0


class Size(int):
    """A whole number with its origin."""

    origin: Origin

    def __new__(cls, value: int, origin: Origin) -> Size:
        """Make the value with what it has to remember."""
        self = super().__new__(cls, value)
        self.origin = origin
        return self


class Step(int):
    """A number that a loop counts through, with the last one that it comes to."""

    last: int

    @classmethod
    def through(cls, numbers: range) -> list[int]:
        """Return the numbers of a range; one that only grows tells what it ends with."""
        if numbers.start < 0 or numbers.step < 1:
            return list(numbers)
        steps: list[int] = [cls(number) for number in numbers]
        for step in steps:
            step.last = steps[-1]  # type: ignore[attr-defined]
        return steps


class Compound(int):
    """A size that is the sum (of joined axes) or the product (of merged axes) of others."""

    parts: tuple[int | None, ...]
    is_sum: bool

    def __new__(cls, value: int, parts: Iterable[int | None], is_sum: bool) -> Compound:
        """Make the value with what it has to remember."""
        self = super().__new__(cls, value)
        self.parts = tuple(parts)
        self.is_sum = is_sum
        return self


class Real(float):
    """A floating-point number with its origin."""

    origin: Origin

    def __new__(cls, value: float, origin: Origin) -> Real:
        """Make the value with what it has to remember."""
        self = super().__new__(cls, value)
        self.origin = origin
        return self


class Text(str):
    """A string with its origin."""

    origin: Origin

    def __new__(cls, value: str, origin: Origin) -> Text:
        """Make the value with what it has to remember."""
        self = super().__new__(cls, value)
        self.origin = origin
        return self


class DType(str):
    """A dtype by its name; that of an input knows which input."""

    origin: Origin | None

    def __new__(cls, value: str, origin: Origin | None = None) -> DType:
        """Make the value with what it has to remember."""
        self = super().__new__(cls, value)
        self.origin = origin
        return self


@dataclass(frozen=True)
class Nothing:
    """`None`, as the default of an argument that could be given."""

    key: Key


@dataclass(frozen=True)
class Record:
    """A guessed object that has whatever attributes or string keys are asked of it."""

    key: Key


def tagged(value: Any, key: Key) -> Any:
    """Return `value` with the guess `key` as its origin, where its type can carry one."""
    if value is None:
        return Nothing(key)
    if isinstance(value, bool):
        return value
    carriers: tuple[tuple[type, Any], ...] = ((int, Size), (float, Real), (str, Text))
    for plain, carrier in carriers:
        if isinstance(value, plain):
            return carrier(value, Origin(key))
    return value


def origin_of(value: Any) -> Origin | None:
    """Return where a value came from, if it can be told."""
    if isinstance(value, (Nothing, Record)):
        return Origin(value.key)
    if isinstance(value, Tensor) and value.source:
        return Origin(value.source)
    origin = getattr(value, "origin", None)
    return origin if isinstance(origin, Origin) and origin.what != "constant" else None


@dataclass(frozen=True)
class Fix:
    """A change of one guess that would make something fit; `guesses.changed` knows what each `what` does."""

    key: Key
    what: str
    value: Any = None


class Misfit(Exception):
    """Something in the class cannot work with the guesses as they are; `fixes` might mend it, best first."""

    def __init__(self, sentence: str, fixes: Iterable[Fix | None] = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.fixes = [fix for fix in fixes if fix is not None]
        self.line: int | None = None


@dataclass(frozen=True)
class Tensor:
    """A tensor's shape (`None`: not even the rank is known), dtype and descent.

    `source` is the input whose very values these are; `lineage` an input and by how much this rank exceeds its rank;
    `reach` holds the numbers of the parameter owners that a gradient from here would reach, `roots` the inputs.
    Of a guessed input, `below` is the bound of its ids and `fill` what else it holds (see `guesses.TensorGuess`).
    """

    shape: Dims | None
    dtype: str = "float32"
    source: Key | None = None
    lineage: tuple[Key, int] | None = None
    reach: frozenset[int] = frozenset()
    roots: frozenset[Key] = frozenset()
    below: int | None = None
    fill: str | None = None

    def view(self, shape: Dims | None, offset: int | None = 0) -> Tensor:
        """Return the same values in another shape; `offset` is the change of rank, `None` where it breaks."""
        lineage = None if self.lineage is None or offset is None else (self.lineage[0], self.lineage[1] + offset)
        return replace(self, shape=shape, lineage=lineage)

    def computed(self, shape: Dims | None, dtype: str | None = None, offset: int | None = 0) -> Tensor:
        """Return new values computed from these."""
        return replace(self.view(shape, offset), dtype=dtype or self.dtype, source=None)

    @property
    def is_float(self) -> bool:
        """Whether the dtype is one that gradients flow through."""
        return self.dtype.startswith(("float", "bfloat", "complex"))

    @property
    def is_integer(self) -> bool:
        """Whether the dtype can hold indices."""
        return self.dtype in ("int64", "int32", "uint8", "int16", "int8")


class Items(list[Any]):
    """A guessed sequence, written as a `list` or a `tuple`."""

    origin: Origin
    form: str

    @classmethod
    def of(cls, values: Iterable[Any], key: Key, form: str = "list") -> Items:
        """Return the guessed elements, with the guess of their number as the origin."""
        self = cls(values)
        self.origin = Origin(key)
        self.form = form
        return self


class Shape(tuple[Any, ...]):
    """What `tensor.shape` and `tensor.size()` give: the sizes, and the tensor they belong to.

    Other values may stand beside the sizes, as in `*x.shape, heads`; `more` is their number, less those that were cut
    off, as in `x.shape[2:]`.
    """

    tensor: Tensor
    more: int = 0

    @classmethod
    def of(cls, tensor: Tensor) -> Shape:
        """Return the sizes of a tensor of known rank."""
        shape = cls(UNKNOWN if size is None else size for size in tensor.shape or ())
        shape.tensor = tensor
        return shape

    def sliced(self, part: slice) -> tuple[Any, ...]:
        """Return some of the sizes; from the ends cut off alone it can be told how many are left of another rank."""
        sizes = tuple(self)[part]
        start, stop = part.start or 0, part.stop or 0
        if part.step is not None or start < 0 or stop > 0:
            return sizes
        shape = type(self)(sizes)
        shape.tensor, shape.more = self.tensor, self.more - start + stop
        return shape
