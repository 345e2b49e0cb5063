"""What a kept process imports before anyone asks: the installed packages that earlier runs needed.

Nothing may tell a run in such a process from one in a fresh interpreter. So only what is installed is imported ahead,
never the user's own modules, and a package is in doubt as soon as importing it does more than define things: it starts
threads, keeps a file open, touches a device, draws random numbers, changes torch. Whoever keeps the process starts
another one without it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import random
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import torch

from .first_party import is_library
from .installing import times_of
from .report import JsonValue

_OURS = __package__.partition(".")[0]
_POOL_SIZE = "OPENBLAS_NUM_THREADS"
_PATCHED = (torch, torch.Tensor, torch.nn.Module, torch.nn.Parameter, torch.nn.functional, torch.autograd)
"""Where packages that change torch put their own functions in place of its."""
_TORCH = str(Path(torch.__file__).parent)
_DEVICES: tuple[Any, ...] = (torch.cuda, torch.xpu)


class Doubt(NamedTuple):
    """A package that is not to be imported ahead, and why."""

    package: str
    why: str


def import_ahead(names: Sequence[str]) -> list[Doubt]:
    """Import modules by name, and return the packages after which this process was not what it was before."""
    doubts = []
    state = _State.now()
    with _no_pools():
        for package, modules in groupby(names, lambda name: name.partition(".")[0]):
            why = _import_all(modules)
            before, state = state, _State.now()
            if why := why or state.difference_from(before):
                doubts.append(Doubt(package, why))
    return doubts


def installed_since(before: Collection[str]) -> list[str]:
    """Return the modules that were imported after those named `before` and are installed, in the order of import."""
    return [name for name, module in sys.modules.copy().items() if name not in before and _is_installed(name, module)]


def readiness(names: Collection[str], doubts: Sequence[Doubt], environment: Mapping[str, int]) -> dict[str, JsonValue]:
    """Return what a worker says of itself once it has imported torch and the modules named.

    `depends` tells whether the environment is still what it was: the times of what makes it, as they were before that,
    and of the modules' own files.
    """
    files = [file for name in names if (file := _file_of(sys.modules.get(name)))]
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "interpreter": sys.executable,
        "pid": os.getpid(),
        "doubts": [list(doubt) for doubt in doubts],
        "depends": {**times_of(files), **environment},
    }


@contextlib.contextmanager
def _no_pools() -> Iterator[None]:
    """Have numpy's and scipy's libraries start no threads of their own, unless the user has said how many."""
    if _POOL_SIZE in os.environ:
        yield
        return
    os.environ[_POOL_SIZE] = "1"
    try:
        yield
    finally:
        os.environ.pop(_POOL_SIZE, None)


def _is_installed(name: str, module: object) -> bool:
    file = _file_of(module)
    spelled = all(part.isidentifier() for part in name.split("."))
    return spelled and file is not None and name.partition(".")[0] != _OURS and is_library(file)


def _file_of(module: object) -> str | None:
    with contextlib.suppress(Exception):  # anything may stand in for a module; `getattr` would load a lazy one
        file = vars(module).get("__file__")
        return file if isinstance(file, str) else None
    return None


def _import_all(modules: Iterable[str]) -> str | None:
    """Import modules, and say what keeps them from being imported ahead, if something does."""
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:  # it has registered itself under another name than its file's, for one
            continue
        except BaseException as error:  # it may even end the process: then it ends the run's, which can tell
            return f"it raises {type(error).__name__}"
    return None


class _State(NamedTuple):
    """What importing a package should leave as it is."""

    threads: int
    descriptors: int
    on_device: bool
    settings: tuple[object, ...]
    random: tuple[object, ...]
    torch: dict[tuple[str, str], object]

    @classmethod
    def now(cls) -> _State:
        return cls(
            threads=max(threading.active_count(), _entries("/proc/self/task")),
            descriptors=_entries("/proc/self/fd"),
            on_device=any(device.is_initialized() for device in _DEVICES),
            settings=(
                *(torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_default_device()),
                torch.are_deterministic_algorithms_enabled(),
            ),
            random=(random.getstate(), *_numpy_state(), torch.get_rng_state().tolist()),
            torch={(str(space), name): value for space in _PATCHED for name, value in vars(space).items()},
        )

    def difference_from(self, before: _State) -> str | None:
        """Say what has changed since `before`, if anything has."""
        if self.threads > before.threads:
            return "it starts threads"
        if self.descriptors > before.descriptors:
            return "it keeps files open"
        if self.on_device:
            return "it uses a device"
        if self.random != before.random:
            return "it draws random numbers"
        was = before.torch
        replaced = (value for key, value in self.torch.items() if key in was and value is not was[key])
        if self.settings != before.settings or any(map(_is_foreign, replaced)):
            return "it changes torch"
        return None


def _numpy_state() -> list[object]:
    """The state of numpy's global generator, and what it does about errors of numbers."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return []
    name, keys, *rest = numpy.random.get_state()
    return [name, keys.tolist(), rest, numpy.geterr()]


def _is_foreign(value: object) -> bool:
    """Whether something in torch's place is not its own: torch replaces a few functions when more of it is imported."""
    code = getattr(value, "__code__", None)
    if code is not None:
        return not code.co_filename.startswith(_TORCH)
    return callable(value) and not str(getattr(value, "__module__", "")).startswith("torch")


def _entries(folder: str) -> int:
    """How many entries a folder of Linux's `/proc` has; elsewhere 0, where processes are not forked either."""
    try:
        return len(os.listdir(folder))  # noqa: PTH208  (as many descriptors open each time)
    except OSError:
        return 0
