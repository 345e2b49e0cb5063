"""Why a gradient vanishes or explodes: one step on its way from the loss, or many of the same kind."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..backward import ParameterFacts
from ..graph import Node, kind
from ..ops import Op
from ..report import Location
from .evidence import Evidence, Explanation, Place
from .node_kinds import COMPOSED, SATURATING
from .shrinkage import Loss, Shrinkage, Weight, shrinkages_at
from .small_values import why_small
from .stretches import stretch
from .walk import Step, child, operand
from .zero_sources import called, initialised_at

_RECURRENT = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})
_ONE_STEP = 4.0
"""Decades in one operation from which on that operation alone is to blame (a layer of a healthy net loses up to 2)."""
_FADED = 1e-36
"""What arrives with fewer than a few digits left: the smallest float32 with all of them is 1.2e-38."""
_SHARE = 0.5
"""Or this share of the whole way's decades."""


def vanishing(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter whose gradient is too small to learn from."""
    if evidence.walk is None:
        return
    facts = evidence.with_verdict("vanishing")
    leaves = filter(None, (evidence.graph.leaf_node(fact.tensor) for fact in facts))
    told: set[tuple[str, Location]] = set()
    shrinkages = shrinkages_at(leaves, evidence.walk, evidence.graph, _weights(evidence))
    for fact in facts:
        shrinkage = shrinkages.get(evidence.graph.leaf_node(fact.tensor))
        if shrinkage is None or shrinkage.worst is None or shrinkage.least is None:
            continue
        if evidence.judgements[fact.name].noise:
            yield _noise(evidence, fact, shrinkage.least.node)
            continue
        explanation = _shrunk(evidence, fact, shrinkage, shrinkage.worst)
        place = (explanation.kind, explanation.location)
        if explanation.kind == "compounding" and place not in told and shrinkage.worst_expression is not None:
            path = evidence.walk.path(evidence.graph.leaf_node(fact.tensor))
            explanation.related = stretch(evidence, path, shrinkage.worst_expression.op)
        told.add(place)
        yield explanation


def faded(evidence: Evidence, facts: Sequence[ParameterFacts], node: Node) -> Explanation | None:
    """Explain zeros of a gradient that was too small for its number format by the time it came to `node`."""
    if evidence.walk is None or not 0 < evidence.walk.arrived(node) < _FADED:
        return None
    shrinkage = shrinkages_at([node], evidence.walk, evidence.graph, _weights(evidence)).get(node)
    if shrinkage is None or shrinkage.worst is None:
        return None
    explanation = _shrunk(evidence, facts[0], shrinkage, shrinkage.worst)
    if explanation.kind == "compounding" and shrinkage.worst_expression is not None:
        explanation.related = stretch(evidence, evidence.walk.path(node), shrinkage.worst_expression.op)
    return explanation


def exploding(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter whose gradient is absurdly large; all share the place that contributes most."""
    groups: defaultdict[Place, float] = defaultdict(float)
    repeats: defaultdict[Place, set[int]] = defaultdict(set)
    facts = evidence.with_verdict("exploding")
    path = _longest_path(evidence, facts)
    for step in path:
        op = evidence.graph.op(step.node)
        if step.decades > 0 and op is not None:
            groups[evidence.place(op)] += step.decades
            repeats[evidence.place(op)].add(op.index)
    if not groups:
        return
    place = max(groups, key=lambda at: groups[at])
    first = evidence.op_at(min(repeats[place]))
    times = max(len(repeats[place]), 0 if first is None else _applications(evidence, first))
    if first is not None and first.name in _RECURRENT:
        message = f"{first.name} makes the gradient larger step after step, {10 ** groups[place]:.1e} times in all."
        yield Explanation("compounding", message, place, [fact.name for fact in facts])
    elif times > 1:
        factor = 10 ** (groups[place] / times)
        message = f"Each of {times} applications here makes the gradient about {factor:.3g} times larger."
        related = stretch(evidence, path, first)
        yield Explanation("compounding", message, place, [fact.name for fact in facts], related)
    else:
        message = f"This makes the gradient {10 ** groups[place]:.1e} times larger."
        yield Explanation("large-scale", message, place, [fact.name for fact in facts])


def _applications(evidence: Evidence, op: Op) -> int:
    """How often the same expression ran the same operation: a loop's body may hand on only its last result."""
    site = op.site
    return sum(
        other.name == op.name
        and other.site is not None
        and site is not None
        and other.site.expression == site.expression
        for other in evidence.flow.ops
    )


def _longest_path(evidence: Evidence, facts: Sequence[ParameterFacts]) -> list[Step]:
    """The way to the loss that comes by most nodes."""
    leaves = filter(None, (evidence.graph.leaf_node(fact.tensor) for fact in facts))
    walk = evidence.walk
    return [] if walk is None else list(walk.path(max(leaves, key=walk.distance, default=None)))


def _weights(evidence: Evidence) -> dict[int, Weight]:
    weights = {}
    for fact in evidence.facts:
        token = evidence.tracer.tokens.find(fact.tensor)
        if token is not None and fact.dimensions >= 2:
            weights[token] = Weight(fact.name, fact.weight_rms * math.sqrt(fact.tensor[0].numel()))
    return weights


def _shrunk(evidence: Evidence, fact: ParameterFacts, shrinkage: Shrinkage, worst: Loss) -> Explanation:
    total = shrinkage.total
    if worst.decades >= _ONE_STEP or worst.decades > _SHARE * total:
        if worst.op is not None and worst.op.name in _RECURRENT:
            left = f"{10**-worst.decades:.1e}"
            message = f"{worst.op.name} passes on the gradient step after step until {left} of it is left."
            return Explanation("compounding", message, evidence.place(worst.op), [fact.name])
        return _local(evidence, fact, worst.step)
    if shrinkage.small_weight is not None and shrinkage.small > shrinkage.weights / 2:
        small = next(f for f in evidence.facts if f.name == shrinkage.small_weight)
        message = f"The values set here are so small that {10**-total:.1e} of the gradient is passed on in all."
        return Explanation("small-scale", message, initialised_at(evidence, small.tensor), [fact.name])
    expression = shrinkage.worst_expression
    assert expression is not None  # there was a worst operation
    factor = 10 ** (-expression.decades / expression.times)
    message = (
        f"There is no single line: each of {expression.times} applications here passes on about {factor:.2g} "
        f"of the gradient, {10**-total:.1e} in all."
    )
    return Explanation("compounding", message, evidence.place(expression.op), [fact.name])


def _local(evidence: Evidence, fact: ParameterFacts, step: Step) -> Explanation:
    """One operation takes nearly all: a saturated activation, or a factor that is tiny."""
    node, share = step.node, f"{step.change:.1e} of the gradient"
    if kind(node) in SATURATING:
        return _saturated(evidence, fact, node, share)
    hook = evidence.hook_below(node, step.edge) if step.joined else None
    if hook is not None:
        return Explanation("small-scale", f"A hook here passes on only {share}.", hook, [fact.name])
    found = operand(node, step.edge)
    factor = None if found is None or step.joined else child(node, found[1])
    small = None if factor is None else why_small(factor, fact.tensor)
    if small is None:
        return Explanation("small-scale", f"Only {share} is passed on here.", evidence.node_place(node), [fact.name])
    if small.weight is not None:
        message = f"The values set here are so small that only {share} is passed on."
        return Explanation("small-scale", message, initialised_at(evidence, small.weight), [fact.name])
    if small.shut is not None:
        return _saturated(evidence, fact, small.shut, share)
    applied = [evidence.node_place(node) for node in small.applied]
    place = max(applied, key=applied.count)
    message = f"The value shrinks at each of {applied.count(place)} applications here, so only {share} is passed on."
    return Explanation("compounding", message, place, [fact.name])


def _noise(evidence: Evidence, fact: ParameterFacts, node: Node) -> Explanation:
    """Only rounding noise is left after `node`: the output does not depend on the input, or next to not at all."""
    if called(evidence, node) in COMPOSED:
        message = f"{called(evidence, node)} is saturated: only rounding noise is passed on."
        return Explanation("saturation", message, evidence.node_place(node), [fact.name])
    message = "What comes out here does not depend on what goes in, so only rounding noise comes back."
    return Explanation("constant-output", message, evidence.node_place(node), [fact.name])


def _saturated(evidence: Evidence, fact: ParameterFacts, node: Node, share: str) -> Explanation:
    message = f"{called(evidence, node)} is saturated: only {share} is passed on."
    return Explanation("saturation", message, evidence.node_place(node), [fact.name])
