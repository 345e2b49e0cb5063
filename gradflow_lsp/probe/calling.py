"""Calls a probe the way its file asks for, from the same random state each time, and reads what it returned."""

from __future__ import annotations

import contextlib
import inspect
from types import ModuleType

import torch

from .collecting import collecting
from .definitions import Definitions
from .footing import UsersTurn
from .isolation import seed_everything
from .outcome import Outcome, WrongReturn, read_outcome
from .protocol import RunRequest


class Probe:
    """The probe function that a request names, in its loaded module."""

    def __init__(self, module: ModuleType, request: RunRequest, turn: UsersTurn) -> None:
        self._function = getattr(module, request.function, None)
        self._name = request.function
        self._turn = turn
        self._seed = request.seed
        self._available = {"seed": request.seed, "device": request.device}
        self._grad_enabled = torch.is_grad_enabled()  # a file may have switched it off at its top level

    def call(self, definitions: Definitions) -> Outcome:
        """Run the probe once, with torch as it was after the file's import.

        Raises `WrongReturn`, `NonScalarLoss` and whatever the user's code raises.
        """
        if not callable(self._function):
            raise WrongReturn(f"There is no function {self._name} in this file any more. Look for the probe again.")
        parameters = inspect.signature(self._function).parameters.values()
        wanted = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        arguments = {name: value for name, value in self._available.items() if name in wanted}
        torch.set_grad_enabled(self._grad_enabled)
        seed_everything(self._seed)
        definitions.begin_probe()
        try:
            with collecting(True), self._turn:
                result = self._function(**arguments)
            return read_outcome(result, definitions)
        finally:
            definitions.end_probe()
            _reset_torch()


def _reset_torch() -> None:
    """Undo what the probe may have left switched and what would change the backward after it."""
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    with contextlib.suppress(AttributeError):  # not promised to stay
        torch.set_autocast_enabled("cpu", False)
