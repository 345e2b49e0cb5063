"""Why a parameter is missing: never used, its value dropped, or every way to the loss cut."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from ..backward import ParameterFacts
from ..flow import Cut, Way
from ..ops import EXITS, Op
from ..report import Related
from ..syntax import definition_line, member_range
from .dropping import dropping, goes_on
from .evidence import Evidence, Explanation, Place

_MEMBERS = {
    "detach": ("detach", "detach_"),
    "data-access": ("data",),
    "left-autograd": ("numpy", "item", "tolist", "__array__"),
}


def missing(evidence: Evidence) -> Iterator[Explanation]:
    """Explain every parameter that autograd never reached."""
    facts = evidence.with_verdict("missing")
    made_anew = _parameters_made_anew(evidence) if facts else []
    for fact in facts:
        token = evidence.tracer.tokens.find(fact.tensor)
        ways = [] if token is None else evidence.flow.ways(token)
        if token is not None and not ways and made_anew:
            values = evidence.flow.downstream([token])
            if copies := [op for op in made_anew if not values.isdisjoint(op.inputs)]:
                yield from (cut(evidence, fact, Cut("left-autograd", None, op)) for op in copies)
                continue
        if token is None or not (ways or _is_used(evidence, fact, token)):
            yield unused(evidence, fact)
            continue
        if not ways:
            yield from dropped(evidence, fact, evidence.flow.dropped(token))
        for way in [way for way in ways if not _is_idle(way)] or ways:
            yield cut(evidence, fact, way.cuts[0]) if way.cuts else lost_in_function(evidence, fact, token)


def unused(evidence: Evidence, fact: ParameterFacts) -> Explanation:
    """Nothing that was seen reads the parameter: it was replaced, or is not called, or runs out of sight."""
    if id(fact.tensor) in evidence.tracer.replaced_at:
        message = "Another tensor takes the parameter's place in this call, and gets the gradient instead."
        return Explanation("replaced", message, evidence.at(evidence.tracer.replaced_at[id(fact.tensor)]), [fact.name])
    return unseen(evidence, fact) if _is_scripted(evidence, fact) else not_called(evidence, fact)


def not_called(evidence: Evidence, fact: ParameterFacts) -> Explanation:
    """Nothing ever read the parameter."""
    return Explanation(
        "not-called",
        f"{fact.parameter.module or fact.name} is never used on the way to the loss: nothing calls it in this run.",
        evidence.definition(fact),
        [fact.name],
    )


def unseen(evidence: Evidence, fact: ParameterFacts) -> Explanation:
    """The layer runs where its operations cannot be followed."""
    message = "No gradient arrives here. It runs inside TorchScript, where operations cannot be followed."
    return Explanation("unknown", message, evidence.definition(fact), [fact.name])


def _is_scripted(evidence: Evidence, fact: ParameterFacts) -> bool:
    scripted = getattr(getattr(torch, "jit", None), "ScriptModule", ())
    return any(isinstance(module, scripted) for module in evidence.modules_around(fact))


def dropped(evidence: Evidence, fact: ParameterFacts, ends: list[Op]) -> Iterator[Explanation]:
    """The value never comes to the loss as a tensor: Python took it on as a number, or nobody read it."""
    numbers = [op for op in ends if op.name in EXITS and op.site is not None and goes_on(op.site.location())]
    if numbers:
        for op in numbers:
            yield cut(evidence, fact, Cut("left-autograd", None, op))
    else:
        yield unused_output(evidence, fact, ends)


def _is_used(evidence: Evidence, fact: ParameterFacts, token: int) -> bool:
    """Whether the model itself computes with a parameter, and with no other in its place."""
    replaced = id(fact.tensor) in evidence.tracer.replaced_at
    return not replaced and (evidence.flow.meets_data(token) or _used_by_model(evidence, token))


def _used_by_model(evidence: Evidence, token: int) -> bool:
    """Whether a method of the models works on a parameter alone, and not only to look at it."""
    return any(_is_run_by_model(evidence, op) and not _is_look(op) for op in evidence.flow.dropped(token))


def _parameters_made_anew(evidence: Evidence) -> list[Op]:
    """Where a method of the models makes a new parameter of a computed value, and that goes into the loss."""
    made = [op for op in evidence.flow.ops if op.name == "Parameter" and any(map(evidence.flow.reaches, op.outputs))]
    return [op for op in made if _is_run_by_model(evidence, op)]


def _is_run_by_model(evidence: Evidence, op: Op) -> bool:
    """Whether a method of the models runs an operation, and not to build a layer or to copy its values."""
    methods = evidence.methods()
    running = [site.code for site in op.site.chain() if id(site.code) in methods] if op.site is not None else []
    return bool(running) and not any(code.co_name == "__init__" for code in running)


def _is_idle(way: Way) -> bool:
    return bool(way.cuts) and _is_look(way.cuts[0].op)


def _is_look(op: Op) -> bool:
    """Whether a value is only read off a tensor to be shown or kept."""
    return op.name in EXITS and op.site is not None and not goes_on(op.site.location())


def unused_output(evidence: Evidence, fact: ParameterFacts, ends: list[Op]) -> Explanation:
    """The parameter was used, and nobody read the result."""
    end = ends[-1] if ends else None
    site = None if end is None or end.site is None else dropping(end.site)
    place = evidence.definition(fact) if site is None else evidence.at(site)
    inner = [] if end is None else [Related("The value comes from here.", evidence.place(end).location)]
    return Explanation(
        "unused-output",
        "The value computed here is dropped: nothing reads it on the way to the loss.",
        place,
        [fact.name],
        [related for related in inner if related.location != place.location],
    )


def cut(evidence: Evidence, fact: ParameterFacts, at: Cut) -> Explanation:
    """The parameter's last way to the loss crosses an expression that autograd does not pass."""
    ran = evidence.place(at.op)
    place = replace(ran, location=member_range(ran.location, *_MEMBERS.get(at.kind, ())))
    related: list[Related] = []
    switched = None if at.kind != "no-grad" or at.op.switch is None else at.op.switch.location()
    if switched is not None:
        place = Place(switched)
        related.append(Related(f"{at.op.name} ran without grad here.", ran.location))
    returned = evidence.flow.came_back(at.op) if at.op.name in EXITS else None
    if returned is not None and evidence.place(returned).location != ran.location:
        related.append(Related("It comes back as a tensor here.", evidence.place(returned).location))
    return Explanation(at.kind, _sentence(at), place, [fact.name], related)


