"""Where NaN or Inf was first made, in the forward pass or in the backward."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from ..backward import ParameterFacts
from ..graph import Node
from ..ops import Op
from .evidence import Evidence, Explanation
from .walk import saved
from .zero_sources import called


def nonfinite(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter whose gradient holds NaN or Inf."""
    for fact in evidence.with_verdict("nonfinite"):
        leaf = evidence.graph.leaf_node(fact.tensor)
        if leaf is not None and evidence.walk is not None:
            for node in evidence.walk.nonfinite_births(leaf):
                forward = forward_birth(evidence) if _met_nonfinite_values(node) else None
                yield _in_backward(evidence, fact, node) if forward is None else _in_forward(evidence, forward, fact)


def forward_birth(evidence: Evidence) -> Op | None:
    """The first operation that made NaN or Inf on the way to the loss.

    An infinity counts from where it became one, a NaN from the infinity that it came of, if there was one before it.
    """
    births = evidence.births
    if births is None:
        return None
    nans = [op for op in map(evidence.op_at, births.nan) if op is not None and _goes_into_loss(evidence, op)]
    infs = [op for op in map(evidence.op_at, births.inf) if op is not None and _goes_into_loss(evidence, op)]
    for nan in nans:
        before = [op for op in infs if op.index < nan.index and _feeds(evidence, op, nan)]
        return before[0] if before else nan
    infinite = any(not math.isfinite(float(loss.detach())) for loss in evidence.outcome.losses.values())
    return infs[0] if infs and infinite else None


def made_in_forward(evidence: Evidence, op: Op) -> str:
    """The sentence on an operation that made NaN or Inf in the forward pass."""
    what = "NaN" if evidence.births is not None and op.index in evidence.births.nan else "infinity"
    return f"{op.name.strip('_')} makes {what} in the forward pass."


def _in_forward(evidence: Evidence, op: Op, fact: ParameterFacts) -> Explanation:
    return Explanation("nonfinite-op", made_in_forward(evidence, op), evidence.place(op), [fact.name])


def _in_backward(evidence: Evidence, fact: ParameterFacts, node: Node) -> Explanation:
    message = f"Going back through {called(evidence, node)}, the gradient becomes infinite or NaN."
    return Explanation("nonfinite-op", message, evidence.node_place(node), [fact.name])


def _goes_into_loss(evidence: Evidence, op: Op) -> bool:
    return any(evidence.flow.reaches(token) for token in op.outputs)


def _feeds(evidence: Evidence, op: Op, later: Op) -> bool:
    return bool(evidence.flow.downstream(op.outputs) & set(later.inputs))


def _met_nonfinite_values(node: Node) -> bool:
    """Whether the values that a node saved in the forward pass already held NaN or Inf."""
    tensors = (saved(node, name) for name in dir(node) if name.startswith("_saved_"))
    return any(
        not bool(torch.isfinite(tensor.detach()).all())
        for tensor in tensors
        if tensor is not None and (tensor.is_floating_point() or tensor.is_complex())
    )
