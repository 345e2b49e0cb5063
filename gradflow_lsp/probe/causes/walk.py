"""Walks through the autograd graph, from a parameter towards the loss, along what the explaining backward saw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch

from ..explaining import Explained
from ..graph import Graph, Node, kind
from .node_kinds import JOINS, LEAF_VIEWS, PRODUCTS, ZERO_KEEPING


@dataclass(frozen=True)
class Death:
    """Where a gradient becomes zero.

    `in_node`: `node` got something and hands on only zeros along `edge`. `in_sum`: what several nodes hand on cancels
    exactly; `node` is the last of them. `in_hook`: what `node` handed on was made zero before the next one got it.
    """

    node: Node
    edge: int
    how: Literal["in_node", "in_sum", "in_hook"]


def deaths(graph: Graph, explained: Explained, leaf: Node) -> list[Death]:
    """Every place where the gradient of a zero parameter dies on its way from the loss."""
    found: dict[tuple[Node, int], Death] = {}
    stack, seen = [leaf], {leaf}
    while stack:
        consumers = [
            (consumer, edge, passage)
            for consumer, edge in graph.consumers.get(stack.pop(), [])
            if (passage := explained.passages.get(consumer)) is not None
        ]
        handing = [(consumer, edge) for consumer, edge, passage in consumers if passage.hands_on(edge)]
        if handing:  # and still nothing arrived
            consumer, edge = handing[-1]
            found[consumer, edge] = Death(consumer, edge, "in_sum" if len(handing) > 1 else "in_hook")
            continue
        for consumer, edge, passage in consumers:
            if passage.alive:
                found[consumer, edge] = Death(consumer, edge, "in_node")
            elif consumer not in seen:
                seen.add(consumer)
                stack.append(consumer)
    return list(found.values())


def beyond_joins(graph: Graph, node: Node) -> Node:
    """The first operation from `node` towards the loss that does more than lay tensors side by side or reshape them."""
    while kind(node) in JOINS | LEAF_VIEWS and len(graph.consumers.get(node, [])) == 1:
        node = graph.consumers[node][0][0]
    return node


@dataclass(frozen=True)
class Step:
    """One step from a parameter towards the loss: at `node`, `change` is what left over what arrived.

    `joined` says that it was lost where several gradients were added up, not inside the node's own derivative.
    """

    node: Node
    change: float
    joined: bool = False

    @property
    def decades(self) -> float:
        """The size of the step in powers of ten; negative where the gradient shrinks on its way to the parameter."""
        return math.log10(self.change) if self.change > 0 and math.isfinite(self.change) else 0.0


def path_to_loss(graph: Graph, explained: Explained, leaf: Node) -> list[Step]:
    """The way along which most of a parameter's gradient came, from the parameter to the loss."""
    steps: list[Step] = []
    node, arrived, seen = leaf, _arrived(explained, leaf), {leaf}
    while True:
        edges = [
            (left, consumer)
            for consumer, edge in graph.consumers.get(node, [])
            if (passage := explained.passages.get(consumer))
            and edge < len(passage.left)
            and (left := passage.left[edge])
        ]
        if not edges:
            return steps
        left, consumer = max(edges, key=lambda pair: pair[0] if pair[0] == pair[0] else 0.0)
        if consumer in seen:
            return steps
        if arrived and left and arrived < left / 100:
            steps.append(Step(consumer, arrived / left, joined=True))
        incoming = _arrived(explained, consumer)
        if incoming and left:
            steps.append(Step(consumer, left / incoming))
        node, arrived = consumer, incoming
        seen.add(consumer)


def _arrived(explained: Explained, node: Node) -> float:
    """The largest gradient that arrived at a node, 0 where none did or none is known."""
    passage = explained.passages.get(node)
    return max((a for a in passage.arrived if a is not None and a == a), default=0.0) if passage else 0.0


def nonfinite_births(graph: Graph, explained: Explained, leaf: Node) -> list[Node]:
    """The nodes that made the NaN or Inf which reached a parameter: finite gradients arrived, others left."""
    births: dict[Node, None] = {}
    stack, seen = [leaf], {leaf}
    while stack:
        for consumer, edge in graph.consumers.get(stack.pop(), []):
            passage = explained.passages.get(consumer)
            if passage is None or consumer in seen or edge >= len(passage.left):
                continue
            left = passage.left[edge]
            if left is None or math.isfinite(left):
                continue
            seen.add(consumer)
            if all(a is None or math.isfinite(a) for a in passage.arrived):
                births[consumer] = None
            else:
                stack.append(consumer)
    return list(births)


def operand(node: Node, edge: int) -> tuple[torch.Tensor | None, int] | None:
    """The other operand of a product's edge: its saved value, if there is one, and its own edge."""
    operands = PRODUCTS.get(kind(node), ())
    other = [(at, name) for at, name in operands if at != edge]
    return (saved(node, other[0][1]), other[0][0]) if len(other) == 1 else None


def saved(node: Node, name: str) -> torch.Tensor | None:
    """A tensor that a node saved for its backward, or `None` where there is none (any more)."""
    try:
        value: Any = getattr(node, name, None)
    except RuntimeError:
        return None
    return value if isinstance(value, torch.Tensor) else None


def child(node: Node, edge: int) -> Node | None:
    """What the node's input on this edge was computed by: a node, or `None` for data that needs no grad."""
    edges = node.next_functions
    return edges[edge][0] if edge < len(edges) else None


def as_leaf(node: Node | None) -> torch.Tensor | None:
    """The leaf that a node stands for, seen through views of it; `None` for computed values."""
    while node is not None and kind(node) in LEAF_VIEWS:
        node = child(node, 0)
    leaf = getattr(node, "variable", None)
    return leaf if isinstance(leaf, torch.Tensor) else None


def all_zero(tensor: torch.Tensor | None) -> bool:
    """Whether a tensor is known to hold nothing but zeros."""
    return tensor is not None and not bool(torch.count_nonzero(tensor.detach()))


def passes_zeros(node: Node) -> bool:
    """Whether the node's output is zero for no other reason than that its input is."""
    return kind(node) in ZERO_KEEPING
