"""What a gradient lost on its way from the loss to a parameter, summed up for all parameters in one walk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..graph import Graph, Node
from ..ops import Op
from .walk import Step, Walk

TOO_SMALL = 0.1
"""The size of a weight, relative to what keeps a signal's size, below which it is to blame for a vanishing gradient."""


@dataclass(frozen=True)
class Weight:
    """A parameter of two or more dimensions that an operation multiplies with.

    A weight keeps a signal's size when its root mean square is about 1 / sqrt(inputs); `size` is relative to that.
    """

    name: str
    size: float


class Loss(NamedTuple):
    """The decades that one operation took (negative: it gave), and its step that took most."""

    op: Op | None
    decades: float
    step: Step


class Expression(NamedTuple):
    """The decades that all applications of one of the user's expressions took together; `op` is one of them."""

    op: Op | None
    decades: float = 0.0
    times: int = 0


@dataclass
class Shrinkage:
    """The sum of a way.

    `total` is the decades that were lost, whatever was gained in between; `least` the step with the smallest change.
    `weights` counts the weights that were used on the way; `small` those of less than a tenth of the size that they
    need, and `small_weight` is the latest of these.
    """

    total: float = 0.0
    least: Step | None = None
    weights: int = 0
    small: int = 0
    small_weight: str | None = None
    expressions: dict[object, Expression] = field(default_factory=dict)
    latest: Loss | None = None
    worst_before: Loss | None = None

    @property
    def worst(self) -> Loss | None:
        """The operation that took most; of several, the one nearest to the parameter."""
        if self.latest is None or self.worst_before is None:
            return self.latest
        return self.latest if self.latest.decades >= self.worst_before.decades else self.worst_before

    @property
    def worst_expression(self) -> Expression | None:
        """The expression whose applications took most together."""
        return max(self.expressions.values(), key=lambda expression: expression.decades, default=None)

    def copied(self) -> Shrinkage:
        """A copy, to go on with."""
        return replace(self, expressions=dict(self.expressions))

    def add_all(self, walk: Walk, graph: Graph, weights: Mapping[int, Weight], node: Node) -> None:
        """Take the steps that lead to `node` from the one before it on the way from the loss."""
        onward = walk.onward(node)
        for step in reversed(onward[1] if onward is not None else []):
            self.add(graph.op(step.node), step, weights)

    def add(self, op: Op | None, step: Step, weights: Mapping[int, Weight]) -> None:
        """Take one more step from the loss towards the parameter; `weights` are those of the model, by token."""
        decades = step.decades
        self.total += max(-decades, 0.0)
        if self.least is None or decades <= self.least.decades:
            self.least = step
        goes_on = self.latest is not None and self.latest.op is op
        key = None if op is None else op.index if op.site is None else op.site.expression
        first, taken, times = self.expressions.get(key) or Expression(op)
        self.expressions[key] = Expression(first, taken - decades, times if goes_on else times + 1)
        if goes_on and self.latest is not None:
            smaller = step if decades <= self.latest.step.decades else self.latest.step
            self.latest = Loss(op, self.latest.decades - decades, smaller)
            return
        self.worst_before, self.latest = self.worst, Loss(op, -decades, step)
        for token in () if op is None else op.inputs:
            weight = weights.get(token)
            if weight is not None:
                self.weights += 1
                if weight.size < TOO_SMALL:
                    self.small += 1
                    self.small_weight = weight.name


def shrinkages_at(
    leaves: Iterable[Node], walk: Walk, graph: Graph, weights: Mapping[int, Weight]
) -> dict[Node, Shrinkage]:
    """The sums of the ways to parameters, by their nodes; where ways run together, they are walked once.

    `weights` are those of the model, by token. A parameter that no gradient came to has no sum.
    """
    leaves = sorted(leaves, key=walk.distance)
    joints = _joints(leaves, walk)
    known: dict[Node, Shrinkage] = {}
    found: dict[Node, Shrinkage] = {}
    for leaf in leaves:
        nodes = walk.nodes_until(leaf, known)
        if len(nodes) == 1:
            continue
        along = known[nodes[-1]].copied() if nodes[-1] in known else Shrinkage()
        for node in reversed(nodes[:-1]):
            along.add_all(walk, graph, weights, node)
            if node in joints:
                known[node] = along.copied()
        found[leaf] = along
    return found


def _joints(leaves: Iterable[Node], walk: Walk) -> set[Node]:
    """The nodes at which ways from several parameters run together."""
    arrivals: Counter[Node] = Counter()
    for leaf in leaves:
        node = leaf
        while (onward := walk.onward(node)) is not None:
            node = onward[0]
            arrivals[node] += 1
            if arrivals[node] > 1:
                break
    return {node for node, times in arrivals.items() if times > 1}
