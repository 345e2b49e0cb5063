"""Where parameters are frozen: the expression that switches a parameter's `requires_grad` off.

While a `Freezes` is active, `nn.Parameter` has a `requires_grad` and a `requires_grad_` of its own that note who sets
them; both are taken away again afterwards. Nothing else of a run is slowed down by it.
"""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import Any

import torch
from torch import nn

from .sites import Site, SiteRecorder

_NAMES = ("requires_grad", "requires_grad_")


class Freezes:
    """A context manager, to be entered as often as wanted; `at` has, by a parameter's id, where it was last frozen."""

    def __init__(self, recorder: SiteRecorder) -> None:
        self.at: dict[int, Site | None] = {}
        self._recorder = recorder
        self._before: dict[str, Any] = {}

    def __enter__(self) -> Freezes:
        switch: Any = torch.Tensor.requires_grad  # a descriptor of C's
        change = torch.Tensor.requires_grad_

        def set_switch(parameter: nn.Parameter, value: bool) -> None:
            switch.__set__(parameter, value)
            self._note(parameter, sys._getframe(1))

        def requires_grad_(parameter: nn.Parameter, requires_grad: bool = True) -> torch.Tensor:
            changed = change(parameter, requires_grad)
            self._note(parameter, sys._getframe(1))
            return changed

        self._before = {name: vars(nn.Parameter)[name] for name in _NAMES if name in vars(nn.Parameter)}
        nn.Parameter.requires_grad = property(switch.__get__, set_switch)  # type: ignore[assignment]
        nn.Parameter.requires_grad_ = requires_grad_  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for name in _NAMES:
            delattr(nn.Parameter, name)
        for name, value in self._before.items():
            setattr(nn.Parameter, name, value)

    def _note(self, parameter: nn.Parameter, frame: FrameType) -> None:
        if not parameter.requires_grad:
            self.at[id(parameter)] = self._recorder.here(frame)
