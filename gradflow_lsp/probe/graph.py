"""The autograd graph below the losses, and which operation of the trace each of its nodes belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from .ops import Op

Node = Any
"""A torch autograd node; torch has no public type for what `grad_fn` gives."""


class Graph:
    """The nodes that a backward from `losses` runs, each with who hands gradients to it."""

    def __init__(self, losses: Iterable[torch.Tensor], ops: Sequence[Op]) -> None:
        self.nodes: list[Node] = []
        self.consumers: dict[Node, list[tuple[Node, int]]] = {}
        self.roots = [loss.grad_fn for loss in losses if loss.grad_fn is not None]
        self._leaf_nodes: dict[int, Node] = {}
        self._ops = [op for op in ops if op.end_node > op.first_node]
        self._starts = [op.first_node for op in self._ops]
        self._walk()

    def leaf_node(self, tensor: torch.Tensor) -> Node | None:
        """The node that accumulates the gradient of a leaf, if the losses reach it."""
        return self._leaf_nodes.get(id(tensor))

    def towards_loss(self, leaves: Iterable[torch.Tensor]) -> set[Node]:
        """The nodes of these leaves, and all through which a gradient comes to them."""
        stack = [node for leaf in leaves if (node := self.leaf_node(leaf)) is not None]
        found = set(stack)
        while stack:
            for consumer, _ in self.consumers.get(stack.pop(), []):
                if consumer not in found:
                    found.add(consumer)
                    stack.append(consumer)
        return found

    def op(self, node: Node) -> Op | None:
        """The operation that made `node`, if torch gives sequence numbers and it was traced."""
        number = getattr(node, "_sequence_nr", lambda: None)()
        if number is None:
            return None
        at = bisect_right(self._starts, number) - 1
        return self._ops[at] if at >= 0 and number < self._ops[at].end_node else None

    def _walk(self) -> None:
        stack = list(dict.fromkeys(self.roots))
        seen = set(stack)
        self.consumers = {root: [] for root in stack}
        while stack:
            node = stack.pop()
            self.nodes.append(node)
            leaf = getattr(node, "variable", None)
            if isinstance(leaf, torch.Tensor):
                self._leaf_nodes[id(leaf)] = node
            for edge, (child, _) in enumerate(node.next_functions):
                if child is None:
                    continue
                self.consumers.setdefault(child, []).append((node, edge))
                if child not in seen:
                    seen.add(child)
                    stack.append(child)


def kind(node: Node) -> str:
    """A node's name without its version: `MulBackward`, `ReluBackward`, `AccumulateGrad`."""
    name: str = node.name()
    return name.rpartition("::")[2].rstrip("0123456789")
