"""What the forward pass did: its operations in order, the user's line of each, and which tensors fed which.

A `Tracer` is a torch function mode. Tensors get numbers (tokens) when first seen and are only held weakly, so a trace
keeps nothing alive. A tensor changed in place gets a new token, unless it is a parameter or a leaf that requires grad:
these are sources, whatever was written into them. All that runs below one torch function counts as one operation.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .grad_mode import GradMode, Switch
from .sites import Site, SiteRecorder

EXITS = frozenset(
    ["numpy", "tolist", "item", "__array__", "__float__", "__int__", "__bool__", "__index__", "__complex__"]
)
"""Tensor methods whose result is no tensor, so that its value goes on outside autograd."""

_CONTAINERS = (list, tuple, dict)
_DATA, _REQUIRES_GRAD = torch.Tensor.data, torch.Tensor.requires_grad  # descriptors; their bound methods are made anew


class Op:
    """One operation of the forward pass.

    `needs_grad` says that an input required grad; `grad_outputs` are the output tokens that require it too, and
    `discrete` those of an integer or boolean type. `first_node` and `end_node` bound the sequence numbers of the
    autograd nodes that it made. `function` is what ran: a torch function or a custom `autograd.Function`. `grad_off`
    says that grad was off, and `switch` what had switched it off. `inner` are the operations inside a custom
    `autograd.Function`.
    """

    __slots__ = (
        *("index", "name", "function", "site", "inner"),
        *("inputs", "outputs", "grad_outputs", "discrete", "needs_grad"),
        *("first_node", "end_node", "grad_off", "switch"),
    )

    def __init__(self, index: int, name: str, function: Any, site: Site | None, first_node: int) -> None:
        self.index = index
        self.name = name
        self.function = function
        self.site = site
        self.first_node = first_node
        self.end_node = first_node
        self.inputs: tuple[int, ...] = ()
        self.outputs: tuple[int, ...] = ()
        self.grad_outputs: tuple[int, ...] = ()
        self.discrete: tuple[int, ...] = ()
        self.needs_grad = False
        self.grad_off = False
        self.switch: Switch | None = None
        self.inner: list[Op] | None = None

    def __repr__(self) -> str:
        return f"<{self.index} {self.name} {self.inputs} -> {self.outputs}>"


class Tracer(TorchFunctionMode):
    """Records operations while it is active (a context manager, to be entered once).

    `frozen_at` has, by id, where tensors' `requires_grad` was switched off; `backwards` where the probe ran backward
    itself, `accumulated` whether it did so with gradients of an earlier one still there.
    """

    def __init__(self, recorder: SiteRecorder) -> None:
        super().__init__()
        self.ops: list[Op] = []
        self.frozen_at: dict[int, Site | None] = {}
        self.backwards: list[Site | None] = []
        self.accumulated = False
        self._recorder = recorder
        self._grad_mode = GradMode(recorder)
        self._tokens: dict[int, tuple[weakref.ref[torch.Tensor], int]] = {}
        self._last_token = 0
        self._depth = 0
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> Tracer:
        self._undo = [self._watch_function_apply(), self._grad_mode.watch_inference_mode()]
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        super().__exit__(kind, error, at)  # type: ignore[no-untyped-call]
        while self._undo:
            self._undo.pop()()
        self._recorder.forget_frames()

    def __torch_function__(
        self, func: Any, types: Iterable[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run one torch function and note what it did."""
        name = getattr(func, "__name__", "")
        if name == "_set_grad_enabled":
            self._grad_mode.switched(bool(args[0]), sys._getframe(1))
        elif name == "backward":
            self._ran_backward(sys._getframe(1))
        first_node = next_node()
        self._depth += 1
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        finally:
            self._depth -= 1
        if isinstance(result, torch.Tensor):
            outputs = [result]
        elif isinstance(result, _CONTAINERS):
            outputs = list(tensors_in(result))
        elif name == "__setitem__":
            outputs = [args[0]]
        elif name in EXITS:
            outputs = []
        else:
            if name == "__set__" and func.__self__ is _REQUIRES_GRAD:
                self._may_have_frozen(args[0], sys._getframe(1))
            return result
        if not outputs and name not in EXITS:
            return result
        if name == "requires_grad_":
            self._may_have_frozen(args[0], sys._getframe(1))
        elif name == "__get__" and func.__self__ is _DATA:
            name = "data"
        op = Op(len(self.ops), name, func, self._recorder.here(sys._getframe(1)), first_node)
        inputs = list(tensors_in(args))
        if kwargs:
            inputs += tensors_in(kwargs)
        self._record(op, inputs, outputs)
        return result

    def rewrapped(self, parameter: torch.Tensor, data: torch.Tensor, site: Site | None) -> None:
        """Note that a parameter was made of a computed tensor: the value goes on, what led to it is cut off."""
        op = Op(len(self.ops), "Parameter", torch.nn.Parameter, site, next_node())
        self._record(op, [data], [parameter])
        op.grad_outputs = ()

    def token(self, tensor: torch.Tensor) -> int | None:
        """The present token of a tensor, or `None` if no operation has met it."""
        found = self._tokens.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def _record(self, op: Op, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        op.inputs = tuple([self._token(t) for t in inputs])
        op.needs_grad = any(t.requires_grad for t in inputs)
        if any(o is i for o in outputs for i in inputs):
            outputs = list(self._changed_in_place(inputs, outputs))
        op.outputs = tuple([self._token(t) for t in outputs])
        op.grad_outputs = tuple([n for t, n in zip(outputs, op.outputs, strict=True) if t.requires_grad])
        if len(op.grad_outputs) < len(outputs):
            op.discrete = tuple(
                [n for t, n in zip(outputs, op.outputs, strict=True) if not (t.is_floating_point() or t.is_complex())]
            )
        op.end_node = next_node()
        if not torch.is_grad_enabled() or (outputs and outputs[0].is_inference()):
            op.grad_off = True
            op.switch = self._grad_mode.off_switch
        self.ops.append(op)

    def _changed_in_place(self, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> Iterator[torch.Tensor]:
        """Yield the outputs, and the base of each changed view; all that changed get new tokens."""
        for output in outputs:
            yield output
            if _is_source(output) or not any(output is i for i in inputs):
                continue
            self._renew(output)
            base = output._base
            if base is not None and self.token(base) is not None and not _is_source(base):
                self._renew(base)
                yield base

    def _token(self, tensor: torch.Tensor) -> int:
        found = self._tokens.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else self._renew(tensor)

    def _renew(self, tensor: torch.Tensor) -> int:
        self._last_token += 1
        self._tokens[id(tensor)] = (weakref.ref(tensor), self._last_token)
        return self._last_token

    def _may_have_frozen(self, tensor: torch.Tensor, frame: Any) -> None:
        if not tensor.requires_grad:
            self.frozen_at[id(tensor)] = self._recorder.here(frame)

    def _ran_backward(self, frame: Any) -> None:
        """Note a backward of the probe's own, and whether gradients of an earlier one are still there."""
        if self.backwards:
            gradients = [t.grad for ref, _ in self._tokens.values() if (t := ref()) is not None and _is_source(t)]
            self.accumulated = self.accumulated or any(g is not None and bool(g.any()) for g in gradients)
        self.backwards.append(self._recorder.here(frame))

    def _watch_function_apply(self) -> Callable[[], None]:
        """Follow custom autograd functions, which torch's modes do not see. Returns the call that ends it."""
        original = torch.autograd.Function.__dict__["apply"]
        tracer = self

        def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
            if tracer._depth:
                return original.__func__(cls, *args, **kwargs)
            op = Op(0, cls.__name__, cls, tracer._recorder.here(sys._getframe(1)), next_node())
            outer, tracer.ops = tracer.ops, []
            try:
                result = original.__func__(cls, *args, **kwargs)
            finally:
                inner, tracer.ops = tracer.ops, outer
            tracer._record_function(op, inner, list(tensors_in((args, kwargs))), list(tensors_in((result,))))
            return result

        torch.autograd.Function.apply = classmethod(apply)  # type: ignore[assignment]
        return lambda: setattr(torch.autograd.Function, "apply", original)

    def _record_function(
        self, op: Op, inner: list[Op], inputs: list[torch.Tensor], outputs: list[torch.Tensor]
    ) -> None:
        op.index, op.inner = len(self.ops), inner
        self._record(op, inputs, outputs)
        made = {token for o in inner for token in o.outputs}
        captured = {token for o in inner for token in o.inputs} - made - set(op.inputs)
        op.inputs += tuple(sorted(captured))
        op.needs_grad = op.needs_grad or any(o.needs_grad for o in inner)


def _is_source(tensor: torch.Tensor) -> bool:
    try:
        return isinstance(tensor, torch.nn.Parameter) or (tensor.requires_grad and tensor.is_leaf)
    except RuntimeError:  # torch refuses to say for a view made without grad whose base was changed since
        return False


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in nested lists, tuples and dicts."""
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, torch.Tensor):
            yield item
        elif isinstance(item, _CONTAINERS):
            yield from tensors_in(item)


_sequence_number: Callable[[], int] | None = getattr(torch._C._autograd, "_get_sequence_nr", None)


def next_node() -> int:
    """The sequence number that autograd gives to the next node of this thread; 0 where torch does not say."""
    return 0 if _sequence_number is None else _sequence_number()
