"""Parameters that no optimizer moves: frozen ones, and leaves that the loss reaches but no module registers."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import partial
from types import FunctionType

import torch
from torch import nn

from ..measuring import Gradient
from ..outcome import leaves_below
from .evidence import Evidence, Explanation, Place, merge

_MAX_DEPTH = 4


def frozen(evidence: Evidence) -> Iterator[Explanation]:
    """Point at the line that switched `requires_grad` off."""
    for fact in evidence.with_verdict("frozen"):
        site = evidence.frozen_at.get(id(fact.tensor))
        place = evidence.definition(fact) if site is None else evidence.at(site)
        yield Explanation("frozen", "requires_grad is switched off here, so this does not learn.", place, [fact.name])


class Unregistered:
    """A leaf that the loss reaches and no `parameters()` yields."""

    def __init__(self, name: str, tensor: torch.Tensor, place: Place, gradient: Gradient | None) -> None:
        self.name = name
        self.tensor = tensor
        self.place = place
        self.gradient = gradient


def unregistered(evidence: Evidence) -> list[Unregistered]:
    """Find the unregistered leaves that are the models' own: kept by one of their modules, under whatever name."""
    leaves = {id(leaf): leaf for leaf in evidence.other_leaves if _is_the_models_own(evidence, leaf)}
    if not leaves:
        return []
    names = {key: _type_and_name(evidence, leaf) for key, leaf in leaves.items() if isinstance(leaf, nn.Parameter)}
    names |= _formerly_registered(evidence, leaves)
    names |= dict(_kept_leaves(evidence.outcome.models, set(leaves)))
    order = {id(p): place for place, p in enumerate(evidence.definitions.all_parameters())}
    keys = sorted(names, key=lambda key: (order.get(key, -1), evidence.tracer.tokens.find(leaves[key]) or 0))
    gradients = {id(leaf): read for leaf, read in zip(evidence.other_leaves, evidence.other_gradients, strict=False)}
    return [
        Unregistered(name, leaves[key], evidence.created(leaves[key]), gradients.get(key))
        for key, name in zip(keys, _distinct(names[key] for key in keys), strict=True)
    ]


def unseen_leaves(evidence: Evidence) -> bool:
    """Whether the loss reaches plain tensors that require grad, of which only a trace could say whose they are."""
    return any(not isinstance(leaf, nn.Parameter) for leaf in evidence.other_leaves)


def explain_unregistered(found: list[Unregistered]) -> list[Explanation]:
    """One cause at each place where such tensors were created."""
    message = "The loss reaches this tensor, but model.parameters() lacks it, so no optimizer moves it."
    return merge([Explanation("unregistered", message, item.place, [item.name]) for item in found])


def _is_the_models_own(evidence: Evidence, leaf: torch.Tensor) -> bool:
    """Whether a leaf was made while one of the models was built, or inside its forward.

    Not: data that requires grad, a registered buffer, the parameters of a model that is not returned.
    """
    modules = [module for model in evidence.outcome.models.values() for module in model.modules()]
    if any(buffer is leaf for module in modules for buffer in module.buffers(recurse=False)):
        return False
    if isinstance(leaf, nn.Parameter):
        return evidence.definitions.made_within(leaf, {id(module) for module in modules})
    token = evidence.tracer.tokens.find(leaf)
    if any(op.function is torch.autograd.grad and token in op.inputs for op in evidence.ops):
        return False  # what the user differentiates by is data: physics inputs, positions of atoms
    site, methods = evidence.created(leaf).site, evidence.methods()
    return site is not None and any(id(outer.code) in methods for outer in site.chain())


def _type_and_name(evidence: Evidence, leaf: torch.Tensor) -> str:
    """What to call a leaf that no attribute leads to: after the module that registers it, if one does."""
    owner = evidence.definitions.registered_as(leaf)
    return type(leaf).__name__ if owner is None else f"{owner.class_name}.{owner.name}"


def _distinct(names: Iterable[str]) -> Iterator[str]:
    """The names, with a number where one comes again."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name}#{seen[name]}"


def _kept_leaves(models: dict[str, nn.Module], wanted: set[int]) -> Iterator[tuple[int, str]]:
    """Find wanted leaves in plain attributes of the models' modules: `(id, path as Python would write it)`."""
    for prefix, model in models.items():
        for path, module in model.named_modules(prefix=prefix):
            buffers = {id(b) for b in module.buffers(recurse=False)}
            for attribute, value in list(vars(module).items()):
                if attribute not in ("_parameters", "_buffers", "_modules") and not attribute.startswith("_backward"):
                    name = f"{path}.{attribute}" if path else attribute
                    yield from _leaves_in(value, name, wanted - buffers, _MAX_DEPTH)


def _leaves_in(value: object, name: str, wanted: set[int], depth: int) -> Iterator[tuple[int, str]]:
    if isinstance(value, torch.Tensor):
        yield from ((id(leaf), name) for leaf in leaves_below([value]) if id(leaf) in wanted)
    elif depth == 0:
        return
    elif isinstance(value, nn.Module):
        yield from ((id(p), f"{name}.{inner}") for inner, p in value.named_parameters() if id(p) in wanted)
    elif isinstance(value, dict):
        for key, item in list(value.items()):
            shown = f'"{key}"' if isinstance(key, str) else repr(key)
            yield from _leaves_in(item, f"{name}[{shown}]", wanted, depth - 1)
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        for index, item in enumerate(value):
            yield from _leaves_in(item, f"{name}[{index}]", wanted, depth - 1)
    elif isinstance(value, FunctionType):
        for variable, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            yield from _leaves_in(cell.cell_contents, f"{name}.{variable}", wanted, depth - 1)
    elif isinstance(value, partial):
        yield from _leaves_in([value.func, *value.args, value.keywords], name, wanted, depth - 1)
    elif not isinstance(value, type) and hasattr(value, "__dict__"):
        for attribute, item in list(vars(value).items()):
            yield from _leaves_in(item, f"{name}.{attribute}", wanted, depth - 1)


def _formerly_registered(evidence: Evidence, leaves: dict[int, torch.Tensor]) -> dict[int, str]:
    """Leaves that a module of the models once registered and then lost, by the name they had there."""
    paths = {
        id(module): path
        for prefix, model in evidence.outcome.models.items()
        for path, module in model.named_modules(prefix=prefix)
    }
    found: dict[int, str] = {}
    for key, leaf in leaves.items():
        owner = evidence.definitions.registered_as(leaf)
        module = None if owner is None else owner.module()
        if owner is not None and id(module) in paths:
            path = paths[id(module)]
            found[key] = f"{path}.{owner.name}" if path else owner.name
    return found
