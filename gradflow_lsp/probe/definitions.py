"""Where each parameter and module of the run came into being: the expression that defines its layer.

While a `Definitions` is active, `nn.Parameter` and `nn.Module.__init__` note the first-party expression that runs. Both
are put back as they were afterwards. Nothing is read from the source: loops, factories, copies and packages' own
builders all end at the user's expression that was running when the parameter was made.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as torch_module

from .sites import Site, SiteRecorder


class Definitions:
    """Records creation sites between `__enter__` and `__exit__`; lookups work at any time.

    `on_rewrap`, where set, is told of each parameter made of a tensor that autograd had computed.
    """

    def __init__(self, recorder: SiteRecorder) -> None:
        self._recorder = recorder
        self._parameters: dict[int, tuple[weakref.ref[torch.Tensor], Site | None, int]] = {}
        self._modules: dict[int, tuple[weakref.ref[nn.Module], Site | None]] = {}
        self._registered: dict[int, tuple[weakref.ref[nn.Module], str]] = {}
        self._order: list[weakref.ref[torch.Tensor]] = []
        self._start = 0
        self._undo: list[Callable[[], None]] = []
        self.on_rewrap: Callable[[torch.Tensor, torch.Tensor, Site | None], None] | None = None

    def __enter__(self) -> Definitions:
        make, init = nn.Parameter.__new__, nn.Module.__init__

        def new(
            cls: type[nn.Parameter], data: Any = None, requires_grad: bool = True, *args: Any, **kwargs: Any
        ) -> Any:
            parameter: nn.Parameter = make(cls, data, requires_grad, *args, **kwargs)
            self._created(parameter, data, sys._getframe(1))
            return parameter

        def module_init(module: nn.Module, *args: Any, **kwargs: Any) -> None:
            init(module, *args, **kwargs)
            if id(module) not in self._modules or self._modules[id(module)][0]() is not module:
                self._modules[id(module)] = (weakref.ref(module), self._defining_site(sys._getframe(1), module))

        nn.Parameter.__new__ = new  # type: ignore[method-assign, assignment]
        nn.Module.__init__ = module_init  # type: ignore[method-assign, assignment]
        self._undo += [lambda: setattr(nn.Parameter, "__new__", make), lambda: setattr(nn.Module, "__init__", init)]
        hook = torch_module.register_module_parameter_registration_hook(self._was_registered)
        self._undo.append(hook.remove)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        while self._undo:
            self._undo.pop()()
        self._recorder.forget_frames()

    @classmethod
    def unlocated(cls) -> Definitions:
        """Definitions that only keep the order in which parameters are created, not where."""
        return cls(SiteRecorder(lambda path: False))

    def begin_probe(self) -> None:
        """From now on the probe itself runs: what existed before is there for all of its calls."""
        self._start = len(self._order)

    def order(self, parameter: torch.Tensor) -> int | None:
        """The place of a parameter among those that the probe created, from 0; `None` if it did not create it."""
        found = self._parameters.get(id(parameter))
        return found[2] - self._start if found and found[0]() is parameter and found[2] >= self._start else None

    def parameters(self) -> Iterator[torch.Tensor]:
        """Every parameter that the probe created and that is still alive, in the order of creation."""
        return (parameter for reference in self._order[self._start :] if (parameter := reference()) is not None)

    def parameter_site(self, parameter: torch.Tensor) -> Site | None:
        """Where this very parameter was created, if that was seen."""
        found = self._parameters.get(id(parameter))
        return found[1] if found is not None and found[0]() is parameter else None

    def module_site(self, module: nn.Module) -> Site | None:
        """Where this module was constructed, if that was seen."""
        found = self._modules.get(id(module))
        return found[1] if found is not None and found[0]() is module else None

    def registered_as(self, parameter: torch.Tensor) -> tuple[nn.Module, str] | None:
        """The module and the name under which a parameter was last registered, even if it no longer is."""
        found = self._registered.get(id(parameter))
        module = None if found is None else found[0]()
        return None if found is None or module is None else (module, found[1])

    def modules(self) -> Iterator[nn.Module]:
        """Every module that was constructed and is still alive."""
        for reference, _ in self._modules.values():
            module = reference()
            if module is not None:
                yield module

    def _created(self, parameter: torch.Tensor, data: Any, frame: FrameType) -> None:
        self._note(parameter, self._defining_site(frame))
        if self.on_rewrap is not None and isinstance(data, torch.Tensor) and data.grad_fn is not None:
            self.on_rewrap(parameter, data, self._recorder.here(frame))

    def _was_registered(self, module: nn.Module, name: str, parameter: torch.Tensor | None) -> None:
        if parameter is None:
            return
        self._registered[id(parameter)] = (weakref.ref(module), name)
        found = self._parameters.get(id(parameter))
        if found is None or found[0]() is not parameter:
            self._note(parameter, self._defining_site(sys._getframe(1)))

    def _note(self, parameter: torch.Tensor, site: Site | None) -> None:
        reference = weakref.ref(parameter)
        self._parameters[id(parameter)] = (reference, site, len(self._order))
        self._order.append(reference)

    def _defining_site(self, frame: FrameType | None, under_construction: object = None) -> Site | None:
        """The innermost first-party expression that is not a `super().__init__(...)` of what is being constructed."""
        constructing = set() if under_construction is None else {id(under_construction)}
        fallback = None
        in_package = False
        while frame is not None:
            receiver = _constructed(frame)
            if self._recorder.owns(frame.f_code):
                if receiver is None or id(receiver) not in constructing:
                    return self._recorder.site_of(frame, in_package)
                fallback = fallback or frame
            in_package = in_package or self._recorder.is_package(frame.f_code)
            if receiver is not None:
                constructing.add(id(receiver))
            frame = frame.f_back
        return None if fallback is None else self._recorder.site_of(fallback, in_package)


def _constructed(frame: FrameType) -> object | None:
    """The module whose `__init__` this frame runs, if it is one."""
    code = frame.f_code
    if code.co_name != "__init__" or not code.co_varnames:
        return None
    receiver = frame.f_locals.get(code.co_varnames[0])
    return receiver if isinstance(receiver, nn.Module) else None
