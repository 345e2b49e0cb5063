"""Where parameters are frozen: the expression that switches a parameter's `requires_grad` off.

While a `Freezes` is active, `nn.Parameter` has a `requires_grad`, a `requires_grad_` and a `detach_` of its own that
note who freezes it, and a `__deepcopy__` that remembers it of a copy. They are taken away again afterwards; nothing
else of a run is slowed down by them.
"""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import Any

import torch
from torch import nn

from .sites import Site, SiteRecorder

_NAMES = ("requires_grad", "requires_grad_", "detach_", "__deepcopy__")


class Freezes:
    """A context manager, to be entered as often as wanted; `at` has, by a parameter's id, where it was last frozen."""

    def __init__(self, recorder: SiteRecorder) -> None:
        self.at: dict[int, Site | None] = {}
        self._recorder = recorder
        self._before: dict[str, Any] = {}

    def __enter__(self) -> Freezes:
        switch: Any = torch.Tensor.requires_grad  # a descriptor of C's
        change, detach, copy = torch.Tensor.requires_grad_, torch.Tensor.detach_, nn.Parameter.__deepcopy__

        def set_switch(parameter: nn.Parameter, value: bool) -> None:
            switch.__set__(parameter, value)
            self._note(parameter, sys._getframe(1))

        def requires_grad_(parameter: nn.Parameter, requires_grad: bool = True) -> torch.Tensor:
            changed = change(parameter, requires_grad)
            self._note(parameter, sys._getframe(1))
            return changed

        def detach_(parameter: nn.Parameter) -> torch.Tensor:
            detached: torch.Tensor = detach(parameter)
            self._note(parameter, sys._getframe(1))
            return detached

        def deep_copy(parameter: nn.Parameter, memo: dict[int, Any]) -> nn.Parameter:
            copied: nn.Parameter = copy(parameter, memo)  # type: ignore[no-untyped-call]
            if not copied.requires_grad and id(parameter) in self.at:
                self.at[id(copied)] = self.at[id(parameter)]
            return copied

        self._before = {name: vars(nn.Parameter)[name] for name in _NAMES if name in vars(nn.Parameter)}
        nn.Parameter.requires_grad = property(switch.__get__, set_switch)  # type: ignore[assignment]
        nn.Parameter.requires_grad_ = requires_grad_  # type: ignore[method-assign, assignment]
        nn.Parameter.detach_ = detach_  # type: ignore[assignment]
        nn.Parameter.__deepcopy__ = deep_copy  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for name in _NAMES:
            delattr(nn.Parameter, name)
        for name, value in self._before.items():
            setattr(nn.Parameter, name, value)

    def _note(self, parameter: nn.Parameter, frame: FrameType) -> None:
        if not parameter.requires_grad:
            self.at[id(parameter)] = self._recorder.here(frame)
