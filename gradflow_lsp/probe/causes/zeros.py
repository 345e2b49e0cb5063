"""Why a gradient is exactly zero: the operation at which it dies, and what is wrong there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from ..backward import ParameterFacts
from ..graph import Node, kind
from ..report import Related
from ..tracing import Op
from .evidence import Evidence, Explanation, Place
from .node_kinds import ACTIVATIONS, NORMALISATIONS, SELECTIONS, STEPS
from .walk import all_zero, as_leaf, child, deaths, operand, passes_zeros, saved


@dataclass(frozen=True)
class _Zeros:
    """What made a tensor zero: a leaf that is all zeros, or the operation at `place`."""

    kind: str
    message: str
    place: Place
    leaf: torch.Tensor | None = None


def zero(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter whose gradient is exactly zero."""
    if evidence.explained is None:
        return
    for fact in evidence.with_verdict("zero"):
        leaf = evidence.graph.leaf_node(fact.tensor)
        for node, edge in deaths(evidence.graph, evidence.explained, leaf) if leaf is not None else ():
            yield died_at(evidence, fact, node, edge)


def died_at(evidence: Evidence, fact: ParameterFacts, node: Node, edge: int) -> Explanation:
    """Name what happens at a node that got a gradient and hands on only zeros along one edge."""
    name, op = kind(node), evidence.graph.op(node)
    if op is not None and op.inner is not None:
        return _at(
            evidence, fact, op, "custom-function", f"The backward of {op.name} returns only zeros for this input."
        )
    if operand(node, edge) is not None:
        return _product(evidence, fact, node, edge)
    if name in STEPS:
        return _at(
            evidence,
            fact,
            op,
            "zero-derivative",
            f"{_called(op, name)} is flat almost everywhere: its derivative is 0.",
        )
    if name in ACTIVATIONS:
        return _at(evidence, fact, op, "dead-activation", dead(node, op))
    if name in SELECTIONS:
        return _at(evidence, fact, op, "not-selected", f"{_called(op, name)} picked nothing of this value.")
    if name in NORMALISATIONS:
        return _at(
            evidence,
            fact,
            op,
            "constant-output",
            f"The output of {_called(op, name)} is the same whatever its input is.",
        )
    if name == "ToCopyBackward":
        return _at(evidence, fact, op, "underflow", _underflow(op))
    return _at(
        evidence, fact, op, "unknown", f"The gradient becomes zero at {_called(op, name)}. The reason was not found."
    )


def dead(node: Node, op: Op | None) -> str:
    """The sentence on an activation that lets nothing through, with its count."""
    result = saved(node, "_saved_result")
    count = result.numel() if result is not None else None
    units = "every output" if count is None else f"all {count} outputs"
    what = "0" if result is not None and all_zero(result) else "in the flat part"
    return (
        f"{_called(op, kind(node))} lets nothing through: {units} of it are {what}."
        if count
        else (f"{_called(op, kind(node))} lets nothing through: {units} of it is {what}.")
    )


def _product(evidence: Evidence, fact: ParameterFacts, node: Node, edge: int) -> Explanation:
    """The gradient dies where it is multiplied by another value: a zero input, a zero weight, a mask, a factor of 0."""
    found = operand(node, edge)
    assert found is not None
    op, here = evidence.graph.op(node), evidence.node_place(node)
    is_weight = as_leaf(child(node, edge)) is fact.tensor
    zeros = _source(evidence, child(node, found[1]), here, 0)
    value, constant = found[0], child(node, found[1]) is None
    if constant or (value is not None and not all_zero(value)):
        kinds = "zero-input" if is_weight and kind(node) != "MulBackward" else "zero-multiply"
        what = "with zeros" if value is None or all_zero(value) else "with zeros wherever a gradient arrives"
        sentence = (
            f"What the layer receives here is {what}."
            if kinds == "zero-input"
            else f"{_called(op, kind(node))} multiplies {what}."
        )
        if kinds == "zero-input":
            sentence = "Every value that the layer receives here is 0."
        return Explanation(kinds, sentence, here, [fact.name])
    planned = zeros.leaf is not None and _moves(evidence, zeros.leaf)
    receives = Related(f"{_called(op, kind(node))} receives the zeros here.", here.location)
    related = [] if zeros.place.location == here.location else [receives]
    if is_weight:
        message = f"{zeros.message} So the layer receives only zeros, and its weight gets no gradient."
        return Explanation("zero-input", message, zeros.place, [fact.name], related, planned)
    return Explanation(zeros.kind, zeros.message, zeros.place, [fact.name], related, planned)


def _source(evidence: Evidence, node: Node | None, here: Place, depth: int) -> _Zeros:
    """Trace a tensor of zeros back to what made it zero; `node` computed it, `here` is where it was used."""
    leaf = as_leaf(node)
    if leaf is not None:
        return _zero_leaf(evidence, leaf)
    if node is None or depth > 10_000:
        return _Zeros("zero-multiply", "The value multiplied with here is 0.", here)
    place = evidence.node_place(node)
    if passes_zeros(node):
        return _source(evidence, child(node, 0), place, depth + 1)
    if kind(node) in ACTIVATIONS:
        return _Zeros("dead-activation", dead(node, evidence.graph.op(node)), place)
    for edge in range(len(node.next_functions)):
        found = operand(node, edge)
        if found is None:
            continue
        value, other = found
        if all_zero(value) or child(node, other) is None:
            if child(node, other) is None:
                return _Zeros(
                    "zero-multiply", f"{_called(evidence.graph.op(node), kind(node))} multiplies with zeros.", place
                )
            return _source(evidence, child(node, other), place, depth + 1)
    return _Zeros(
        "zero-multiply", f"The output of {_called(evidence.graph.op(node), kind(node))} is 0 everywhere.", place
    )


def _zero_leaf(evidence: Evidence, leaf: torch.Tensor) -> _Zeros:
    fact = evidence.parameter_of(leaf)
    name = "The other factor" if fact is None else fact.name
    place = initialised_at(evidence, leaf)
    return _Zeros(
        "zero-init",
        f"{name} is all zeros at the start, and everything multiplied with it gets no gradient.",
        place,
        leaf,
    )


def initialised_at(evidence: Evidence, leaf: torch.Tensor) -> Place:
    """The user's expression that last wrote a leaf's values; its creation where nothing did."""
    token = evidence.tracer.token(leaf)
    aliases = {token}
    last: Op | None = None
    for op in evidence.tracer.ops:
        if op.name in ("data", "detach") and aliases & set(op.inputs):
            aliases |= set(op.outputs)
        elif op.outputs and op.inputs and op.name.endswith("_") and op.inputs[0] in aliases:
            aliases |= set(op.outputs)
            last = op
    written = None if last is None else last.site
    return evidence.at(written or evidence.definitions.parameter_site(leaf))


def _moves(evidence: Evidence, leaf: torch.Tensor) -> bool:
    """Whether a leaf gets a usable gradient of its own, so that it leaves zero by itself."""
    fact = evidence.parameter_of(leaf)
    return fact is not None and evidence.judgements[fact.name].verdict == "healthy"


def _underflow(op: Op | None) -> str:
    return f"The gradient is too small for the number format of {_called(op, 'this cast')} and becomes 0."


def _at(evidence: Evidence, fact: ParameterFacts, op: Op | None, cause: str, message: str) -> Explanation:
    return Explanation(cause, message, evidence.place(op), [fact.name])


def _called(op: Op | None, node_name: str) -> str:
    """What a person would call the operation."""
    return op.name.strip("_") if op is not None and op.name else node_name.removesuffix("Backward").lower()
