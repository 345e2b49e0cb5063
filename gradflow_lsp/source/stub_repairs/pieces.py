"""The parts of a probe's text that can be changed: the tensors it makes, the numbers and calls in it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..spans import Lines
from .troubles import Kind

_KINDS: dict[str, Kind] = {"randn": "number", "rand": "share", "zeros": "number", "ones": "number"}
DEFAULT_BOUND = 10


@dataclass(frozen=True)
class Change:
    """Replaces a range of the text, in bytes of its UTF-8 form."""

    start: int
    end: int
    text: str


Changes = list[Change]


@dataclass(frozen=True)
class Number:
    """A whole number that is written in a probe, outside of the shapes of its tensors."""

    start: int
    end: int
    value: int

    def set_to(self, value: int) -> Change:
        """Return the change that writes another number in its place."""
        return Change(self.start, self.end, str(value))


@dataclass(frozen=True)
class Maker:
    """A call that makes a tensor of a written shape.

    `sizes` has `None` where a size is no plain number; `written` are all sizes as they stand there. `home` is what
    torch is called, `bound` what its whole numbers are below, `options` its keyword arguments.
    """

    start: int
    end: int
    home: str
    function: str
    sizes: tuple[int | None, ...]
    written: tuple[str, ...]
    bound: str | None
    options: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        """What the tensor holds."""
        if any(option.replace(" ", "").endswith(".bool") for option in self.options):
            return "truth"
        if self.function in ("randint", "full") or any("int" in option or "long" in option for option in self.options):
            return "ids"
        return _KINDS[self.function]

    def reshaped(self, written: Sequence[str | int]) -> Change:
        """Return the change that gives the tensor these sizes."""
        return self._made(self.function, [str(size) for size in written], self.bound, self.options)

    def resized(self, sizes: dict[int, int]) -> Change:
        """Return the change that gives some axes another size."""
        return self.reshaped([sizes.get(axis, size) for axis, size in enumerate(self.written)])

    def below(self, bound: int) -> Change:
        """Return the change that keeps its whole numbers below `bound`."""
        return self._made(self.function, self.written, str(bound), self.options)

    def holding(self, kind: Kind) -> Change:
        """Return the change that puts something else into the tensor."""
        kept = tuple(option for option in self.options if not option.startswith(("dtype", "requires_grad")))
        match kind:
            case "ids":
                return self._made("randint", self.written, str(DEFAULT_BOUND), kept)
            case "truth":
                return self._made("ones", self.written, None, (*kept, f"dtype={self.home}.bool"))
            case "share":
                return self._made("rand", self.written, None, kept)
        return self._made("randn", self.written, None, kept)

    def followed_by(self, text: str) -> Change:
        """Return the change that writes something right behind it."""
        return Change(self.end, self.end, text)

    def _made(self, function: str, written: Sequence[str], bound: str | None, options: Sequence[str]) -> Change:
        inside = ", ".join(written)
        shape = f"({inside},)" if len(written) == 1 else f"({inside})"
        if function == "randint":
            arguments = ["0", bound or str(DEFAULT_BOUND), shape, *options]
        elif function == "full":
            arguments = [shape, bound or "1", *options]
        else:
            arguments = [inside or "()", *options]
        return Change(self.start, self.end, f"{self.home}.{function}({', '.join(arguments)})")


@dataclass(frozen=True)
class Call:
    """A call of a class, the model or a method of it, or a literal of a mapping (`{}`), with room for more."""

    name: str
    node: ast.Call | ast.Dict
    inside_end: int
    is_empty: bool

    def adding(self, argument: str) -> Change:
        """Return the change that adds an argument, or an entry, behind the others."""
        return Change(self.inside_end, self.inside_end, argument if self.is_empty else f", {argument}")


class Pieces:
    """What can be changed in the text of one probe. Raises `SyntaxError` where that is no Python."""

    def __init__(self, text: str) -> None:
        self._lines = Lines(text)
        tree = self._tree = ast.parse(text)
        self.makers: list[Maker] = []
        self.calls: list[Call] = []
        inside: set[ast.AST] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (maker := self._maker(node)) is not None:
                self.makers.append(maker)
                inside |= set(ast.walk(node))
            elif isinstance(node, (ast.Call, ast.Dict)):
                self.calls.append(self._call(node))
        self.makers.sort(key=lambda maker: maker.start)
        self.numbers = sorted(
            (
                Number(*self.range_of(node), node.value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and type(node.value) is int and node not in inside
            ),
            key=lambda number: number.start,
        )
        self.returns = next((node for node in ast.walk(tree) if isinstance(node, ast.Return)), None)

    def alike(self, maker: Maker, change: Callable[[Maker], Change]) -> Iterator[Changes]:
        """Yield a change of all inputs that are made as this one is, then of this one alone."""
        twins = [
            one for one in self.makers if (one.sizes, one.written, one.kind) == (maker.sizes, maker.written, maker.kind)
        ]
        if len(twins) > 1:
            yield [change(one) for one in twins]
        yield [change(maker)]

    def changed(self, changes: Iterable[Change]) -> str:
        """Return the text after changes that do not overlap."""
        data = self._lines.data
        for change in sorted(changes, key=lambda change: -change.start):
            data = data[: change.start] + change.text.encode("utf-8", "surrogatepass") + data[change.end :]
        return data.decode("utf-8", "surrogatepass")

    def range_of(self, node: ast.expr) -> tuple[int, int]:
        """Return where an expression stands, in bytes."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self._lines.offset(node.lineno, 0) + node.col_offset,
            self._lines.offset(node.end_lineno, 0) + node.end_col_offset,
        )

    def written(self, node: ast.expr) -> str:
        """Return an expression as it stands in the text."""
        start, end = self.range_of(node)
        return self._lines.data[start:end].decode("utf-8", "surrogatepass")

    def without_dropout(self) -> Changes:
        """Return the changes after which no dropout that a call asks for drops anything."""
        shares = [
            keyword.value
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call)
            for keyword in node.keywords
            if "drop" in (keyword.arg or "") and isinstance(keyword.value, ast.Constant)
        ]
        return [Change(*self.range_of(value), "0.0") for value in shares if isinstance(value.value, float)]

    def mentions(self, expression: str) -> list[tuple[int, int]]:
        """Return where an expression is read, in bytes."""
        found = (
            self.range_of(node)
            for node in ast.walk(self._tree)
            if isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Load)
            if self.written(node) == expression
        )
        return sorted(found)

    def without(self, node: ast.expr | ast.keyword, call: ast.Call) -> Change:
        """Return the change that takes an argument out of a call, with the comma on one side of it."""
        arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        at = arguments.index(node)
        start, end = self._whole(node)
        if at + 1 < len(arguments):
            return Change(start, self._whole(arguments[at + 1])[0], "")
        return Change(self._whole(arguments[at - 1])[1] if at else start, end, "")

    def _whole(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        if isinstance(node, ast.expr):
            return self.range_of(node)
        start = self._lines.offset(node.lineno, 0) + node.col_offset
        return start, self.range_of(node.value)[1]

    def _maker(self, node: ast.Call) -> Maker | None:
        function = node.func
        if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
            return None
        shape = list(node.args)
        bound: str | None = None
        match function.attr, node.args:
            case "randint", [_, high, ast.Tuple(elts=shape)]:
                bound = self.written(high)
            case "full", [ast.Tuple(elts=shape), value]:
                bound = self.written(value)
            case "randn" | "rand" | "zeros" | "ones", [ast.Tuple(elts=shape)]:
                pass
            case "randn" | "rand" | "zeros" | "ones", _:
                pass
            case _:
                return None
        return Maker(
            *self.range_of(node),
            home=function.value.id,
            function=function.attr,
            sizes=tuple(_whole_number(size) for size in shape),
            written=tuple(self.written(size) for size in shape),
            bound=bound,
            options=tuple(f"{one.arg}={self.written(one.value)}" for one in node.keywords if one.arg),
        )

    def _call(self, node: ast.Call | ast.Dict) -> Call:
        if isinstance(node, ast.Dict):
            last: ast.expr | None = node.values[-1] if node.values else None
            name = "{}"
        else:
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            last = max(arguments, key=lambda one: self.range_of(one)[1], default=None)
            name = self.written(node.func)
        end = self.range_of(last)[1] if last is not None else self.range_of(node)[1] - 1
        return Call(name, node, end, last is None)


def calls_of(calls: Iterable[Call], owner: str) -> Iterator[Call]:
    """Yield the calls that an error names as `Class.__init__` or `Class.method`."""
    class_name, _, method = owner.rpartition(".")
    for call in calls:
        if method == "__init__":
            if call.name.rpartition(".")[2] == class_name.rpartition(".")[2]:
                yield call
        elif call.name == "model" if method == "forward" else call.name.endswith(f".{method}"):
            yield call


def _whole_number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
