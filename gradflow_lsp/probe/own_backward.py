"""The backwards that a probe runs itself, seen where they all come together: at `torch.autograd.backward`."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import torch

from .sites import Site, SiteRecorder


@dataclass(frozen=True)
class OwnBackward:
    """One such backward; `accumulates` says that gradients of an earlier one were still there."""

    site: Site | None
    roots: tuple[weakref.ref[torch.Tensor], ...]
    accumulates: bool

    def began_at(self, tensor: torch.Tensor) -> bool:
        """Whether this backward began at a tensor."""
        return any(root() is tensor for root in self.roots)


class OwnBackwards:
    """A context manager that notes in `calls` each backward of the latest call of the probe.

    `parameters` says which there are at a moment. With `keeps_graph`, they leave the graph for another backward.
    """

    def __init__(self, recorder: SiteRecorder, parameters: Callable[[], Iterable[torch.Tensor]]) -> None:
        self.calls: list[OwnBackward] = []
        self._recorder = recorder
        self._parameters = parameters
        self._running = False
        self._original: Any = None
        self.keeps_graph = False

    def __enter__(self) -> OwnBackwards:
        original = self._original = torch.autograd.backward

        def backward(tensors: Any, *args: Any, **kwargs: Any) -> None:
            if isinstance(tensors, Iterator):
                tensors = tuple(tensors)  # it can be read only once
            if self._running:  # a checkpoint runs one inside another
                return original(tensors, *args, **kwargs)
            self._note(tensors, self._recorder.here(sys._getframe(1)))
            self._running = True
            if self.keeps_graph and len(args) > 1:  # as `Tensor.backward` passes it on
                args = (args[0], True, *args[2:])
            elif self.keeps_graph:
                kwargs["retain_graph"] = True
            try:
                return original(tensors, *args, **kwargs)
            finally:
                self._running = False

        torch.autograd.backward = backward
        self.calls = []
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        torch.autograd.backward = self._original

    def _note(self, tensors: Any, site: Site | None) -> None:
        before = [parameter.grad for parameter in self._parameters()] if self.calls else []
        accumulates = any(gradient is not None and bool(gradient.any()) for gradient in before)
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        seen = tuple(weakref.ref(root) for root in roots if isinstance(root, torch.Tensor))
        self.calls.append(OwnBackward(site, seen, accumulates))
