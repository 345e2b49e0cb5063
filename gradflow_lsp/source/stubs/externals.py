"""What the file imports: which rule answers for a dotted name of torch, numpy or the standard library."""

from __future__ import annotations

import ast
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import builtin_calls, classes, distributions, einops, layers, modules, operations, shaping
from .code_values import ClassValue, External, Instance, Layer, Partial
from .descent import depending_on
from .guesses import TABLE
from .values import UNKNOWN, DType, Fix, Misfit, Nothing, Tensor, Unknown, origin_of

if TYPE_CHECKING:
    from .walker import Walker

_DTYPES = {
    **{
        name: name for name in ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8")
    },
    "bool": "bool",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "complex64": "complex64",
    "cfloat": "complex64",
    "complex128": "complex128",
}
_CONSTANTS: dict[str, Any] = {
    "torch.pi": 3.141592653589793,
    "math.pi": 3.141592653589793,
    "numpy.pi": 3.141592653589793,
    "math.inf": float("inf"),
    "torch.inf": float("inf"),
    "numpy.inf": float("inf"),
    "math.e": 2.718281828459045,
    "torch.backends": UNKNOWN,
    "torch.cuda": External("torch.cuda"),
}
_ANSWERS: dict[str, Any] = {
    "torch.jit.is_scripting": False,
    "torch.jit.is_tracing": False,
    "torch.cuda.is_available": False,
    "torch.is_autocast_enabled": False,
    "torch.is_grad_enabled": True,
    "torch.cuda.device_count": 0,
    "torch.onnx.is_in_onnx_export": False,
    "torch.distributed.is_initialized": False,
}
_READERS = ("builtins.open", "io.open", "numpy.load", "numpy.loadtxt", "torch.load", "pickle.load")
_WRAPPERS = (
    *("torch.nn.utils.spectral_norm", "torch.nn.utils.weight_norm", "torch.jit.script", "torch.compile"),
    *("torch.nn.utils.parametrizations.spectral_norm", "torch.nn.utils.parametrizations.weight_norm"),
    *("torch.nn.utils.parametrizations.orthogonal", "copy.copy", "typing.cast"),
)


def attribute(dotted: str) -> Any:
    """Return what a dotted name of an imported module stands for."""
    if dotted in _CONSTANTS:
        return _CONSTANTS[dotted]
    home, _, name = dotted.rpartition(".")
    if home == "torch" and name in _DTYPES:
        return DType(_DTYPES[name])
    return External(dotted)


