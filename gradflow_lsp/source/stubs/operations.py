"""Tensor functions and methods by name: `torch.cat`, `F.softmax`, `x.view`, ...

One without a rule gives a tensor of which nothing is known but what it depends on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import arithmetic, needs, shaping
from .code_values import Method
from .descent import depending_on
from .operation_names import ANY_SHAPE, ELEMENTWISE, NO_GRADIENT, TO_FLOAT
from .operation_table import RULES
from .values import UNKNOWN, DType, Fix, Misfit, Nothing, Origin, Shape, Tensor

if TYPE_CHECKING:
    from .walker import Walker


_METHODS_WITHOUT_RULE = frozenset(("backward", "retain_grad", "register_hook", "storage", "stride", "element_size"))
_LOSS_FUNCTIONS = ("cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div")


def function(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a function of `torch` or `torch.nn.functional`."""
    if name.endswith("_loss") or name in _LOSS_FUNCTIONS:
        return arithmetic.loss(name, arguments, keywords)
    if arguments and isinstance(arguments[0], Nothing):
        needs.a_tensor(arguments[0], name)
    return _call(name, arguments, keywords)


def method(walker: Walker, owner: Tensor, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a method of a tensor."""
    if name == "cuda" or (name == "to" and any(isinstance(one, str) and one.startswith("cuda") for one in arguments)):
        walker.needs_gpu()
    if name == "requires_grad_" and owner.source:
        walker.grads.add(owner.source)
        return owner
    return None if name == "backward" else _call(name, [owner, *arguments], keywords)


def attribute(tensor: Tensor, name: str) -> Any:
    """Return an attribute of a tensor."""
    shape = tensor.shape
    match name:
        case "shape":
            return UNKNOWN if shape is None else Shape.of(tensor)
        case "dtype":
            return DType(tensor.dtype, Origin(tensor.source, "dtype") if tensor.source else None)
        case "ndim":
            return needs.rank_of(tensor)
        case "T" | "mT" | "H" | "mH":
            return tensor if shape is None or len(shape) < 2 else shaping.transpose(tensor, -2, -1)
        case "data":
            return replace(tensor, reach=frozenset())
        case "values" if tensor.source and tensor.lineage == (tensor.source, 0):
            raise Misfit("a mapping is needed", [Fix(tensor.source, "mapping")])
        case "device" | "grad" | "names" | "layout" | "grad_fn" | "values" | "indices" | "is_leaf" | "requires_grad":
            return UNKNOWN
        case "is_cuda" | "is_sparse" | "is_quantized":
            return False
        case "real" | "imag":
            return tensor.computed(shape, "float32")
    known = name in RULES or name.rstrip("_") in RULES or name.rstrip("_") in ELEMENTWISE
    if not known and name not in _METHODS_WITHOUT_RULE and tensor.source and tensor.lineage == (tensor.source, 0):
        raise Misfit(f"an attribute {name!r} is read from an input", [Fix(tensor.source, "record")])
    return Method(tensor, name)


def _call(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    plain = name if name in RULES else name.rstrip("_")
    first = arguments[0] if arguments else keywords.get("input", UNKNOWN)
    result: Any = UNKNOWN
    if plain in ELEMENTWISE:
        result = _elementwise(plain, first, [*arguments[1:], *keywords.values()])
    elif plain in RULES and (plain in ANY_SHAPE or not (isinstance(first, Tensor) and first.shape is None)):
        try:
            result = RULES[plain](*arguments, **keywords)
        except (TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError):
            result = UNKNOWN  # an argument that is not known, or a call that torch would refuse as well
    return result if plain in NO_GRADIENT else depending_on(result, [*arguments, *keywords.values()])


def _elementwise(name: str, first: Any, others: list[Any]) -> Any:
    x = needs.a_tensor(first, name)
    if x is None:
        return UNKNOWN
    if name in ("log", "sqrt", "rsqrt", "log2", "log10") and x.source and x.fill == "normal":
        raise Misfit("positive values are needed", [Fix(x.source, "fill", "uniform")])
    result = x.computed(x.shape, "float32" if name in TO_FLOAT and not x.is_float else None)
    affine = name.endswith("_norm")  # its further tensors are weights and statistics
    for other in others:
        result = arithmetic.elementwise(result, other) if isinstance(other, Tensor) and not affine else result
    return result
