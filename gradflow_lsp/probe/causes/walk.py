"""Walks through the autograd graph, from a parameter towards the loss, along what the explaining backward saw."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import torch

from ..explaining import Explained
from ..graph import Graph, Node, kind
from .node_kinds import COPIES, JOINS, LEAF_VIEWS, PRODUCTS, ROUTES, RUNNING_PRODUCTS, ZERO_KEEPING


@dataclass(frozen=True)
class Death:
    """Where a gradient becomes zero.

    `in_node`: `node` got something and hands on only zeros along `edge`. `in_sum`: what several nodes hand on cancels
    exactly; `node` is the last of them. `in_hook`: what `node` handed on was made zero before the next one got it.
    """

    node: Node
    edge: int
    how: Literal["in_node", "in_sum", "in_hook"]


@dataclass(frozen=True)
class Step:
    """One step from a parameter towards the loss: at `node`, `change` is what left along `edge` over what arrived.

    `joined` says that it was lost where several gradients were added up, not inside the node's own derivative.
    """

    node: Node
    edge: int
    change: float
    joined: bool = False

    @cached_property
    def decades(self) -> float:
        """The size of the step in powers of ten; negative where the gradient shrinks on its way to the parameter."""
        return math.log10(self.change) if self.change > 0 and math.isfinite(self.change) else 0.0


class Walk:
    """Walks towards the loss. Ways of different parameters run together, so what is found on them is kept."""

    def __init__(self, graph: Graph, explained: Explained) -> None:
        self._graph = graph
        self._passages = explained.passages
        self._deaths: dict[Node, tuple[Death, ...]] = {}
        self._onward: dict[Node, tuple[Node, list[Step]] | None] = {}
        self._distances: dict[Node, int] = {}

    def deaths(self, leaf: Node) -> tuple[Death, ...]:
        """Every place where the gradient of a zero parameter dies on its way from the loss."""
        stack = [leaf]
        while stack:
            own, beyond = self._deaths_at(stack[-1])
            unknown = [consumer for consumer in beyond if consumer not in self._deaths]
            if unknown:
                stack += unknown
                continue
            found = [own, *(self._deaths[consumer] for consumer in beyond)]
            longest = max(found, key=len)  # most often the only one: it is then shared, not copied
            others = [death for deaths in found for death in deaths if deaths is not longest]
            self._deaths[stack.pop()] = tuple(dict.fromkeys([*longest, *others])) if others else longest
        return self._deaths[leaf]

    def _deaths_at(self, node: Node) -> tuple[tuple[Death, ...], list[Node]]:
        """The deaths on the edges into `node`; and the nodes behind the other edges, which got only zeros."""
        consumers = [
            (consumer, edge, passage)
            for consumer, edge in self._graph.consumers.get(node, [])
            if (passage := self._passages.get(consumer)) is not None
        ]
        handing = [(consumer, edge) for consumer, edge, passage in consumers if passage.hands_on(edge)]
        if handing:  # and still nothing arrived, or nothing but another draw of what cancels
            consumer, edge = handing[-1]
            arrived = self._passages.get(node)
            cancelled = len(handing) > 1 or (arrived is not None and arrived.alive)
            return (Death(consumer, edge, "in_sum" if cancelled else "in_hook"),), []
        deaths = [Death(consumer, edge, "in_node") for consumer, edge, passage in consumers if passage.alive]
        return tuple(deaths), [consumer for consumer, _, passage in consumers if not passage.alive]

    def path(self, leaf: Node) -> Iterator[Step]:
        """The way along which most of a parameter's gradient came, from the parameter to the loss."""
        node = leaf
        while (onward := self.onward(node)) is not None:
            node, steps = onward
            yield from steps

    def onward(self, node: Node) -> tuple[Node, list[Step]] | None:
        """The next node on that way, with the steps that lead to it; `None` at the loss."""
        if node not in self._onward:
            self._onward[node] = self._find_onward(node)
        return self._onward[node]

    def nodes_until(self, node: Node, known: Container[Node]) -> list[Node]:
        """The nodes of that way, `node` first, up to one that is `known` or to the loss."""
        nodes = [node]
        while nodes[-1] not in known and (onward := self.onward(nodes[-1])) is not None:
            nodes.append(onward[0])
        return nodes

    def distance(self, node: Node) -> int:
        """How many steps that way has."""
        nodes = self.nodes_until(node, self._distances)
        beyond = self._distances.get(nodes[-1], 0)
        for passed, at in enumerate(reversed(nodes)):
            self._distances[at] = beyond + passed
        return self._distances[node]

    def _find_onward(self, node: Node) -> tuple[Node, list[Step]] | None:
        edges = [
            (left, consumer, edge)
            for consumer, edge in self._graph.consumers.get(node, [])
            if (passage := self._passages.get(consumer)) is not None
            and edge < len(passage.left)
            and (left := passage.left[edge])
        ]
        if not edges:
            return None
        left, consumer, edge = max(edges, key=lambda found: found[0] if found[0] == found[0] else 0.0)
        arrived, incoming = self.arrived(node), self.arrived(consumer)
        steps = []
        if arrived and arrived < left / 100:
            steps.append(Step(consumer, edge, arrived / left, joined=True))
        if incoming and kind(consumer) not in ROUTES:
            steps.append(Step(consumer, edge, left / incoming))
        elif incoming and left < incoming:  # it hands on what it gets, so the little that is for here came so
            steps.append(Step(self._beyond_routes(consumer), 0, left / incoming, joined=True))
        return consumer, steps

    def _beyond_routes(self, node: Node) -> Node:
        """The first operation from `node` towards the loss that does more than hand gradients on."""
        while kind(node) in ROUTES | LEAF_VIEWS and (onward := self.onward(node)) is not None:
            node = onward[0]
        return node

    def arrived(self, node: Node) -> float:
        """The largest gradient that arrived at a node, 0 where none did or none is known."""
        passage = self._passages.get(node)
        return max((a for a in passage.arrived if a is not None and a == a), default=0.0) if passage else 0.0

    def arrives(self, node: Node) -> bool:
        """Whether anything other than zeros came to a node."""
        return self.onward(node) is not None

    def nonfinite_births(self, leaf: Node) -> list[Node]:
        """The nodes that made the NaN or Inf which reached a parameter: finite gradients arrived, others left."""
        births: dict[Node, None] = {}
        stack, seen = [leaf], {leaf}
        while stack:
            for consumer, edge in self._graph.consumers.get(stack.pop(), []):
                passage = self._passages.get(consumer)
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


