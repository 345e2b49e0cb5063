"""Who switched grad off: the `with`, the decorator or the call, followed through nesting and leaks."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from itertools import takewhile
from types import CodeType, FrameType
from typing import Any

import torch

from .report import Location
from .sites import Site, SiteRecorder
from .syntax import node_location, syntax_tree, whole_line

_TORCH_CONTEXTS = "_contextlib.py"
_STDLIB_CONTEXTS = "contextlib.py"
_GRAD_MODE = sys.modules[torch.no_grad.__module__].__file__
_SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")


class Switch:
    """One place that switched grad on or off.

    `site` is the user's `with` or call, `decorated` the user's function under a decorator; with neither, it was a
    library.
    """

    __slots__ = ("decorated", "enabled", "site")

    def __init__(self, enabled: bool, site: Site | None, decorated: CodeType | None) -> None:
        self.enabled = enabled
        self.site = site
        self.decorated = decorated

    @property
    def expression(self) -> object:
        """What tells one switching expression from another."""
        return id(self.decorated) if self.decorated is not None else self.site.expression if self.site else None

    def location(self) -> Location | None:
        """The user's own expression that switched, or `None` where a library did."""
        if self.decorated is not None:
            return _decorator(self.decorated)
        return None if self.site is None else self.site.location()


class GradMode:
    """Follows every switch of grad mode during a run."""

    def __init__(self, recorder: SiteRecorder) -> None:
        self._recorder = recorder
        self._entered: list[tuple[object, Switch]] = []

    @property
    def off_switch(self) -> Switch | None:
        """What has grad switched off at the moment, if anything seen has; the user's own before a library's."""
        off = list(takewhile(lambda s: not s.enabled, (switch for _, switch in reversed(self._entered))))
        return next((switch for switch in off if switch.expression is not None), off[0] if off else None)

    def switched(self, enabled: bool, frame: FrameType | None) -> None:
        """Note one call of torch's switch; `frame` is the one that called it."""
        context: object = None
        method = ""
        while frame is not None and frame.f_code.co_filename == _GRAD_MODE:
            context, method = frame.f_locals.get("self"), frame.f_code.co_name
            frame = frame.f_back
        if method in ("__exit__", "__call__"):
            self._left(context)
        else:
            self._entered_by(context, enabled, frame)

    def watch_inference_mode(self) -> Callable[[], None]:
        """Follow `torch.inference_mode` too, which torch's modes do not see. Returns the call that ends it."""
        enter, leave = torch.inference_mode.__enter__, torch.inference_mode.__exit__

        def watched_enter(context: Any) -> Any:
            self._entered_by(context, not getattr(context, "mode", True), sys._getframe(1))
            return enter(context)

        def watched_exit(context: Any, *error: Any) -> Any:
            self._left(context)
            return leave(context, *error)

        def undo() -> None:
            torch.inference_mode.__enter__ = enter  # type: ignore[method-assign]
            torch.inference_mode.__exit__ = leave  # type: ignore[method-assign]

        torch.inference_mode.__enter__ = watched_enter  # type: ignore[method-assign]
        torch.inference_mode.__exit__ = watched_exit  # type: ignore[method-assign]
        return undo

    def _entered_by(self, context: object, enabled: bool, frame: FrameType | None) -> None:
        self._left(context)
        decorated = None
        while frame is not None and frame.f_code.co_filename.endswith((_TORCH_CONTEXTS, _STDLIB_CONTEXTS)):
            function = frame.f_locals.get("func") if frame.f_code.co_filename.endswith(_TORCH_CONTEXTS) else None
            decorated = getattr(function, "__code__", None) or decorated
            frame = frame.f_back
        if decorated is not None and not self._recorder.owns(decorated):
            decorated = None
            site = None
        else:
            site = self._recorder.site_of(frame) if frame is not None and self._recorder.owns(frame.f_code) else None
        self._entered.append((context, Switch(enabled, site, decorated)))

    def _left(self, context: object) -> None:
        self._entered = [entry for entry in self._entered if entry[0] is not context or context is None]


def _decorator(code: CodeType) -> Location:
    path, first = code.co_filename, code.co_firstlineno
    for node in ast.walk(syntax_tree(path) or ast.Module([], [])):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            for decorator in node.decorator_list:
                if node.decorator_list[0].lineno == first and any(s in ast.dump(decorator) for s in _SWITCHES):
                    at = node_location(path, decorator)
                    return Location(path, at.line, at.column - 1, at.end_line, at.end_column)
    return whole_line(path, first)
