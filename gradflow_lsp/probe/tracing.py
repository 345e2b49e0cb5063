"""What a probe did: its operations in order, the user's line of each, and which tensors fed which.

A `Tracer` is a torch function mode. It holds tensors only weakly, so a trace keeps nothing alive. All that runs below
one torch function, or inside a custom `autograd.Function`, counts as one operation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FrameType, TracebackType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .grad_mode import GradMode
from .layers import build_unseen
from .ops import CREATES_ZEROS, EXITS, FROM_PYTHON, Op, results_of, tensors_in, values_read
from .sites import Site, SiteRecorder
from .tokens import Tokens
from .transforms import requires_grad_inside, watch_transforms

_DATA = torch.Tensor.data  # a descriptor; its bound methods are made anew
_REQUIRES_GRAD: Any = torch.Tensor.requires_grad

OnOp = Callable[[Op, list[torch.Tensor], list[torch.Tensor]], None]
"""Told of an operation, with the tensors that it read and gave."""

_PLAIN = frozenset({bool, int, torch.Size, torch.dtype, torch.device})
"""Results that are no tensors and hold none. Most calls that models make while they are built give one of them."""

_KEPT_WITHOUT_INPUTS = FROM_PYTHON | CREATES_ZEROS | EXITS


class Tracer(TorchFunctionMode):
    """Records operations while it is active (a context manager; entered again, it goes on).

    `replaced_at` has, by id, where parameters had others put in their place for a functional call; `hooked` the nodes
    (of leaves, the tensors) whose gradients the user's hooks get. `on_op`, where set, is told of each operation with
    the tensors that it read and gave.
    """

    def __init__(self, recorder: SiteRecorder) -> None:
        super().__init__()
        self.ops: list[Op] = []
        self.replaced_at: dict[int, Site | None] = {}
        self.hooked: list[tuple[object, Site | None]] = []
        self.tokens = Tokens()
        self._calls: list[int] = []
        self.on_op: OnOp | None = None
        self._recorder = recorder
        self._grad_mode = GradMode(recorder)
        self._inside_torch = self._transformed = False
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> Tracer:
        self._undo = [
            self._watch_function_apply(),
            self._watch_functional_call(),
            self._watch_scripted(),
            self._watch_variable(),
            watch_transforms(self._converted),
            self._grad_mode.watch_inference_mode(),
            build_unseen(self, self._built),
        ]
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
        first_node = next_node()
        self._inside_torch = True
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        finally:
            self._inside_torch = False
        name = getattr(func, "__name__", "")
        kind = type(result)
        if kind is torch.Tensor or kind is torch.nn.Parameter:
            outputs = [result]
        elif kind in _PLAIN and name not in EXITS:
            return result
        else:
            given = results_of(name, result, args)
            if given is None:
                self._note(name, func, args, first_node, sys._getframe(1))
                return result
            outputs = given
        if name == "detach" or (name == "__get__" and func.__self__ is _DATA):
            name = name if name == "detach" else "data"
            self.tokens.alias(outputs[0], args[0], name)
        inputs = values_read(name, args, kwargs)
        if inputs or name in _KEPT_WITHOUT_INPUTS or _is_leaf(outputs):
            op = Op(len(self.ops), name, func, self._recorder.here(sys._getframe(1)), first_node)
            self._record(op, inputs, outputs)
        else:
            for tensor in outputs:
                self.tokens.of(tensor)  # known from here on: it did not come in later
        return result

    def begin_probe(self) -> None:
        """From now on a call of the probe runs, the first or a further one."""
        self._calls.append(len(self.ops))

    def ops_of_call(self) -> list[Op]:
        """The operations of the file's import and of the latest call of the probe."""
        return self.ops[: self._calls[0]] + self.ops[self._calls[-1] :] if self._calls else self.ops

    def rewrapped(self, parameter: torch.Tensor, data: torch.Tensor, site: Site | None) -> None:
        """Note that a parameter was made of a computed tensor: the value goes on, what led to it is cut off."""
        if self._undo:  # while it is active
            op = Op(len(self.ops), "Parameter", torch.nn.Parameter, site, next_node())
            self._record(op, [data], [parameter])

    def _record(self, op: Op, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        token_of = self.tokens.of
        op.inputs = tuple([token_of(tensor) for tensor in inputs])
        given = [id(tensor) for tensor in inputs]
        for tensor in inputs:
            if tensor.requires_grad:
                op.needs_grad = True
                break
        changed = [tensor for tensor in outputs if id(tensor) in given]
        if changed:
            self._record_changes(op, changed, outputs)
        op.outputs = tuple([token_of(tensor) for tensor in outputs])
        for tensor, token in zip(outputs, op.outputs):  # noqa: B905  one of the most frequent lines of a run
            if tensor.requires_grad:
                if id(tensor) in given or not tensor.is_leaf:  # not a new leaf
                    op.grad_outputs += (token,)
            elif not (tensor.is_floating_point() or tensor.is_complex()):
                op.discrete += (token,)
        if self._transformed:
            self._look_inside(op, inputs, outputs)
        op.end_node = next_node()
        if not torch.is_grad_enabled():
            op.grad_off, op.switch = True, self._grad_mode.off_switch
        self.ops.append(op)
        if self.on_op is not None:
            self.on_op(op, inputs, outputs)

    def _record_changes(self, op: Op, changed: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        """Take what else was changed, through views and aliases, among the outputs."""
        behind: list[tuple[torch.Tensor, str]] = []
        for tensor in changed:
            for other, how in self.tokens.changed(tensor):
                outputs.append(other)
                if how is not None:
                    behind.append((other, how))
        if behind:
            op.behind = {self.tokens.of(tensor): how for tensor, how in behind}

    def _built(self, layer: torch.nn.Module) -> None:
        for buffer in layer.buffers(recurse=False):
            self.tokens.of(buffer)  # known from here on: it did not come in later

    def _note(self, name: str, func: Any, args: tuple[Any, ...], first_node: int, frame: FrameType) -> None:
        """Note what a function did that gave no tensor: it switched grad, registered a hook or set an attribute."""
        if name == "_set_grad_enabled":
            self._grad_mode.switched(bool(args[0]), frame)
        elif name == "register_hook":
            self.hooked.append((args[0].grad_fn or args[0], self._recorder.here(frame)))
        elif name == "__set__" and func.__self__ is _DATA:
            op = Op(len(self.ops), "data", func, self._recorder.here(frame), first_node)
            self._record(op, [args[1], args[0]], [args[0]])
        elif name == "__set__" and func.__self__ is _REQUIRES_GRAD and args[1]:
            op = Op(len(self.ops), "requires_grad_", func, self._recorder.here(frame), first_node)
            self._record(op, [args[0]], [args[0]])

    def _watch_function_apply(self) -> Callable[[], None]:
        """Follow custom autograd functions, which torch's modes do not see. Returns the call that ends it."""
        original = vars(torch.autograd.Function).get("apply")
        if not isinstance(original, classmethod):  # then what a custom function does is seen operation by operation
            return lambda: None
        tracer = self

        def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
            if tracer._inside_torch:
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

    def _watch_functional_call(self) -> Callable[[], None]:
        """Note which parameters a functional call puts others in the place of. Returns the call that ends it."""
        stateless: Any = sys.modules.get("torch.nn.utils.stateless")
        original = getattr(stateless, "_functional_call", None)
        if original is None:  # private to torch: without it, such a parameter is one that is never used
            return lambda: None
        tracer = self

        def functional_call(
            module: torch.nn.Module, tensors: dict[str, torch.Tensor], *args: Any, **kwargs: Any
        ) -> Any:
            site = tracer._recorder.here(sys._getframe(1))
            for name, parameter in module.named_parameters():
                if name in tensors:
                    tracer.replaced_at[id(parameter)] = site
            return original(module, tensors, *args, **kwargs)

        stateless._functional_call = functional_call
        return lambda: setattr(stateless, "_functional_call", original)

    def _watch_scripted(self) -> Callable[[], None]:
        """Follow values through TorchScript, which torch's modes do not see. Returns the call that ends it."""
        kinds = [kind for name in ("ScriptFunction", "ScriptMethod") if (kind := getattr(torch._C, name, None))]
        originals = [(kind, kind.__call__) for kind in kinds]
        for kind, original in originals:
            kind.__call__ = self._scripted(original)

        def end() -> None:
            for kind, original in originals:
                kind.__call__ = original

        return end

    def _scripted(self, original: Callable[..., Any]) -> Callable[..., Any]:
        tracer = self

        def call(scripted: Any, *args: Any, **kwargs: Any) -> Any:
            op = Op(0, scripted.name, scripted, tracer._recorder.here(sys._getframe(1)), next_node())
            op.opaque = True
            result = original(scripted, *args, **kwargs)
            if not tracer._inside_torch:
                op.index = len(tracer.ops)
                tracer._record(op, list(tensors_in((args, kwargs))), list(tensors_in((result,))))
            return result

        return call

    def _watch_variable(self) -> Callable[[], None]:
        """Follow the old `Variable(t)`, which hands out a detached alias. Returns the call that ends it."""
        variable: Any = getattr(torch.autograd, "Variable", None)
        if variable is None:
            return lambda: None
        original, tracer = variable.__new__, self

        def new(cls: type, *args: Any, **kwargs: Any) -> Any:
            result = original(cls, *args, **kwargs)
            data = args[0] if args else kwargs.get("data")
            if isinstance(data, torch.Tensor) and isinstance(result, torch.Tensor):
                op = Op(len(tracer.ops), "Variable", variable, tracer._recorder.here(sys._getframe(1)), next_node())
                tracer._record(op, [data], [result])
            return result

        variable.__new__ = staticmethod(new)
        return lambda: delattr(variable, "__new__")

    def _converted(self, tensor: torch.Tensor, result: torch.Tensor, frame: FrameType) -> None:
        """Note that a tensor went into a transform of `torch.func`, or came out of it."""
        self._transformed = True
        self._record(Op(len(self.ops), "transform", None, self._recorder.here(frame), next_node()), [tensor], [result])

    def _look_inside(self, op: Op, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        """Note which tensors wrap some that require grad."""
        op.needs_grad = op.needs_grad or any(map(requires_grad_inside, inputs))
        wrapping = (token for tensor, token in zip(outputs, op.outputs, strict=True) if requires_grad_inside(tensor))
        op.grad_outputs = tuple(dict.fromkeys([*op.grad_outputs, *wrapping]))

    def _record_function(
        self, op: Op, inner: list[Op], inputs: list[torch.Tensor], outputs: list[torch.Tensor]
    ) -> None:
        """Record a custom function: it reads its arguments, and whatever else its own operations found outside."""
        op.index, op.inner = len(self.ops), inner
        self._record(op, inputs, outputs)
        made = {token for o in inner for token in o.outputs}
        captured = {token for o in inner for token in o.inputs} - made - set(op.inputs)
        op.inputs += tuple(sorted(captured))
        op.needs_grad = op.needs_grad or any(o.needs_grad for o in inner)


def _is_leaf(outputs: list[torch.Tensor]) -> bool:
    return any(t.requires_grad for t in outputs)


next_node: Callable[[], int] = getattr(torch._C._autograd, "_get_sequence_nr", lambda: 0)
"""The sequence number that autograd gives to the next node of this thread; 0 where torch does not say."""
