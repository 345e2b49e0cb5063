"""The stretch of layers over which an expression is applied again and again: its first and its last layer."""

from __future__ import annotations

from collections.abc import Iterable

from ..ops import Op
from ..report import Related
from .evidence import Evidence
from .walk import Step


def stretch(evidence: Evidence, path: Iterable[Step], repeated: Op | None) -> list[Related]:
    """Where the layers at both ends of the stretch are defined, in the order in which the forward pass meets them.

    `path` leads from a parameter to the loss; `repeated` is one of the applications of the expression.
    """
    if repeated is None or repeated.site is None:
        return []
    ops = list(dict.fromkeys(filter(None, (evidence.graph.op(step.node) for step in path))))
    at = [i for i, op in enumerate(ops) if op.site is not None and op.site.expression == repeated.site.expression]
    if not at:
        return []
    owner = {evidence.tracer.tokens.find(fact.tensor): fact for fact in evidence.facts if fact.dimensions >= 2}
    layers = [(i, owner[token]) for i, op in enumerate(ops) for token in op.inputs if token in owner]
    inside = [fact for i, fact in layers if at[0] <= i <= at[-1]]
    before = [fact for i, fact in layers if i < at[0]][-1:]  # what an activation is applied to
    ends = [fact for fact in [*before, *inside] if fact.parameter.module]
    if not ends or ends[0] is ends[-1]:
        return []
    first, last = (evidence.definition(fact).location for fact in (ends[0], ends[-1]))
    names = ends[0].parameter.module, ends[-1].parameter.module
    if first == last:
        return [Related(f"The stretch runs from {names[0]} to {names[1]}.", first)]
    return [Related(f"The stretch begins with {names[0]}.", first), Related(f"It ends with {names[1]}.", last)]