def lost_in_function(evidence: Evidence, fact: ParameterFacts, token: int) -> Explanation:
    """The way to the loss is unbroken, and still nothing arrived: a custom or scripted function gave nothing."""
    op = _first(evidence, token, lambda op: op.inner is not None or op.opaque)
    if op is None:
        return _lost(evidence, fact, token)
    if op.opaque:
        message = f"The gradient is lost inside {op.name}, which is TorchScript: its operations cannot be followed."
        return Explanation("unknown", message, evidence.place(op), [fact.name])
    backward = getattr(op.function, "backward", None)
    code = inspect.unwrap(backward).__code__ if inspect.isfunction(backward) else None
    related = [Related("Its backward is here.", definition_line(code))] if code else []
    return Explanation(
        "custom-function",
        f"The backward of {op.name} returns no gradient (None) for this input.",
        evidence.place(op),
        [fact.name],
        related,
    )


def _lost(evidence: Evidence, fact: ParameterFacts, token: int) -> Explanation:
    """The way to the loss is unbroken, no custom function lies on it, and still nothing arrived."""
    partly = next((use for use in evidence.flow.uses(token) if _is_partly_dropped(evidence, use)), None)
    if partly is not None:
        message = f"{partly.name} gives several results; the one that this goes into is dropped."
        return Explanation("unused-output", message, evidence.place(partly), [fact.name])
    if id(fact.tensor) in evidence.frozen_at:
        message = "requires_grad is switched off here and was still off when the parameter was used."
        return Explanation("no-grad", message, evidence.at(evidence.frozen_at[id(fact.tensor)]), [fact.name])
    derivative = _first(evidence, token, lambda op: op.function is torch.autograd.grad)
    if derivative is not None:
        message = "The derivative that is taken here does not depend on this parameter."
        return Explanation("non-differentiable", message, evidence.place(derivative), [fact.name])
    message = "No gradient arrives here, and the reason was not found."
    return Explanation("unknown", message, evidence.definition(fact), [fact.name])


def _is_partly_dropped(evidence: Evidence, op: Op) -> bool:
    """Whether an operation has several results, and some of those with a gradient do not go into the loss."""
    return len(op.outputs) > 1 and not all(evidence.flow.reaches(token) for token in op.grad_outputs)


def _sentence(at: Cut) -> str:
    name = at.op.name
    return {
        "detach": "detach() cuts the value off from the layers that computed it.",
        "data-access": ".data hands out the value without its history, so no gradient passes.",
        "no-grad": f"Grad is switched off while {name} runs, so nothing before it gets a gradient.",
        "left-autograd": _left(name),
        "reentrant-checkpoint": "A reentrant checkpoint passes gradients only where an input requires grad; none does.",
        "custom-function": f"The output of {name} does not require grad, so nothing before it gets a gradient.",
        "non-differentiable": _without_derivative(name),
    }[at.kind]


def _without_derivative(name: str) -> str:
    if name == "grad":
        return "torch.autograd.grad(...) without create_graph=True gives values that forget how they were computed."
    return f"{name.strip('_')} has no derivative: its result does not change with small changes of its input."


def _left(name: str) -> str:
    if name == "Variable":
        return "Variable(...) hands out the value without its history."
    if name == "Parameter":
        return "nn.Parameter(...) makes a new leaf out of a computed value, which forgets how it was computed."
    if name in ("tensor", "as_tensor", "new_tensor"):
        return f"{name}(...) copies the value into a new tensor, which forgets how it was computed."
    return f"The value leaves autograd through {name.strip('_')}() and comes back without its history."


def _first(evidence: Evidence, token: int, wanted: Callable[[Op], bool]) -> Op | None:
    """The first `wanted` operation that the value of `token` meets on its way to the loss."""
    stack, seen = [token], {token}
    while stack:
        for op in evidence.flow.uses(stack.pop(0)):
            if wanted(op):
                return op
            new = [t for t in op.outputs if t not in seen and evidence.flow.reaches(t)]
            seen.update(new)
            stack += new
    return None
