"""Why a value that gradients are multiplied with is so small: read back along what computed it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from ..graph import Node, kind
from .node_kinds import FADING, PRODUCTS
from .shrinkage import TOO_SMALL
from .walk import as_leaf, child, operand, saved

_FEW = 2
"""So many products in a row are no repetition yet."""


@dataclass(frozen=True)
class Small:
    """What made a value small: a `weight`, an activation that is `shut`, or else products `applied` one by one."""

    weight: torch.Tensor | None = None
    shut: Node = None
    applied: tuple[Node, ...] = ()


def why_small(node: Node, but: torch.Tensor) -> Small | None:
    """Trace the value that `node` computed back to what made it small; `None` where nothing stands out.

    `but` is the parameter whose gradient is looked into: it does not starve itself.
    """
    applied: list[Node] = []
    seen: set[Node] = set()
    while node is not None and node not in seen:
        seen.add(node)
        leaf = as_leaf(node)
        if leaf is not None:
            return None if leaf is but else Small(weight=leaf)
        if kind(node) in FADING and not applied:
            return Small(shut=node)
        edges = [edge for edge in range(len(node.next_functions)) if operand(node, edge) is not None]
        weights = [leaf for edge in edges if (leaf := as_leaf(child(node, edge))) is not None and _is_small(leaf)]
        if weights:
            return Small(weight=weights[0])
        if edges:
            applied.append(node)
            computed = [edge for edge in edges if child(node, edge) is not None and as_leaf(child(node, edge)) is None]
            edge = min(computed, key=lambda at: _size(node, at), default=None)
            node = None if edge is None else child(node, edge)
        else:
            node = child(node, 0)
    return Small(applied=tuple(applied)) if len(applied) > _FEW else None


def _is_small(weight: torch.Tensor) -> bool:
    """Whether a weight is too small to keep a signal's size."""
    return weight.dim() >= 2 and _rms(weight) * math.sqrt(weight[0].numel()) < TOO_SMALL


def _size(node: Node, edge: int) -> float:
    """The size of a product's operand, as far as it was kept."""
    value = next((saved(node, name) for at, name in PRODUCTS[kind(node)] if at == edge), None)
    return 1.0 if value is None else _rms(value)


def _rms(tensor: torch.Tensor) -> float:
    exact = torch.complex128 if tensor.is_complex() else torch.float64
    return float(torch.linalg.vector_norm(tensor.detach(), dtype=exact)) / math.sqrt(max(tensor.numel(), 1))