def beyond_joins(graph: Graph, node: Node) -> tuple[Node, int]:
    """The first operation from `node` towards the loss that does more than lay tensors side by side or reshape them.

    With it comes the edge on which it read them.
    """
    edge = 0
    while kind(node) in JOINS | LEAF_VIEWS | COPIES and len(graph.consumers.get(node, [])) == 1:
        node, edge = graph.consumers[node][0]
    return node, edge


def operand(node: Node, edge: int) -> tuple[torch.Tensor | None, int] | None:
    """The other operand of a product's edge, of two the one that is all zeros: its saved value and its own edge."""
    operands = PRODUCTS.get(kind(node), ())
    others = [(at, name) for at, name in operands if at != edge]
    if len(others) == len(operands):  # the edge is none of theirs
        return None
    at, name = next((o for o in others if len(others) > 1 and all_zero(saved(node, o[1]))), others[0])
    return saved(node, name), at


def saved(node: Node, name: str) -> torch.Tensor | None:
    """A tensor that a node saved for its backward, or `None` where there is none (any more)."""
    try:
        value: Any = getattr(node, name, None)
    except RuntimeError:
        return None
    return value if isinstance(value, torch.Tensor) else None


def saved_text(node: Node, name: str) -> str | None:
    """A word that a node saved for its backward, as a mode; or `None`."""
    value = getattr(node, name, None)
    return value if isinstance(value, str) else None


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


def has_zeros(tensor: torch.Tensor | None) -> bool:
    """Whether a tensor is known to hold a zero."""
    return tensor is not None and not bool(tensor.detach().all())


def output_shape(node: Node) -> tuple[int, ...]:
    """The shape of the first tensor that a node computed, as far as torch says; empty where it does not."""
    metadata = getattr(node, "_input_metadata", None)
    return tuple(int(size) for size in metadata[0].shape) if metadata else ()


def emptied(node: Node, edge: int) -> Node | None:
    """The operation that took all entries away, where what a node read on an edge has none."""
    found, below = None, child(node, edge)
    while below is not None and 0 in output_shape(below):
        found, below = below, next((at for at, _ in below.next_functions if at is not None), None)
    return found


def underflowed_product(node: Node) -> bool:
    """Whether a product over many entries may come to 0 although none of them is."""
    factors = saved(node, "_saved_self") if kind(node) in RUNNING_PRODUCTS else None
    return factors is not None and not has_zeros(factors)


def passes_zeros(node: Node) -> bool:
    """Whether the node's output is zero for no other reason than that its input is."""
    return kind(node) in ZERO_KEEPING