def call(walker: Walker, dotted: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call an imported function or class."""
    home, _, name = dotted.rpartition(".")
    if dotted in _READERS and walker.building[1:]:  # what has read a file can be had without it
        raise Misfit("a file is read", [Fix(walker.building[-1], "record")])
    if home == "builtins":
        return builtin_calls.call(walker, name, arguments, keywords)
    if dotted in _ANSWERS:
        return _ANSWERS[dotted]
    if dotted in _WRAPPERS:
        return arguments[-1] if dotted == "typing.cast" and arguments else (arguments or [UNKNOWN])[0]
    if dotted.startswith("torch.nn.init.") or name == "register_parametrization":
        return (arguments or [UNKNOWN])[0]
    if name == "__init__" and arguments and isinstance(arguments[0], Instance):
        classes.init_base(walker, arguments[0], arguments[1:], keywords)
        return None
    if name in _STANDARD and dotted in _STANDARD[name][0]:
        return _STANDARD[name][1](walker, arguments, keywords)
    if home == "numpy" and name in ("zeros", "ones", "empty", "eye", "arange", "zeros_like", "ones_like"):
        return _array(name, arguments, keywords)
    if home in ("math", "numpy", "cmath"):
        return _number_function(walker, name, arguments, keywords)
    if dotted.startswith("torch.distributions."):
        return distributions.made(name, arguments, keywords)
    if home in ("einops", "einops.layers.torch"):
        return depending_on(einops.call(name, arguments, dict(keywords)), arguments)
    layer = layers.build(walker, dotted, arguments, keywords)
    if layer is not None:
        return layer
    if home in (
        "torch",
        "torch.nn.functional",
        "torch.special",
        "torch.linalg",
        "torch.fft",
        "torch.Tensor",
        "torch.sparse",
    ):
        return operations.function(name, arguments, keywords)
    return depending_on(UNKNOWN, [*arguments, *keywords.values()])


def _array(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Return an array of numpy as the tensor that torch would make of it."""
    made = operations.function(name, arguments, {key: value for key, value in keywords.items() if key != "dtype"})
    return replace(made, dtype="float64") if isinstance(made, Tensor) and made.is_float else made


def _number_function(walker: Walker, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    values = walker.iterate(arguments[0]) if name in ("prod", "cumsum", "sum", "array") and arguments else None
    if name == "prod" and values is not None:
        return shaping.product(values)
    if values is not None and all(isinstance(value, (int, float)) for value in values):
        return sum(values) if name == "sum" else list(itertools.accumulate(values)) if name == "cumsum" else values
    if name == "array" and values is not None:
        return values
    for value in arguments:
        origin = origin_of(value)
        if isinstance(value, Nothing) or (isinstance(value, str) and origin):
            raise Misfit("a number is needed", [Fix(origin.key, "number")] if origin else [])
    compute = builtin_calls.NUMBER_FUNCTIONS.get(name)
    if compute is None or not all(isinstance(value, (int, float)) for value in arguments):
        return depending_on(UNKNOWN, arguments)
    try:
        return compute(*arguments)
    except (ValueError, OverflowError, TypeError):
        return UNKNOWN


def _partial(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return Partial(arguments[0], arguments[1:], keywords) if arguments else UNKNOWN


def _chain(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    parts = [walker.iterate(one) for one in arguments]
    return UNKNOWN if None in parts else [value for part in parts for value in part or ()]


def _pairwise(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    values = walker.iterate(arguments[0]) if arguments else None
    return UNKNOWN if values is None else list(itertools.pairwise(values))


def _product(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    parts = [walker.iterate(one) or [] for one in arguments]
    return list(itertools.islice(itertools.product(*parts), 2_000))


def _ordered_dict(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return builtin_calls.call(walker, "dict", arguments, keywords)


def _deepcopy(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return modules.copied(arguments[0]) if arguments else UNKNOWN


def _checkpoint(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return walker.call(arguments[0], arguments[1:], {}) if arguments else UNKNOWN


def _pack(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    given = dict(zip(("input", "lengths", "batch_first"), arguments, strict=False)) | keywords
    packed, lengths = given.get("input", UNKNOWN), given.get("lengths", UNKNOWN)
    if isinstance(lengths, Tensor) and lengths.source and lengths.dtype != "int64":
        raise Misfit("lengths are whole numbers", [Fix(lengths.source, "dtype", "int64")])
    return packed


def _pad_packed(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return (arguments[0] if arguments else UNKNOWN, UNKNOWN)


def _grad(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    given = dict(zip(("outputs", "inputs"), arguments, strict=False)) | keywords
    inputs = given.get("inputs", UNKNOWN)
    leaves = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    for leaf in leaves:
        if isinstance(leaf, Tensor) and leaf.source and leaf.source not in walker.grads:
            raise Misfit("an input has to require a gradient", [Fix(leaf.source, "needs_grad")])
    return tuple(
        depending_on(leaf.computed(leaf.shape), [given.get("outputs")]) if isinstance(leaf, Tensor) else leaf
        for leaf in leaves
    )


def _from_pretrained(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    table = arguments[0] if arguments else keywords.get("embeddings", UNKNOWN)
    origin = origin_of(table)
    if not isinstance(table, Tensor) and origin is not None:
        raise Misfit("a table of embeddings is needed", [Fix(origin.key, "guess", TABLE)])
    sizes = table.shape if isinstance(table, Tensor) and table.shape and len(table.shape) == 2 else (UNKNOWN, UNKNOWN)
    return layers.made("Embedding", list(sizes), {})


def _namespace(values: dict[str, Any]) -> Instance:
    """Return an object with just these attributes."""
    return Instance(ClassValue(ast.ClassDef("Namespace", [], [], [], []), []), values)


def _is_tensor(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return UNKNOWN if isinstance(arguments[0], Unknown) else isinstance(arguments[0], Tensor)


def _parameter(walker: Walker, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    given = dict(zip(("data", "requires_grad"), arguments, strict=False)) | keywords
    data = given.get("data", UNKNOWN)
    tensor = data if isinstance(data, Tensor) else Tensor(None)
    number = frozenset((Layer("Parameter").number,)) if given.get("requires_grad", True) is not False else frozenset()
    return Tensor(tensor.shape, tensor.dtype, reach=number)


_PARSER = "argparse.ArgumentParser"
_STANDARD: dict[str, tuple[tuple[str, ...], Any]] = {
    "ArgumentParser": ((_PARSER,), lambda w, a, k: External(_PARSER)),
    "parse_args": ((f"{_PARSER}.parse_args",), lambda w, a, k: _namespace(dict(w.hints.values))),
    "parse_known_args": ((f"{_PARSER}.parse_known_args",), lambda w, a, k: (_namespace(dict(w.hints.values)), [])),
    "Namespace": (("argparse.Namespace",), lambda w, a, k: _namespace(k)),
    "SimpleNamespace": (("types.SimpleNamespace",), lambda w, a, k: _namespace(k)),
    "partial": (("functools.partial",), _partial),
    "chain": (("itertools.chain",), _chain),
    "from_iterable": (("itertools.chain.from_iterable",), lambda w, a, k: _chain(w, w.iterate(a[0]) or [], k)),
    "pairwise": (("itertools.pairwise",), _pairwise),
    "product": (("itertools.product",), _product),
    "count": (("itertools.count",), lambda w, a, k: itertools.count(*a[:1])),
    "OrderedDict": (("collections.OrderedDict", "typing.OrderedDict"), _ordered_dict),
    "defaultdict": (("collections.defaultdict",), lambda w, a, k: {}),
    "deepcopy": (("copy.deepcopy",), _deepcopy),
    "checkpoint": (("torch.utils.checkpoint.checkpoint",), _checkpoint),
    "pack_padded_sequence": (("torch.nn.utils.rnn.pack_padded_sequence",), _pack),
    "pad_packed_sequence": (("torch.nn.utils.rnn.pad_packed_sequence",), _pad_packed),
    "from_pretrained": (("torch.nn.Embedding.from_pretrained",), _from_pretrained),
    "grad": (("torch.autograd.grad",), _grad),
    "is_tensor": (("torch.is_tensor",), _is_tensor),
    "Parameter": (("torch.nn.Parameter", "torch.nn.parameter.Parameter"), _parameter),
    "warn": (("warnings.warn",), lambda w, a, k: None),
}
