"""Why a gradient vanishes or explodes: one step on its way from the loss, or many of the same kind."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..backward import ParameterFacts
from ..graph import Node, kind
from ..ops import Op
from .evidence import Evidence, Explanation, Place
from .node_kinds import SATURATING
from .walk import Step, as_leaf, child, operand, path_to_loss
from .zero_sources import initialised_at

_RECURRENT = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})
_ONE_STEP = 4.0
"""Decades in one operation from which on that operation alone is to blame (a layer of a healthy net loses up to 2)."""
_SHARE = 0.5
"""Or this share of the whole way's decades."""
_TOO_SMALL = 0.1


def vanishing(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter whose gradient is too small to learn from."""
    for fact in evidence.with_verdict("vanishing"):
        path = _path(evidence, fact)
        if not path:
            continue
        if evidence.judgements[fact.name].noise:
            yield _constant_output(evidence, fact, path)
        else:
            yield _shrunk(evidence, fact, path)


def exploding(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter whose gradient is absurdly large; all share the place that contributes most."""
    groups: defaultdict[Place, float] = defaultdict(float)
    repeats: defaultdict[Place, set[int]] = defaultdict(set)
    facts = evidence.with_verdict("exploding")
    if not facts or evidence.explained is None:
        return
    longest = max((_path(evidence, fact) for fact in facts), key=len)
    for step in longest:
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
        yield Explanation("compounding", message, place, [fact.name for fact in facts])
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


def _path(evidence: Evidence, fact: ParameterFacts) -> list[Step]:
    leaf = evidence.graph.leaf_node(fact.tensor)
    return [] if leaf is None or evidence.explained is None else path_to_loss(evidence.graph, evidence.explained, leaf)


def _constant_output(evidence: Evidence, fact: ParameterFacts, path: Sequence[Step]) -> Explanation:
    steps = [s for s in path if s.decades < 0]
    step = min(steps or path, key=lambda s: s.decades)
    message = "What comes out here does not depend on what goes in, so only rounding noise comes back."
    return Explanation("constant-output", message, evidence.node_place(step.node), [fact.name])


def _shrunk(evidence: Evidence, fact: ParameterFacts, path: Sequence[Step]) -> Explanation:
    total = -sum(step.decades for step in path if step.decades < 0)
    by_op: defaultdict[int, float] = defaultdict(float)
    ops: dict[int, Op | None] = {}
    for step in path:
        op = evidence.graph.op(step.node)
        key = -1 if op is None else op.index
        by_op[key] -= step.decades
        ops[key] = op
    worst = max(by_op, key=lambda key: by_op[key])
    op = ops[worst]
    if by_op[worst] >= _ONE_STEP or by_op[worst] > _SHARE * total:
        if op is not None and op.name in _RECURRENT:
            message = f"{op.name} passes on the gradient step after step until {10 ** -by_op[worst]:.1e} of it is left."
            return Explanation("compounding", message, evidence.place(op), [fact.name])
        step = min((s for s in path if evidence.graph.op(s.node) is op), key=lambda s: s.decades)
        return _local(evidence, fact, step)
    tiny = _small_weights(evidence, [op for op in ops.values() if op is not None])
    if tiny is not None:
        message = f"The values set here are so small that {10**-total:.1e} of the gradient is passed on in all."
        return Explanation("small-scale", message, tiny, [fact.name])
    by_place: defaultdict[Place, list[float]] = defaultdict(list)
    for key, decades in by_op.items():
        by_place[evidence.place(ops[key])].append(decades)
    place = max(by_place, key=lambda at: sum(by_place[at]))
    times = len(by_place[place])
    factor = 10 ** (-sum(by_place[place]) / times)
    message = (
        f"There is no single line: each of {times} applications here passes on about {factor:.2g} of the gradient, "
        f"{10**-total:.1e} in all."
    )
    return Explanation("compounding", message, place, [fact.name])


def _small_weights(evidence: Evidence, ops: Sequence[Op]) -> Place | None:
    """Where the weights of most operations on a way were set, if they are too small to keep a signal's size.

    A weight keeps it when its root mean square is about 1 / sqrt(inputs); a tenth of that is taken for too small.
    """
    weights = {token for op in ops for token in op.inputs}
    used = [f for f in evidence.facts if f.tensor.dim() >= 2 and evidence.tracer.tokens.find(f.tensor) in weights]
    small = [f for f in used if f.weight_rms * math.sqrt(f.tensor[0].numel()) < _TOO_SMALL]
    return initialised_at(evidence, small[0].tensor) if small and len(small) > len(used) / 2 else None


def _local(evidence: Evidence, fact: ParameterFacts, step: Step) -> Explanation:
    """One operation takes nearly all: a saturated activation, or a factor that is tiny."""
    node, share = step.node, f"{step.change:.1e} of the gradient"
    if kind(node) in SATURATING:
        return _saturated(evidence, fact, node, share)
    for edge in range(len(node.next_functions)):
        found = operand(node, edge)
        source = None if found is None else child(node, found[1])
        if source is None:
            continue
        leaf = as_leaf(source)
        if leaf is not None and leaf is not fact.tensor:
            message = f"The values set here are so small that only {share} is passed on."
            return Explanation("small-scale", message, initialised_at(evidence, leaf), [fact.name])
        if kind(source) in SATURATING:
            return _saturated(evidence, fact, source, share)
    return Explanation("small-scale", f"Only {share} is passed on here.", evidence.node_place(node), [fact.name])


def _saturated(evidence: Evidence, fact: ParameterFacts, node: Node, share: str) -> Explanation:
    op = evidence.graph.op(node)
    name = op.name if op is not None else kind(node).removesuffix("Backward").lower()
    return Explanation(
        "saturation", f"{name} is saturated: only {share} is passed on.", evidence.place(op), [fact.name]
    )
