"""What passes the nodes of a backward: how large the gradients are that come in and go out."""

from __future__ import annotations

import math
from collections.abc import Collection, Container
from dataclasses import dataclass
from typing import Any

import torch

from .graph import Graph, Node, kind
from .measuring import entries

_HANDING_ON = frozenset(
    f"{name}Backward"
    for name in ("View", "UnsafeView", "ReshapeAlias", "Alias", "T", "Transpose", "Permute", "Squeeze", "Unsqueeze")
)
"""Nodes that hand on every entry as it is, and no others, in another shape: what leaves is as large as what arrived."""


@dataclass
class Passage:
    """The largest absolute gradient on each edge of one node.

    `arrived` is what came in from the loss's side, `left` what went out towards the leaves. `None` stands for an edge
    without a gradient, or one that leads to nothing watched. NaN and infinities show as such. Values are of the scaled
    loss; of several, the largest counts.
    """

    arrived: list[float | None]
    left: list[float | None]

    @property
    def alive(self) -> bool:
        """Whether anything other than zeros arrived."""
        return any(a != 0.0 for a in self.arrived if a is not None)

    def hands_on(self, edge: int) -> bool:
        """Whether anything other than zeros left along an edge."""
        return edge < len(self.left) and self.left[edge] not in (0.0, None)


class Watcher:
    """Measures what passes the `nodes` in the next backwards, on the edges between them, and notes it in `passages`.

    What one node alone hands to the next is measured once, and at nodes that only hand it on not at all. `hooked` are
    the ids of nodes at which the user's hooks may change it. After the backwards it is to be ended.
    """

    def __init__(
        self, passages: dict[Node, Passage], graph: Graph, nodes: Collection[Node], hooked: Container[int]
    ) -> None:
        self._passages = passages
        self._graph = graph
        self._nodes = nodes
        self._handed: dict[tuple[Node, int], tuple[tuple[int, int] | None, float]] = {}
        self._between = {node for node in nodes if id(node) not in hooked and self._hands_on(node)}
        watched = [node for node in nodes if node not in self._between and not self._tells_nothing(node)]
        self._handles: list[Any] = [node.register_hook(self._hook(node)) for node in watched]

    def end(self) -> None:
        """Stop watching, and note what passed the nodes between: what the one before has handed to them."""
        for handle in self._handles:
            handle.remove()
        for node in self._between:
            waiting = [node]
            while (before := self._before(waiting[-1])[0]) in self._between and before not in self._passages:
                waiting.append(before)
            for each in reversed(waiting):
                before, edge = self._before(each)
                passage = self._passages.get(before)
                if passage is not None and edge < len(passage.left):
                    self._passages[each] = Passage([passage.left[edge]], [passage.left[edge]])

    def _hook(self, node: Node) -> object:
        """The hook to register at `node`."""
        source = self._source(node)
        children = [child for child, _ in node.next_functions]
        measured = [child in self._nodes for child in children]
        places = [  # of what is handed to a node that gets nothing else
            (node, edge) if watched and len(self._graph.consumers[child]) == 1 else None
            for edge, (child, watched) in enumerate(zip(children, measured, strict=True))
        ]
        arriving, leaving, passages = self._arriving, self._leaving, self._passages

        def measure(left: tuple[torch.Tensor | None, ...], arrived: tuple[torch.Tensor | None, ...]) -> None:
            passage = Passage(
                [None if gradient is None else arriving(gradient, source) for gradient in arrived],
                [
                    None if gradient is None or not wanted else leaving(gradient, place)
                    for gradient, wanted, place in zip(left, measured, places, strict=False)
                ],
            )
            earlier = passages.get(node)  # of another loss
            if earlier is not None:
                passage.arrived = list(map(_larger, earlier.arrived, passage.arrived))
                passage.left = list(map(_larger, earlier.left, passage.left))
            passages[node] = passage

        return measure

    def _leaving(self, gradient: torch.Tensor, place: tuple[Node, int] | None) -> float:
        largest = _largest(gradient)
        if place is not None:
            self._handed[place] = (_mark(gradient), largest)
        return largest

    def _arriving(self, gradient: torch.Tensor, source: tuple[Node, int] | None) -> float:
        mark, largest = (None, 0.0) if source is None else self._handed.pop(source, (None, 0.0))
        same = mark is not None and mark == _mark(gradient)  # not touched by any hook
        return largest if same else _largest(gradient)

    def _source(self, node: Node) -> tuple[Node, int] | None:
        """The watched node, and its edge, that alone hands something to a node, perhaps through some between."""
        consumers = self._graph.consumers.get(node, [])
        while len(consumers) == 1 and consumers[0][0] in self._between:
            consumers = self._graph.consumers[consumers[0][0]]
        return consumers[0] if len(consumers) == 1 else None

    def _before(self, node: Node) -> tuple[Node, int]:
        """The only node that hands something to one between, and its edge."""
        (consumer,) = self._graph.consumers[node]
        return consumer

    def _hands_on(self, node: Node) -> bool:
        return kind(node) in _HANDING_ON and len(self._graph.consumers[node]) == 1 and len(node.next_functions) == 1

    def _tells_nothing(self, node: Node) -> bool:
        """Whether a node is that of a leaf at which just what the one node before it handed on arrives."""
        leaf = getattr(node, "variable", None)
        if not isinstance(leaf, torch.Tensor) or len(self._graph.consumers[node]) != 1:
            return False
        return not getattr(leaf, "_backward_hooks", True)  # those of the user may change it


def _mark(gradient: torch.Tensor) -> tuple[int, int] | None:
    """What changes when another tensor is put in a gradient's place, or another value into it; `None` if unknown."""
    version = getattr(gradient, "_version", None)
    return None if version is None or gradient.layout is not torch.strided else (gradient.data_ptr(), version)


def _larger(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return other if one is None else one
    return one if math.isnan(one) else max(other, one)  # NaN wins on either side


def _largest(gradient: torch.Tensor) -> float:
    plain = gradient.dtype is torch.float32 and gradient.layout is torch.strided and not gradient.requires_grad
    values = gradient if plain else entries(gradient).detach()
    if not values.numel():
        return 0.0
    low, high = torch.aminmax(torch.view_as_real(values) if values.is_complex() else values)  # NaN comes through
    return max(-float(low), float(high))
