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
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.modules import module as torch_module

from .sites import FIRST_PARTY, PACKAGE, Site, SiteRecorder

_FRAMES = 32
"""So many nested constructors are remembered with their objects."""


class Registration(NamedTuple):
    """A module that took up a parameter as its `name`; the module may be gone, the name of its class stays."""

    module: weakref.ref[nn.Module]
    class_name: str
    name: str


_Surroundings = tuple[Site | None, int | None]
"""The defining site of something, and the id of the module whose code ran around its making."""


class _Creation:
    """One parameter or module as it was made.

    `enclosing` is the id of the module whose `__init__` or `forward` was running; modules are never let go of while
    others are enclosed by them, so an id stands for one module as long as `reference` of its own record is alive.
    """

    __slots__ = ("enclosing", "order", "reference", "site")

    def __init__(self, made: Any, site: Site | None, enclosing: int | None, order: int) -> None:
        self.reference: weakref.ref[Any] = weakref.ref(made)
        self.site = site
        self.enclosing = enclosing
        self.order = order


class Definitions:
    """Records creations between `__enter__` and `__exit__`; lookups work at any time.

    `on_rewrap`, where set, is told of each parameter made of a tensor that autograd had computed.
    """

    def __init__(self, recorder: SiteRecorder | None) -> None:
        self._recorder = recorder
        self._parameters: dict[int, _Creation] = {}
        self._modules: dict[int, _Creation] = {}
        self._registered: dict[int, Registration] = {}
        self._in_order: list[_Creation] = []
        self._start = 0
        self._receivers: dict[FrameType, object | None] = {}
        self._last: tuple[tuple[FrameType, int, bool], _Surroundings] | None = None
        self._constructor: tuple[FrameType, _Surroundings] | None = None
        self._kept: list[nn.Module] = []
        self._undo: list[Callable[[], None]] = []
        self.on_rewrap: Callable[[torch.Tensor, torch.Tensor, Site | None], None] | None = None

    @classmethod
    def unlocated(cls) -> Definitions:
        """Definitions that only keep the order in which parameters are created, not where."""
        return cls(None)

    def __enter__(self) -> Definitions:
        make, init = nn.Parameter.__new__, nn.Module.__init__
        kept = vars(nn.Parameter)["__new__"]

        def new(cls: type[Any], data: Any = None, requires_grad: bool = True, *args: Any, **kwargs: Any) -> Any:
            parameter: nn.Parameter = make(cls, data, requires_grad, *args, **kwargs)
            if self._undo:  # else this is only there because the user's code has wrapped it
                self._created(parameter, data, sys._getframe(1))
            return parameter

        def module_init(module: nn.Module, *args: Any, **kwargs: Any) -> None:
            init(module, *args, **kwargs)
            if self._undo and self._creation(self._modules, module) is None:
                self._modules[id(module)] = _Creation(module, *self._surroundings(sys._getframe(1), module), 0)
                self._kept.append(module)

        nn.Parameter.__new__ = new  # type: ignore[method-assign]
        nn.Module.__init__ = module_init  # type: ignore[method-assign, assignment]
        self._undo += [
            lambda: _put_back(nn.Parameter, "__new__", new, kept),
            lambda: _put_back(nn.Module, "__init__", module_init, init),
        ]
        register = getattr(torch_module, "register_module_parameter_registration_hook", None)
        if register is not None:  # without it, only copies made without a constructor go unnoticed
            self._undo.append(register(self._was_registered).remove)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        while self._undo:
            self._undo.pop()()
        if self._recorder is not None:
            self._recorder.forget_frames()
        self._forget_frames()

    def begin_probe(self) -> None:
        """From now on the probe itself runs: what existed before is there for all of its calls."""
        self._start = len(self._in_order)

    def end_probe(self) -> None:
        """Let go of the modules, which are kept until now in case the probe returns no more than a loss."""
        self._kept.clear()
        self._forget_frames()

    def _forget_frames(self) -> None:
        self._last = self._constructor = None
        self._receivers.clear()

    def order(self, parameter: torch.Tensor) -> int | None:
        """The place of a parameter among those that the probe created, from 0; `None` if it did not create it."""
        found = self._creation(self._parameters, parameter)
        return found.order - self._start if found is not None and found.order >= self._start else None

    def parameters(self) -> Iterator[torch.Tensor]:
        """Every parameter that the probe created and that is still alive, in the order of creation."""
        for creation in self._in_order[self._start :]:
            parameter = creation.reference()
            if parameter is not None:
                yield parameter

    def all_parameters(self) -> Iterator[torch.Tensor]:
        """Every parameter that was created, before the probe or by it, and that is still alive."""
        return (p for creation in self._in_order if (p := creation.reference()) is not None)

    def parameter_site(self, parameter: torch.Tensor) -> Site | None:
        """Where this very parameter was created, if that was seen."""
        found = self._creation(self._parameters, parameter)
        return None if found is None else found.site

    def module_site(self, module: nn.Module) -> Site | None:
        """Where this module was constructed, if that was seen."""
        found = self._creation(self._modules, module)
        return None if found is None else found.site

    def made_within(self, parameter: torch.Tensor, modules: set[int]) -> bool:
        """Whether a parameter was created in the `__init__` or `forward` of a module whose id is one of `modules`."""
        creation = self._creation(self._parameters, parameter)
        seen: set[int] = set()
        while creation is not None and creation.enclosing is not None and creation.enclosing not in seen:
            if creation.enclosing in modules:
                return True
            seen.add(creation.enclosing)
            creation = self._modules.get(creation.enclosing)
        return False

    def registered_as(self, parameter: torch.Tensor) -> Registration | None:
        """Where a parameter was last registered, even if it no longer is."""
        return self._registered.get(id(parameter))

    def modules(self) -> Iterator[nn.Module]:
        """Every module that was constructed and is still alive."""
        for creation in self._modules.values():
            module = creation.reference()
            if module is not None:
                yield module

    @staticmethod
    def _creation(creations: dict[int, _Creation], made: object) -> _Creation | None:
        found = creations.get(id(made))
        return found if found is not None and found.reference() is made else None

    def _created(self, parameter: torch.Tensor, data: Any, frame: FrameType) -> None:
        self._note(parameter, frame)
        if self.on_rewrap is not None and isinstance(data, torch.Tensor) and data.grad_fn is not None:
            self.on_rewrap(parameter, data, None if self._recorder is None else self._recorder.here(frame))

    def _was_registered(self, module: nn.Module, name: str, parameter: torch.Tensor | None) -> None:
        if parameter is None:
            return
        self._registered[id(parameter)] = Registration(weakref.ref(module), type(module).__name__, name)
        if self._creation(self._parameters, parameter) is None:
            self._note(parameter, sys._getframe(1))

    def _note(self, parameter: torch.Tensor, frame: FrameType) -> None:
        creation = _Creation(parameter, *self._surroundings(frame), len(self._in_order))
        self._parameters[id(parameter)] = creation
        self._in_order.append(creation)

    def _surroundings(self, frame: FrameType | None, under_construction: object = None) -> _Surroundings:
        """The defining site, and the id of the module whose code is running around what is being made.

        The site is the innermost first-party expression that is not a `super().__init__(...)` of that same object.
        """
        recorder = self._recorder
        if recorder is None:
            return None, None
        if under_construction is None:
            known = self._constructor
            return known[1] if known is not None and known[0] is frame else self._walk(recorder, frame, None, False)
        if frame is None or frame.f_back is None or self._receiver(frame) is not under_construction:
            return self._walk(recorder, frame, under_construction, False)
        owner = recorder.owner(frame.f_code)
        if owner == FIRST_PARTY:
            return self._walk(recorder, frame, under_construction, False)
        here = (frame.f_back, frame.f_back.f_lasti, owner == PACKAGE)
        if self._last is None or self._last[0] != here:  # a loop makes one after the other at the same place
            self._last = (here, self._walk(recorder, frame.f_back, under_construction, here[2]))
        return self._last[1]

    def _walk(
        self, recorder: SiteRecorder, frame: FrameType | None, under_construction: object, in_package: bool
    ) -> _Surroundings:
        began = frame
        constructing = set() if under_construction is None else {id(under_construction)}
        enclosing: int | None = None
        site = fallback = None
        while frame is not None and (site is None or enclosing is None):
            code, receiver = frame.f_code, self._receiver(frame)
            owner = recorder.owner(code)
            constructs = receiver is not None and code.co_name == "__init__"
            in_package = in_package or owner == PACKAGE
            if constructs and fallback is None and owner != FIRST_PARTY and receiver is not under_construction:
                made = self._creation(self._modules, receiver)
                if made is not None and made.site is not None and in_package <= made.site.in_package:
                    found = made.site, enclosing or id(receiver)  # from here outwards, the way is the owner's own
                    if frame is began and under_construction is None:
                        self._constructor = (frame, found)  # and that of all the parameters that it makes
                    return found
            if site is None and owner == FIRST_PARTY:
                expression = recorder.site_of(frame, in_package)
                fallback = fallback or expression
                if receiver is None or id(receiver) not in constructing:
                    site = expression
            if receiver is not None:
                if enclosing is None and receiver is not under_construction:
                    enclosing = id(receiver)
                if constructs:
                    constructing.add(id(receiver))
            frame = frame.f_back
        return site or fallback, enclosing

    def _receiver(self, frame: FrameType) -> object | None:
        """The module whose `__init__` or `forward` this frame runs, if it is one."""
        code = frame.f_code
        if code.co_name not in ("__init__", "forward") or not code.co_varnames:
            return None
        if frame in self._receivers:
            return self._receivers[frame]
        receiver = frame.f_locals.get(code.co_varnames[0])  # slow: it collects all of them
        receiver = receiver if isinstance(receiver, nn.Module) else None
        if code.co_name == "__init__":  # a `forward` holds activations, which are not ours to keep
            if len(self._receivers) >= _FRAMES:
                self._receivers.clear()
            self._receivers[frame] = receiver
        return receiver


def _put_back(owner: type, name: str, ours: object, kept: object) -> None:
    """Put back what was there, unless the user's code has put something of its own in our place."""
    if vars(owner).get(name) is ours:
        setattr(owner, name, kept)
