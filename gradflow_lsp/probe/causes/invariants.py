"""Gradients that are mathematically zero and mean no harm: a shift that a normalisation further on takes out again."""

from __future__ import annotations

from collections.abc import Iterator

from ..backward import ParameterFacts
from ..graph import Node, kind
from .evidence import Evidence, Explanation
from .node_kinds import ATTENTIONS, NORMALISATIONS
from .zero_sources import called

_NEAR = 64
"""Nodes to look at on the way to the loss: what takes a shift out stands close behind it."""


def invariant(evidence: Evidence) -> Iterator[Explanation]:
    """Say of each such parameter what makes its gradient zero; at its layer where the operation's line is not known."""
    for fact in evidence.facts:
        if not evidence.judgements[fact.name].invariant:
            continue
        node = _normalisation_after(evidence, fact)
        taken_out = "" if node is None else f", as {called(evidence, node)} takes out what it adds"
        message = f"The gradient here is mathematically zero{taken_out}. This is harmless."
        op = None if node is None else evidence.graph.op(node)
        place = evidence.definition(fact) if op is None else evidence.place(op)
        yield Explanation("invariant", message, place, [fact.name])


def _normalisation_after(evidence: Evidence, fact: ParameterFacts) -> Node | None:
    """The first operation behind the parameter whose output a shift of its input does not change, if one is near."""
    leaf = evidence.graph.leaf_node(fact.tensor)
    queue = [] if leaf is None else [leaf]
    for node in queue:  # which grows while it is read
        for consumer, _ in evidence.graph.consumers.get(node, []):
            if kind(consumer) in NORMALISATIONS | ATTENTIONS:
                return consumer
            if consumer not in queue:
                queue.append(consumer)
        if len(queue) > _NEAR:
            break
    return None
