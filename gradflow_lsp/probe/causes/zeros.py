"""Why a gradient is exactly zero: the operation at which it dies, and what is wrong there."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..backward import ParameterFacts
from ..graph import Node, kind
from ..report import Related
from .evidence import Evidence, Explanation, Place
from .node_kinds import (
    ACTIVATIONS,
    ATTENTIONS,
    COEFFICIENTS,
    COMPOSED,
    FLAT_AT_ZERO,
    FLAT_LOSSES,
    GAINS,
    JOINS,
    NORMALISATIONS,
    OVERWRITES,
    RUNNING_PRODUCTS,
    SELECTIONS,
    SLOPES,
    STEPS,
    STEPS_OF,
    UNDERFLOWS,
    WEIGHTINGS,
)
from .regions import where_part_ends
from .sizes import faded
from .walk import Death, all_zero, as_leaf, child, emptied, operand, saved, saved_text, underflowed_product
from .zero_sources import Zeros, called, constant_source, dead, flat_slope, gets_only_zeros, moves, zero_source

_NEAREST = 1
"""The mode of an interpolation, as torch keeps it."""


def zero(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter whose gradient is exactly zero, or was when it was watched."""
    together: dict[tuple[Death, bool], list[ParameterFacts]] = {}
    for fact in [*evidence.with_verdict("zero"), *_zero_when_watched(evidence)]:
        leaf = evidence.graph.leaf_node(fact.tensor)
        for death in evidence.walk.deaths(leaf) if evidence.walk is not None and leaf is not None else ():
            at_itself = as_leaf(child(death.node, death.edge)) is fact.tensor
            together.setdefault((death, at_itself), []).append(fact)
    for (death, _), facts in together.items():
        explanation = faded(evidence, facts, death.node) or died(evidence, facts[0], death)
        explanation.parameters = [fact.name for fact in facts]
        yield explanation


def _zero_when_watched(evidence: Evidence) -> list[ParameterFacts]:
    """What got a vanishing gradient, and nothing but zeros in the watched backward: it was rounding noise."""
    if evidence.walk is None:
        return []
    leaves = [(fact, evidence.graph.leaf_node(fact.tensor)) for fact in evidence.with_verdict("vanishing")]
    return [fact for fact, leaf in leaves if leaf is not None and not evidence.walk.arrives(leaf)]


def died(evidence: Evidence, fact: ParameterFacts, death: Death) -> Explanation:
    """Name what happens where a gradient becomes zero."""
    node, edge = death.node, death.edge
    if kind(node) in JOINS and death.how == "in_node":
        node, edge = where_part_ends(evidence.graph, node, edge)
    op, name = evidence.graph.op(node), called(evidence, node)
    place = evidence.place(op)

    def because(cause: str, message: str) -> Explanation:
        return Explanation(cause, message, place, [fact.name])

    if death.how == "in_sum" and name in COMPOSED:
        flat = "dead-activation" if evidence.judgements[fact.name].verdict == "zero" else "saturation"
        return because(flat, f"{name} is flat for these inputs: nothing but rounding comes back through it.")
    if death.how == "in_sum":
        return because("constant-output", f"What comes back through {name} cancels exactly: it has no effect.")
    if death.how == "in_hook":
        return _hooked(evidence, fact, node, edge)
    if op is not None and op.name == "BackwardHookFunction":
        return because("zero-multiply", "A backward hook of the module that is called here returns only zeros.")
    if op is not None and op.inner is not None:
        return because("custom-function", f"The backward of {name} returns only zeros for this input.")
    if saved_text(node, "_saved_rounding_mode"):
        return because("zero-derivative", f"{name} rounds here, so it is flat almost everywhere: its derivative is 0.")
    if (empty := emptied(node, edge)) is not None:
        message = f"{called(evidence, empty)} picks nothing here: its result has no entries."
        return Explanation("not-selected", message, evidence.node_place(empty), [fact.name])
    if kind(node) in UNDERFLOWS or underflowed_product(node):
        return because("underflow", f"{name} comes to exactly 0 for these inputs, and its derivative with it.")
    if kind(node) in RUNNING_PRODUCTS:
        return because("zero-multiply", f"{name} multiplies with zeros.")
    if kind(node) in FLAT_LOSSES and _are_equal(saved(node, "_saved_self"), saved(node, "_saved_target")):
        return because("zero-derivative", f"Both sides of {name} are the same, and there its derivative is 0.")
    if _is_flat_here(node, edge):
        return _from_zeros(evidence, fact, node, zero_source(evidence, child(node, edge), place))
    if operand(node, edge) is not None:
        return _product(evidence, fact, node, edge)
    if kind(node) in GAINS and edge == 0 and all_zero(saved(node, GAINS[kind(node)][1])):
        return _silent_gain(evidence, fact, node)
    if kind(node) in WEIGHTINGS or getattr(node, COEFFICIENTS.get(kind(node), {}).get(edge, ""), None) == 0:
        return because("zero-multiply", f"{name} weights this value with 0.")
    if kind(node) in STEPS or _is_step_of(node, edge):
        return because("zero-derivative", f"{name} is flat almost everywhere: its derivative is 0.")
    if kind(node) in ACTIVATIONS and not _is_choice(node):
        if gets_only_zeros(evidence, node):
            zeros = zero_source(evidence, child(node, 0), place)
            if zeros.leaf is not None:
                return _from_zeros(evidence, fact, node, zeros)
        return because("dead-activation", dead(evidence, node))
    if kind(node) in SLOPES:
        return _from_zeros(evidence, fact, node, flat_slope(evidence, node))
    if kind(node) in OVERWRITES:
        return because("not-selected", f"{name} writes over all of this value.")
    if kind(node) in SELECTIONS or _is_choice(node):
        return because("not-selected", f"{name} picked nothing of this value.")
    if kind(node) in NORMALISATIONS and _is_saturated(node):
        return because("saturation", f"{name} is saturated: its outputs are exactly 0 and 1, and its derivative is 0.")
    if kind(node) in NORMALISATIONS | ATTENTIONS:
        return because("constant-output", f"The output of {name} is the same whatever this input is.")
    if kind(node) == "ToCopyBackward":
        return because("underflow", f"The gradient is too small for the number format of {name} and becomes 0.")
    return because("unknown", f"The gradient becomes zero at {name}. The reason was not found.")


