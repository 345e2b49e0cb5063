"""How values flowed from parameters to the loss, through autograd and past every place where it was cut.

The trace is read once, backwards. For each tensor that yields its *ways* to the loss: an unbroken one, ways that cross
exactly one cutting expression (undoing that one alone would mend them), or only ways that cross several.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .ops import EXITS, FROM_PYTHON, Op
from .syntax import attributes_read_around, attributes_set_at

CutKind = Literal[
    "detach", "data-access", "no-grad", "non-differentiable", "left-autograd", "reentrant-checkpoint", "custom-function"
]

_BY_NAME: dict[str, CutKind] = {
    "detach": "detach",
    "detach_": "detach",
    "data": "data-access",
    "tensor": "left-autograd",
    "as_tensor": "left-autograd",
    "new_tensor": "left-autograd",
    "Parameter": "left-autograd",
    "Variable": "left-autograd",
    "CheckpointFunction": "reentrant-checkpoint",
}


@dataclass(frozen=True)
class Cut:
    """One expression that autograd does not pass, and an operation at which it was met."""

    kind: CutKind
    key: object
    op: Op


@dataclass(frozen=True)
class Way:
    """How a value gets to the loss: across `cuts`, nearest to the value first; with none it is unbroken."""

    cuts: tuple[Cut, ...] = ()


_UNBROKEN = Way()


class Flow:
    """The data flow of one trace towards the loss tokens. `sources` are the tokens of the parameters."""

    def __init__(self, ops: Sequence[Op], losses: Iterable[int], sources: Iterable[int]) -> None:
        self.ops = ops
        self.losses = frozenset(losses)
        self.sources = frozenset(sources)

    def ways(self, token: int) -> list[Way]:
        """The ways from a tensor to the loss: the unbroken one alone, else those across one cut, else any others."""
        found = self._ways.get(token, {})
        shortest = min((len(way.cuts) for way in found.values()), default=0)
        return [way for way in found.values() if len(way.cuts) == shortest]

    def reaches(self, token: int) -> bool:
        """Whether the value goes into the loss at all, by whatever way."""
        return bool(self._ways.get(token)) or token in self.losses

    def uses(self, token: int) -> list[Op]:
        """The operations that read a tensor, other than to write into that tensor itself."""
        return [op for op in self._consumers.get(token, []) if not (op.outputs and set(op.outputs) <= {token})]

    def meets_data(self, token: int) -> bool:
        """Whether what is computed from a parameter ever meets anything that is not made of parameters alone.

        A parameter that was only counted, converted or printed has not been used by the model.
        """
        stack, seen = [token], {token}
        while stack:
            for op in self.uses(stack.pop()):
                if self.sources & set(op.outputs):
                    continue  # an initialiser, or a copy from one parameter to another
                if any(t not in self._made_of_parameters for t in op.inputs):
                    return True
                new = [t for t in op.outputs if t not in seen]
                seen.update(new)
                stack += new
        return False

    def downstream(self, tokens: Iterable[int]) -> set[int]:
        """The given tokens and all that was computed from them."""
        seen = set(tokens)
        stack = list(seen)
        while stack:
            for op in self.uses(stack.pop()):
                new = set(op.outputs) - seen
                seen |= new
                stack += new
        return seen

    def producer(self, token: int) -> Op | None:
        """The operation that made a tensor, if one was seen."""
        return self._producers.get(token)

    def dropped(self, token: int) -> list[Op]:
        """The last operations on the value of `token`, whose results nothing reads. Copies into parameters are none."""
        ends, stack, seen = [], [token], {token}
        while stack:
            for op in self.uses(stack.pop()):
                if self.sources & set(op.outputs):
                    continue
                new = [t for t in op.outputs if t not in seen]
                seen.update(new)
                stack += new
                if not any(self.uses(t) for t in op.outputs):
                    ends.append(op)
        return sorted({op.index: op for op in ends}.values(), key=lambda op: op.index)

    def came_back(self, op: Op) -> Op | None:
        """The operation that brought back into a tensor, or first met there, a value that left autograd at `op`."""
        for token in self._returns.get(op.index, ()):
            if self.reaches(token):
                return self._producers.get(token) or next(iter(self._consumers.get(token, [])), None)
        return None

    @cached_property
    def _consumers(self) -> dict[int, list[Op]]:
        consumers: defaultdict[int, list[Op]] = defaultdict(list)
        for op in self.ops:
            for token in dict.fromkeys(op.inputs):
                consumers[token].append(op)
        return consumers

    @cached_property
    def _producers(self) -> dict[int, Op]:
        producers: dict[int, Op] = {}
        for op in self.ops:
            for token in op.outputs:
                producers.setdefault(token, op)
        return producers

    @cached_property
    def _ways(self) -> dict[int, dict[object, Way]]:
        ways: defaultdict[int, dict[object, Way]] = defaultdict(dict)
        for token in self.losses:
            ways[token] = {None: _UNBROKEN}
        for op in reversed(self.ops):
            targets = op.outputs if op.name not in EXITS else self._returns.get(op.index, ())
            for target in targets:
                for way in list(ways.get(target, {}).values()):
                    longer = _through(op, target, way)
                    for source in op.inputs:
                        if source != target and not (target in self.sources and source in self._made_of_parameters):
                            _add(ways[source], longer)
        return ways

    @cached_property
    def _made_of_parameters(self) -> set[int]:
        """Tokens of parameters, and of what is computed from parameters alone: copying those around is no data flow."""
        made = set(self.sources)
        for op in self.ops:
            if op.inputs and all(token in made for token in op.inputs):
                made.update(op.outputs)
        return made

    @cached_property
    def _returns(self) -> dict[int, tuple[int, ...]]:
        """For each operation whose value left autograd: the tensors that later came in from nowhere near there.

        A value's way through numpy or plain Python is not seen. It is taken to come back as a tensor made without
        tensor inputs after it left, in one of the user's functions that were running then, or in one that reads the
        attribute which keeps it.
        """
        exits = [op for op in self.ops if op.name in EXITS and op.name != "__bool__" and op.inputs]
        if not exits:
            return {}
        arrivals = list(self._arrivals())
        returns: dict[int, tuple[int, ...]] = {}
        for op in exits:
            if op.site is None:
                continue
            running = {id(site.code) for site in op.site.chain()}
            kept = attributes_set_at(op.site.location())
            newer = [(token, at.site) for at, token in arrivals if at.index > op.index and token > max(op.inputs)]
            returns[op.index] = tuple(
                token
                for token, site in newer
                if site and (id(site.code) in running or (kept and kept & attributes_read_around(site.location())))
            )
        return returns

    def _arrivals(self) -> Iterable[tuple[Op, int]]:
        """Tensors that no traced operation computed, each with the operation that brought it in or met it first."""
        known: set[int] = set(self.sources)
        for op in self.ops:
            if op.name in FROM_PYTHON and not op.inputs:
                yield from ((op, token) for token in op.outputs)
            elif op.name not in EXITS:
                yield from ((op, token) for token in dict.fromkeys(op.inputs) if token not in known)
            known.update(op.inputs, op.outputs)


def cut_at(op: Op, output: int) -> Cut | None:
    """The cut that `op` makes between its inputs and one output, if it makes one.

    Plain detaches, switched-off grad and discrete results cut whatever comes; anything else only where an input
    required grad and the output does not.
    """
    kind = _BY_NAME.get(op.name)
    if output in op.behind:
        kind = _BY_NAME[op.behind[output]] if op.needs_grad else None
        return None if kind is None else Cut(kind, (kind, _expression(op)), op)
    if op.name in EXITS:
        kind = "left-autograd"
    elif kind is None and op.grad_off:
        switch = None if op.switch is None else op.switch.expression
        return Cut("no-grad", ("no-grad", switch or _expression(op)), op)
    elif output in op.grad_outputs and op.name != "data":
        return None
    elif kind is None and output in op.discrete:
        kind = "non-differentiable"
    elif kind is None and op.needs_grad:
        kind = "custom-function" if op.inner is not None or op.opaque else "non-differentiable"
    elif kind in ("left-autograd", "reentrant-checkpoint") and not op.needs_grad:
        kind = None
    return None if kind is None else Cut(kind, (kind, _expression(op)), op)


def _expression(op: Op) -> object:
    return op.index if op.site is None else op.site.expression


def _through(op: Op, target: int, way: Way) -> Way:
    cut = cut_at(op, target)
    if cut is None:
        return way
    if any(cut.key == other.key for other in way.cuts):  # one expression: its first operation is what cuts
        return Way(tuple(cut if cut.key == other.key else other for other in way.cuts))
    if way.cuts and way.cuts[0].kind == "left-autograd" and _same_line(cut.op, way.cuts[0].op):
        return way  # x.detach().numpy() leaves autograd once
    return Way((cut, *way.cuts[:1]))


def _same_line(op: Op, other: Op) -> bool:
    if op.site is None or other.site is None:
        return False
    return op.site.code is other.site.code and op.site.location().line == other.site.location().line


def _add(ways: dict[object, Way], way: Way) -> None:
    if None in ways:
        return
    if not way.cuts:
        ways.clear()
    ways.setdefault(tuple(cut.key for cut in way.cuts) or None, way)
