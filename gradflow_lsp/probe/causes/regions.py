"""Where a part of a joined tensor is dropped: the way of one of the tensors that were laid side by side."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph import Graph, Node, kind
from .node_kinds import ACTIVATIONS, JOINS, MIXING, RUNNING_PRODUCTS, SELECTIONS, STEPS, UNDERFLOWS
from .walk import all_zero, beyond_joins, child, has_zeros, operand, output_shape, saved

_EXPONENTIALS = frozenset({"ExpBackward", "Exp2Backward"})
"""Of the functions that may underflow, those that keep their result, so that it can be seen whether they did."""

_PICKS = SELECTIONS - JOINS - {f"{name}Backward" for name in ("Sum", "Mean", "Fill", "Zero", "ConstantPadNd")}


@dataclass(frozen=True)
class _Part:
    """The entries from `start` to `start + size`, of `total` ones on an axis."""

    axis: int
    start: int
    size: int
    total: int

    def is_apart_in(self, node: Node) -> bool:
        """Whether the part still lies where it did in what a node computed."""
        shape = output_shape(node)
        return kind(node) not in MIXING and len(shape) > self.axis and shape[self.axis] == self.total

    def ends_in(self, node: Node) -> bool:
        """Whether a node is one that drops entries: a selection, a step, a factor or an activation of zeros."""
        if kind(node) in _PICKS | STEPS | (UNDERFLOWS - _EXPONENTIALS):
            return True
        if kind(node) in RUNNING_PRODUCTS and has_zeros(saved(node, "_saved_self")):
            return True
        edges = [edge for edge in range(len(node.next_functions)) if child(node, edge) is not None]
        if kind(node) == "MulBackward" and any(has_zeros((operand(node, edge) or (None,))[0]) for edge in edges):
            return True
        result = saved(node, "_saved_result") if kind(node) in ACTIVATIONS | _EXPONENTIALS else None
        return result is not None and all_zero(result.narrow(self.axis, self.start, self.size))


def where_part_ends(graph: Graph, join: Node, edge: int) -> tuple[Node, int]:
    """The operation at which what a join took in on `edge` stops to matter; else the one that reads the join's output.

    It is followed towards the loss through whatever keeps the parts apart. With it comes the edge on which it read it.
    """
    part = _part_of(join, edge)
    queue = [] if part is None else [join]
    for node in queue:  # which grows while it is read
        for consumer, read_on in graph.consumers.get(node, []):
            apart = part is not None and part.is_apart_in(consumer)
            if part is not None and (apart or kind(consumer) in _PICKS) and part.ends_in(consumer):
                return consumer, read_on
            if apart and consumer not in queue:
                queue.append(consumer)
    return beyond_joins(graph, join)


def _part_of(join: Node, edge: int) -> _Part | None:
    """Where the tensor that came in on an edge lies in the join's output, if torch says."""
    axis, shape = getattr(join, "_saved_dim", None), output_shape(join)
    if not isinstance(axis, int) or not shape:
        return None
    axis = axis - 2**64 if axis >= 2**63 else axis  # a negative one, as torch keeps it
    axis += len(shape) if axis < 0 else 0
    if kind(join) == "StackBackward":
        return _Part(axis, edge, 1, shape[axis])
    shapes = [output_shape(below) if below is not None else () for below, _ in join.next_functions]
    sizes = [one[axis] if len(one) > axis else None for one in shapes]
    if sizes.count(None) == 1:  # plain data, of which torch keeps no shape, has what is left
        sizes[sizes.index(None)] = shape[axis] - sum(size for size in sizes if size is not None)
    start = sum(size for size in sizes[:edge] if size is not None)
    size = sizes[edge]
    return None if size is None or None in sizes[:edge] else _Part(axis, start, size, shape[axis])
