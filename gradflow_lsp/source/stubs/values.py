"""What stands for Python and torch objects while the walker goes through a class, and the misfits it meets.

Plain numbers, strings, lists, tuples and dicts stand for themselves. A number or string that came from a guess is a
`Size`, `Real` or `Text`: the same value, with its origin. Arithmetic gives plain values again, so an origin is only
ever claimed for a value that was passed on unchanged.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
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
    """A guessed sequence."""

    origin: Origin

    @classmethod
    def of(cls, values: Iterable[Any], key: Key) -> Items:
        """Return the guessed elements, with the guess of their number as the origin."""
        self = cls(values)
        self.origin = Origin(key)
        return self


class Shape(tuple[Any, ...]):
    """What `tensor.shape` and `tensor.size()` give: the sizes, and the tensor they belong to."""

    tensor: Tensor

    @classmethod
    def of(cls, tensor: Tensor) -> Shape:
        """Return the sizes of a tensor of known rank."""
        shape = cls(UNKNOWN if size is None else size for size in tensor.shape or ())
        shape.tensor = tensor
        return shape


@dataclass(frozen=True)
class External:
    """Something that the file imports, or a builtin, by its full dotted name (`torch.nn.Linear`)."""

    dotted: str


@dataclass(frozen=True)
class Method:
    """A method of a tensor, layer, module or builtin container, not yet called."""

    owner: Any
    name: str


@dataclass(eq=False)
class Frame:
    """The names of one function call; `owner` is the class the function was written in, for `super()`."""

    names: dict[str, Any]
    parent: Frame | None = None
    owner: ClassValue | None = None
    me: Any = None
    tests: list[tuple[ast.expr, bool]] = field(default_factory=list)
    yields: list[Any] = field(default_factory=list)
    result: Any = None


@dataclass(eq=False)
class Function:
    """A function or lambda of the file, with the frame it closes over."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame | None = None
    owner: ClassValue | None = None


@dataclass(eq=False)
class Partial:
    """What `functools.partial` gives."""

    callee: Any
    arguments: list[Any]
    keywords: dict[str, Any]


@dataclass(eq=False)
class Bound:
    """A function of the file bound to its first argument."""

    function: Function
    me: Any


@dataclass(eq=False)
class ClassValue:
    """A class of the file."""

    node: ast.ClassDef
    bases: list[Any]
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name it was defined with."""
        return self.node.name

    def line(self) -> Iterator[ClassValue]:
        """Yield the class and those it inherits from, nearest first."""
        yield self
        for base in self.bases:
            if isinstance(base, ClassValue):
                yield from base.line()

    def external_bases(self) -> Iterator[str]:
        """Yield the dotted names of the imported classes among its ancestors."""
        for one in self.line():
            yield from (base.dotted for base in one.bases if isinstance(base, External))

    def is_module(self) -> bool:
        """Whether instances are `nn.Module`s."""
        return any(
            name.startswith("torch.nn.") or name.rpartition(".")[2] in ("Module", "LightningModule")
            for name in self.external_bases()
        )


_numbers = itertools.count(1)


@dataclass(eq=False)
class Instance:
    """An object of a class of the file; `base` is the torch layer it is, where it inherits from one."""

    cls: ClassValue
    attributes: dict[str, Any] = field(default_factory=dict)
    base: Layer | None = None


@dataclass(eq=False)
class Layer:
    """A torch layer or container: its kind (`Conv2d`), its arguments by name, and what it contains."""

    kind: str
    config: dict[str, Any] = field(default_factory=dict)
    children: dict[str, Any] = field(default_factory=dict)
    number: int = field(default_factory=lambda: next(_numbers))

    def __getitem__(self, name: str) -> Any:
        return self.config.get(name, UNKNOWN)

    def size(self, name: str) -> int | None:
        """Return a whole-number argument, or `None` when it is not known."""
        value = self.config.get(name)
        return value if isinstance(value, int) else None

    def flag(self, name: str) -> bool:
        """Return a truth value among the arguments; one that is not known counts as false."""
        return bool(self.config.get(name)) and not isinstance(self.config.get(name), (Unknown, Nothing))

    @property
    def dtype(self) -> str:
        """The dtype of its parameters."""
        dtype = self.config.get("dtype")
        return str(dtype) if isinstance(dtype, str) else "float32"


@dataclass(frozen=True)
class LayerCall:
    """A call of a layer with a tensor of known rank; `given` are all its arguments by name."""

    layer: Layer
    x: Tensor
    given: dict[str, Any]
    spatial: int

    @property
    def shape(self) -> Dims:
        """The shape of `x`."""
        return self.x.shape or ()


@dataclass(frozen=True)
class Super:
    """What `super()` gives: the instance, and the class after which the search for a name begins."""

    me: Instance
    owner: ClassValue