def _hooked(evidence: Evidence, fact: ParameterFacts, node: Node, edge: int) -> Explanation:
    """What was handed on was made zero before the next node got it: by a hook, if one was seen."""
    hook = evidence.hook_below(node, edge)
    if hook is not None:
        return Explanation("zero-multiply", "The hook set here makes the gradient zero.", hook, [fact.name])
    message = f"The gradient becomes zero on its way back from {called(evidence, node)}. The reason was not found."
    return Explanation("unknown", message, evidence.node_place(node), [fact.name])


def _is_flat_here(node: Node, edge: int) -> bool:
    """Whether a function got nothing but zeros, and is flat at 0; of a loss, both sides."""
    own = saved(node, "_saved_self")
    sides = [as_leaf(child(node, edge)) if own is None else own]
    sides += [saved(node, "_saved_target")] * (kind(node) in FLAT_LOSSES)
    return kind(node) in FLAT_AT_ZERO | FLAT_LOSSES and all(map(all_zero, sides))


def _are_equal(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    """Whether two tensors are known to hold the same, and not only zeros."""
    return one is not None and other is not None and torch.equal(one, other) and not all_zero(one)


def _is_step_of(node: Node, edge: int) -> bool:
    """Whether a function is flat between jumps towards this operand; one that interpolates, if it takes the nearest."""
    return STEPS_OF.get(kind(node)) == edge and getattr(node, "_saved_interpolation_mode", _NEAREST) == _NEAREST


def _is_choice(node: Node) -> bool:
    """Whether a minimum or maximum is one of two computed values, rather than of a value and a bound."""
    return kind(node) in ("MaximumBackward", "MinimumBackward") and all(c is not None for c, _ in node.next_functions)


def _is_saturated(node: Node) -> bool:
    """Whether a softmax over several entries has put all its weight on single ones."""
    result, axis = saved(node, "_saved_result"), getattr(node, "_saved_dim", None)
    if result is None or not isinstance(axis, int) or not result.dim():
        return False
    return result.shape[axis if axis < result.dim() else axis - 2**64] > 1


def _product(evidence: Evidence, fact: ParameterFacts, node: Node, edge: int) -> Explanation:
    """The gradient dies where it is multiplied by another value: a zero input, a zero weight, a mask, a factor of 0."""
    found = operand(node, edge)
    assert found is not None
    value, other = found
    name, here = called(evidence, node), evidence.node_place(node)
    is_weight = as_leaf(child(node, edge)) is fact.tensor
    if value is not None and not all_zero(value):
        return Explanation(
            "zero-multiply", f"{name} multiplies with zeros wherever a gradient arrives.", here, [fact.name]
        )
    if child(node, other) is None:
        if not is_weight or kind(node) == "MulBackward":
            return Explanation("zero-multiply", f"{name} multiplies with zeros.", here, [fact.name])
        made = constant_source(evidence, evidence.graph.op(node))
        return _starved(evidence, fact, node, "Every value that the layer receives is 0.", made or here)
    zeros = zero_source(evidence, child(node, other), here)
    if is_weight and as_leaf(child(node, other)) is None:
        message = f"{zeros.message} So the layer receives only zeros, and its weight gets no gradient."
        return _starved(evidence, fact, node, message, zeros.place, _is_planned(evidence, zeros))
    return _from_zeros(evidence, fact, node, zeros)


def _starved(
    evidence: Evidence, fact: ParameterFacts, node: Node, message: str, place: Place, planned: bool = False
) -> Explanation:
    return Explanation("zero-input", message, place, [fact.name], _received(evidence, node, place), planned)


def _silent_gain(evidence: Evidence, fact: ParameterFacts, node: Node) -> Explanation:
    """A normalisation's gain is all zeros, so nothing that comes before it gets a gradient."""
    gain, here = child(node, GAINS[kind(node)][0]), evidence.node_place(node)
    if gain is None:
        message = f"The gain of {called(evidence, node)} is 0."
        return Explanation("zero-multiply", message, here, [fact.name])
    return _from_zeros(evidence, fact, node, zero_source(evidence, gain, here))


def _from_zeros(evidence: Evidence, fact: ParameterFacts, node: Node, zeros: Zeros) -> Explanation:
    """The gradient dies at `node`, where it meets these zeros."""
    related = _received(evidence, node, zeros.place)
    return Explanation(zeros.kind, zeros.message, zeros.place, [fact.name], related, _is_planned(evidence, zeros))


def _is_planned(evidence: Evidence, zeros: Zeros) -> bool:
    """Whether zeros are a parameter that leaves zero by itself."""
    return zeros.leaf is not None and moves(evidence, zeros.leaf)


def _received(evidence: Evidence, node: Node, zeros_at: Place) -> list[Related]:
    here = evidence.node_place(node).location
    return [] if here == zeros_at.location else [Related(f"{called(evidence, node)} receives the zeros here.", here)]
