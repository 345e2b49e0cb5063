"""Where zeros come from: a tensor of zeros traced back to what made it so."""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch

from ..graph import Node, kind
from ..ops import CREATES_ZEROS, Op
from .evidence import Evidence, Place
from .node_kinds import ACTIVATIONS, GAINS, ODD, SLOPES, UNDERFLOWS
from .walk import all_zero, as_leaf, child, operand, passes_zeros, saved, underflowed_product


@dataclass(frozen=True)
class Zeros:
    """What made a tensor zero: `leaf`, a parameter that is all zeros, or the operation at `place`."""

    kind: str
    message: str
    place: Place
    leaf: torch.Tensor | None = None


def zero_source(evidence: Evidence, node: Node | None, here: Place) -> Zeros:
    """Trace a tensor of zeros back: `node` computed it, and it was used at `here`."""
    while node is not None and as_leaf(node) is None and (passes_zeros(node) or kind(node) in ODD):
        here, node = evidence.node_place(node), child(node, 0)
    leaf = as_leaf(node)
    if leaf is not None:
        return zero_leaf(evidence, leaf)
    if node is None:
        return Zeros("zero-multiply", "The value multiplied with here is 0.", here)
    place = evidence.node_place(node)
    if kind(node) in ACTIVATIONS:
        before = as_leaf(child(node, 0))
        if before is not None and all_zero(before):
            return zero_leaf(evidence, before)
        if gets_only_zeros(evidence, node) and child(node, 0) is not None:
            return zero_source(evidence, child(node, 0), place)
        return Zeros("dead-activation", dead(evidence, node), place)
    if kind(node) in UNDERFLOWS or underflowed_product(node):
        return Zeros("underflow", f"{called(evidence, node)} comes to exactly 0 for these inputs.", place)
    if kind(node) in SLOPES:
        return flat_slope(evidence, node)
    gain = GAINS.get(kind(node))
    if gain is not None and all_zero(saved(node, gain[1])) and child(node, gain[0]) is not None:
        return zero_source(evidence, child(node, gain[0]), place)
    factor = _zero_factor(node)
    if factor is not None:
        return zero_source(evidence, child(node, factor), place)
    if any(operand(node, edge) for edge in range(len(node.next_functions))):
        return Zeros("zero-multiply", f"{called(evidence, node)} multiplies with zeros.", place)
    return Zeros("zero-multiply", f"The output of {called(evidence, node)} is 0 everywhere.", place)


def zero_leaf(evidence: Evidence, leaf: torch.Tensor) -> Zeros:
    """A parameter that starts as zeros, at the expression that made it so."""
    fact = evidence.parameter_of(leaf)
    name = "The other factor" if fact is None else fact.name
    message = f"{name} is all zeros at the start, and everything multiplied with it gets no gradient."
    return Zeros("zero-init", message, initialised_at(evidence, leaf), leaf)


def flat_slope(evidence: Evidence, node: Node) -> Zeros:
    """Why the derivative of a function made of straight pieces is zero, or does not change; at the function, if known.

    `node` stands for the derivative, taken to be differentiated again.
    """
    function = child(node, 1)
    is_relu = function is not None and kind(function) == "ReluBackward"
    place, name = evidence.node_place(function if is_relu else node), "relu" if is_relu else "This function"
    if is_relu and all_zero(saved(node, "_saved_self")):
        return Zeros("dead-activation", f"All outputs of {name} are 0, and so is its derivative everywhere.", place)
    message = f"{name} is made of straight pieces: its second derivative, which is asked for here, is 0 everywhere."
    return Zeros("zero-derivative", message, place)


def constant_source(evidence: Evidence, op: Op | None) -> Place | None:
    """Where the zeros that an operation was given as plain data were made, if the user's code made them in the run."""
    for token in () if op is None else op.inputs:
        producer = evidence.flow.producer(token)
        while producer is not None and producer.name not in CREATES_ZEROS and len(set(producer.inputs)) == 1:
            earlier = evidence.flow.producer(producer.inputs[0])
            producer = None if earlier is producer else earlier
        if producer is not None and producer.name in CREATES_ZEROS:
            return evidence.place(producer)
    return None


def initialised_at(evidence: Evidence, leaf: torch.Tensor) -> Place:
    """The user's expression that last wrote a leaf's values; its creation where nothing did."""
    return evidence.at(evidence.last_write(leaf) or evidence.definitions.parameter_site(leaf))


def moves(evidence: Evidence, leaf: torch.Tensor) -> bool:
    """Whether a leaf gets a usable gradient of its own, so that it leaves zero by itself."""
    fact = evidence.parameter_of(leaf)
    return fact is not None and evidence.judgements[fact.name].verdict == "healthy"


def dead(evidence: Evidence, node: Node) -> str:
    """The sentence on an activation that lets nothing through, with the number of its outputs."""
    result, op = saved(node, "_saved_result"), evidence.graph.op(node)
    reach = None if op is None or evidence.extremes is None else evidence.extremes.of.get(op.index)
    what = "every input lies where it is flat"
    if result is not None:
        what = f"all {result.numel()} outputs {'are 0' if all_zero(result) else 'lie where it is flat'}"
    return f"{called(evidence, node)} lets nothing through: {what}{'' if reach is None else _reach(*reach)}."


def gets_only_zeros(evidence: Evidence, node: Node) -> bool:
    """Whether every input of an activation was seen to be exactly 0."""
    op = evidence.graph.op(node)
    return op is not None and evidence.extremes is not None and evidence.extremes.of.get(op.index) == (0.0, 0.0)


def _reach(low: float, high: float) -> str:
    if low == high:
        return f", as every input is {low:.4g}"
    return f", as its inputs lie between {low:.4g} and {high:.4g}"


def called(evidence: Evidence, node: Node) -> str:
    """What a person would call the operation that made a node."""
    op = evidence.graph.op(node)
    if op is not None and op.name:
        return op.name.strip("_")
    words = re.findall("[A-Z][^A-Z]*", kind(node).removesuffix("Backward"))  # NativeBatchNorm
    return "_".join(word.lower() for word in words if word != "Native")


def _zero_factor(node: Node) -> int | None:
    """The edge of a product's operand that is known to be all zeros; parameters first, then computed values."""
    edges = [edge for edge in range(len(node.next_functions)) if operand(node, edge) is not None]
    for edge in edges:
        if all_zero(as_leaf(child(node, edge))):
            return edge
    for edge in edges:
        value, other = operand(node, edge) or (None, edge)
        if all_zero(value) and child(node, other) is not None:
            return other
    return None
