"""What stands for functions, classes, objects and layers while the walker goes through a class."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .values import UNKNOWN, Dims, Key, Nothing, Tensor, Unknown


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
    """A torch layer or container: its kind (`Conv2d`), its arguments by name, and what it contains.

    One that is itself a guess knows where that sits.
    """

    kind: str
    config: dict[str, Any] = field(default_factory=dict)
    children: dict[str, Any] = field(default_factory=dict)
    number: int = field(default_factory=lambda: next(_numbers))
    guess: Key | None = None

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
