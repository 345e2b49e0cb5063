"""What this process stands on, the standard library and the loaded modules, kept whole while user code patches it."""

from __future__ import annotations

import sys
from operator import is_
from types import ModuleType, TracebackType
from typing import Any

_NEEDED = (
    *("sys", "os", "posixpath", "ntpath", "io", "time", "math", "re", "random", "itertools", "functools", "operator"),
    *("collections", "contextlib", "dataclasses", "enum", "pathlib", "threading", "warnings", "weakref", "hashlib"),
    *("json", "json.encoder", "json.decoder", "ast", "tokenize", "token", "inspect", "linecache", "traceback"),
)
_DEPTH = 1000
"""Python's own default for the limit of recursion: enough for all that follows the user's code."""

_len, _all, _map, _Changing = len, all, map, RuntimeError  # by these names they are there without the builtins, too


class UsersTurn:
    """While entered, the user's code runs with its own patches of the standard library; outside, without them.

    Functions, classes and modules that were there at first are watched, and that no other name goes: streams, paths and
    settings are the user's to change. Modules that were loaded at first stay loaded.
    """

    def __init__(self) -> None:
        self._loaded = dict(sys.modules)
        self._modules = sys.modules
        needed = (self._loaded.get(name) for name in _NEEDED)
        # The builtins come first, as nothing works without them.
        self._spaces = [
            (space, dict(space), {n: v for n, v in space.items() if callable(v) or isinstance(v, ModuleType)})
            for space in [__builtins__ if isinstance(__builtins__, dict) else vars(__builtins__)]
            + [vars(module) for module in needed if module is not None]
        ]
        self._patches: list[tuple[dict[str, Any], str, Any]] = []
        self._depth = self._get_depth()

    _get_depth = staticmethod(sys.getrecursionlimit)
    _set_depth = staticmethod(sys.setrecursionlimit)

    def __enter__(self) -> None:
        self._set_depth(self._depth)
        for space, name, value in self._patches:
            space[name] = value

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # Until the builtins are back in their place, nothing here may need one.
        self._depth = self._get_depth()
        if self._depth < _DEPTH:
            self._set_depth(_DEPTH)
        self._patches = []
        for space, whole, watched in self._spaces:
            if not _begins_with(space, whole):
                for name, value in watched.items():
                    if space.get(name) is not value:
                        self._patches += ((space, name, space.get(name)),)
                        space[name] = value
                for name, value in whole.items():
                    if name not in space:
                        space[name] = value
        if not _begins_with(self._modules, self._loaded):
            for name, module in self._loaded.items():
                if self._modules.get(name) is not module:
                    self._modules[name] = module


def _begins_with(space: dict[str, Any], kept: dict[str, Any]) -> bool:
    """Whether all that is kept is in its place, as it nearly always is, seen in half the time of looking each up."""
    try:
        return _len(space) >= _len(kept) and _all(_map(is_, space.values(), kept.values()))
    except _Changing:
        return False
