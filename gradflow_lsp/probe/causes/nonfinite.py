"""Where NaN or Inf was first made, in the forward pass or in the backward."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..graph import Node, kind
from ..tracing import Op
from .evidence import Evidence, Explanation
from .walk import nonfinite_births, saved

_INPUTS = ("_saved_self", "_saved_other", "_saved_mat1", "_saved_mat2", "_saved_input", "_saved_weight")


def nonfinite(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter whose gradient holds NaN or Inf."""
    if evidence.explained is None:
        return
    for fact in evidence.with_verdict("nonfinite"):
        leaf = evidence.graph.leaf_node(fact.tensor)
        births = [] if leaf is None else nonfinite_births(evidence.graph, evidence.explained, leaf)
        for node in births:
            forward = first_nan(evidence, node)
            if forward is not None:
                message = f"{forward.name} makes NaN in the forward pass."
                yield Explanation("nonfinite-op", message, evidence.place(forward), [fact.name])
            else:
                op = evidence.graph.op(node)
                name = op.name if op is not None else kind(node).removesuffix("Backward").lower()
                message = f"The derivative of {name} is infinite or NaN at some of its inputs."
                yield Explanation("nonfinite-op", message, evidence.place(op), [fact.name])


def first_nan(evidence: Evidence, node: Node) -> Op | None:
    """The earliest operation at or before `node` whose saved values hold NaN, which the forward pass therefore made."""
    found: list[Op] = []
    stack, seen = [node], {node}
    while stack:
        current = stack.pop()
        if _holds_nan(saved(current, "_saved_result")):
            found += filter(None, [evidence.graph.op(current)])
        elif any(_holds_nan(saved(current, name)) for name in _INPUTS):
            makers = [evidence.graph.op(c) for c, _ in current.next_functions if c is not None]
            found += [op for op in makers if op is not None and _output_nan(evidence, op)] or filter(
                None, [evidence.graph.op(current)]
            )
        for child, _ in current.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                stack.append(child)
    return min(found, key=lambda op: op.index, default=None)


def _output_nan(evidence: Evidence, op: Op) -> bool:
    return any(
        _holds_nan(saved(node, "_saved_result")) for node in evidence.graph.nodes if evidence.graph.op(node) is op
    )


def _holds_nan(tensor: torch.Tensor | None) -> bool:
    return tensor is not None and tensor.is_floating_point() and bool(torch.isnan(tensor.detach()).any())
