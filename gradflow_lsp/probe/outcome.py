"""What a probe returned, made uniform: named models, named losses, and every parameter once, under its first name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .definitions import Definitions

_USUAL = "Return `model, loss`: an nn.Module and a scalar tensor."


class WrongReturn(Exception):
    """The probe's result is of no form that is known. The message says what it is and what to return."""


class NonScalarLoss(Exception):
    """A loss has more than one entry. The message says its shape and what to do."""


@dataclass
class NamedParameter:
    """One parameter, and the module that holds it. `module` is that module's path from the model, `""` for the root."""

    name: str
    tensor: nn.Parameter
    module: str
    owner: nn.Module


@dataclass(frozen=True)
class Outcome:
    """Models by prefix (`""` for a single one), losses by name (`"loss"` for a single one)."""

    models: dict[str, nn.Module]
    losses: dict[str, torch.Tensor]

    def parameters(self) -> list[NamedParameter]:
        """Every parameter of the models once, tied ones under their first name."""
        found: dict[int, NamedParameter] = {}
        for prefix, model in self.models.items():
            kept = _named_by_itself(model)
            for path, owner in model.named_modules(prefix=prefix):
                for name, parameter in owner._parameters.items():
                    key = id(parameter)
                    if parameter is not None and key not in found and (kept is None or key in kept):
                        found[key] = NamedParameter(f"{path}.{name}" if path else name, parameter, path, owner)
        return list(found.values())


def _named_by_itself(model: nn.Module) -> set[int] | None:
    """The parameters that a model admits to, where it has a `named_parameters` of its own; `None` where it has not.

    Torch's own would go through all modules once more.
    """
    if type(model).named_parameters is nn.Module.named_parameters:
        return None
    return {id(parameter) for _, parameter in model.named_parameters()}


def read_outcome(result: object, definitions: Definitions) -> Outcome:
    """Interpret a probe's return value. Raises `WrongReturn` and `NonScalarLoss`."""
    if isinstance(result, torch.Tensor):
        losses = _losses(result)
        return Outcome(_roots(losses.values(), definitions), losses)
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return Outcome(_models(result[0]), _losses(result[1]))
    raise WrongReturn(f"The probe returned {_describe(result)}. {_USUAL}")


def leaves_below(losses: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """The leaf tensors that autograd reaches from the losses, in no particular order."""
    stack: list[Any] = [loss.grad_fn for loss in losses if loss.grad_fn is not None]
    seen = set(stack)
    leaves = [loss for loss in losses if loss.grad_fn is None and loss.requires_grad]
    while stack:
        node = stack.pop()
        edges = node.next_functions
        if not edges:
            leaf = getattr(node, "variable", None)
            if isinstance(leaf, torch.Tensor):
                leaves.append(leaf)
        for child, _ in edges:
            if child is not None and child not in seen:
                seen.add(child)
                stack.append(child)
    return leaves


def _models(value: object) -> dict[str, nn.Module]:
    named: Mapping[object, object]
    if isinstance(value, nn.Module):
        return {"": value}
    if isinstance(value, Mapping):
        named = value
    elif isinstance(value, (tuple, list)):
        named = dict(enumerate(value))
    else:
        raise WrongReturn(f"The probe returned {_describe(value)} where the model should be. {_USUAL}")
    models: dict[str, nn.Module] = {}
    for name, model in named.items():
        if not isinstance(model, nn.Module):
            raise WrongReturn(f"The probe returned {_describe(model)} among its models. {_USUAL}")
        models[str(name)] = model
    if not models:
        raise WrongReturn(f"The probe returned no model. {_USUAL}")
    return models


def _losses(value: object) -> dict[str, torch.Tensor]:
    named: Mapping[object, object] = value if isinstance(value, Mapping) else {"loss": value}
    losses: dict[str, torch.Tensor] = {}
    for name, loss in named.items():
        if isinstance(loss, (int, float)):
            number = f"The probe returned {_describe(loss)} where the loss should be."
            raise WrongReturn(f"{number} Return the tensor itself: `.item()` and `float()` leave its history behind.")
        if not isinstance(loss, torch.Tensor):
            raise WrongReturn(f"The probe returned {_describe(loss)} where the loss should be. {_USUAL}")
        if loss.numel() != 1:
            shape = "x".join(map(str, loss.shape))
            raise NonScalarLoss(f"The loss has shape {shape}, not one number. Reduce it, for example with `.mean()`.")
        losses[str(name)] = loss
    if not losses:
        raise WrongReturn(f"The probe returned no loss. {_USUAL}")
    return losses


def _roots(losses: Iterable[torch.Tensor], definitions: Definitions) -> dict[str, nn.Module]:
    """The outermost modules that hold a parameter which the losses reach; prefixed by class where there are several."""
    reached = {id(leaf) for leaf in leaves_below(list(losses))}
    modules = list(definitions.modules())
    inner = {id(child) for module in modules for child in module.modules() if child is not module}
    roots = [m for m in modules if id(m) not in inner and any(id(p) in reached for p in m.parameters())]
    if not roots:
        raise WrongReturn(f"The probe returned only a loss, and no model's parameters lead to it. {_USUAL}")
    if len(roots) == 1:
        return {"": roots[0]}
    kinds = [type(module).__name__ for module in roots]
    return {
        kind if kinds.count(kind) == 1 else f"{kind}{kinds[:i].count(kind)}": roots[i] for i, kind in enumerate(kinds)
    }


def _describe(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)} ({', '.join(type(v).__name__ for v in value)})"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
