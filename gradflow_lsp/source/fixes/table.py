"""Which function mends which kind of cause. Kinds that are not here have no mend that a text alone could prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..spans import Span
from . import activations, checkpoints, cuts, exits, grad_mode, registration, steps, unused
from .code import Code
from .edits import Fix
from .registration import unregistered_by_name

_FIXES: dict[str, Callable[[Code], Iterator[Fix]]] = {
    "detach": cuts.detach,
    "data-access": cuts.data_access,
    "no-grad": grad_mode.no_grad,
    "left-autograd": exits.left_autograd,
    "reentrant-checkpoint": checkpoints.reentrant_checkpoint,
    "not-called": unused.not_called,
    "zero-derivative": steps.zero_derivative,
}

FIXABLE = {*_FIXES, "dead-activation", "unregistered"}
"""The kinds of cause that a quick fix may be offered for."""


def fixes(text: str, kind: str, span: Span, parameters: Sequence[str] = ()) -> list[Fix]:
    """Return the fixes of a cause: its kind, its range in `text`, and the names of the parameters that it explains.

    Never raises, and returns nothing where the code there is not such that the fix is sure.
    """
    code = Code.at(text, span) if kind in FIXABLE else None
    if code is None:
        return []
    if kind == "unregistered":
        return list(registration.unregistered(code, parameters)) or list(unregistered_by_name(text, parameters))
    if kind == "dead-activation":
        return list(activations.dead_activation(code, parameters))
    return list(_FIXES[kind](code))
