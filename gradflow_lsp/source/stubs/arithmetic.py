"""Arithmetic on shapes: what two tensors make together, and what is left when an axis is reduced away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from . import needs
from .descent import depending_on, dtype_of_both
from .guesses import TensorGuess
from .shaping import axis_of
from .values import UNKNOWN, Dims, DType, Fix, Misfit, Nothing, Record, Tensor, origin_of
from .words import AXES


def elementwise(left: Any, right: Any, dtype: str | None = None, divides: bool = False) -> Tensor:
    """Return what an operation on two tensors, or a tensor and a number, gives."""
    for value in (left, right):
        if isinstance(value, (Nothing, Record)) or (isinstance(value, str) and origin_of(value)):
            origin = origin_of(value)
            what = "given" if isinstance(value, Nothing) else "number"
            raise Misfit("a number or tensor is needed", [Fix(origin.key, what)] if origin else [])
    one, other = (left, right) if isinstance(left, Tensor) else (right, left)
    result_type = dtype or dtype_of_both(one, other, divides)
    if not isinstance(other, Tensor):
        return depending_on(one.computed(one.shape, result_type), [one])  # type: ignore[no-any-return]
    shape = broadcast(left, right)
    longest = one if one.shape is None or (other.shape is not None and len(one.shape) >= len(other.shape)) else other
    result = depending_on(longest.computed(shape, result_type), [left, right])
    return replace(result, reach=frozenset()) if dtype == "bool" else result  # type: ignore[no-any-return]


def broadcast(left: Tensor, right: Tensor) -> Dims | None:
    """Return the shape of `left + right`."""
    if left.shape is None or right.shape is None:
        return None
    rank = max(len(left.shape), len(right.shape))
    for one, other in ((left, right), (right, left)):
        scales = len(other.shape or ()) > 2 and set((other.shape or ())[1:]) == {1}
        if scales and one.source and len(one.shape or ()) < len(other.shape or ()):
            raise Misfit(f"a factor for {rank} axes meets fewer", [_same_rank(one, other)])
    sizes: list[int | None] = []
    for position in range(-rank, 0):
        a = left.shape[position] if -position <= len(left.shape) else 1
        b = right.shape[position] if -position <= len(right.shape) else 1
        if a is None or b is None:
            sizes.append(b if a is None or a == 1 else a)
        elif a == b or b == 1:
            sizes.append(a)
        elif a == 1:
            sizes.append(b)
        else:
            fixes = needs.meeting(a, b)
            more = [_same_rank(left, right), _same_rank(right, left), _same_rank(left, right, lower=True)]
            more.append(_same_rank(right, left, lower=True))
            raise Misfit(f"sizes {a} and {b} meet in one axis", [*more, *fixes])
    return tuple(sizes)


def _same_rank(tensor: Tensor, other: Tensor, lower: bool = False) -> Fix | None:
    """Return the change that gives a tensor of fewer axes as many as another has, or with `lower` one of more."""
    mine, wanted = len(tensor.shape or ()), len(other.shape or ())
    return needs.rank_fix(tensor, wanted) if (mine > wanted if lower else mine < wanted) else None


def inverted(x: Tensor) -> Tensor:
    """Return `~x`."""
    needs.truths(x, "the inversion")
    return x.computed(x.shape)


def matmul(left: Any, right: Any) -> Any:
    """Return `left @ right`."""
    for one, other in ((left, right), (right, left)):
        origin = origin_of(one)
        if (
            isinstance(one, (int, float))
            and origin is not None
            and origin.what == "value"
            and isinstance(other, Tensor)
        ):
            size = (other.shape or (None,))[-2 if one is left and len(other.shape or ()) > 1 else -1]
            dims = (int(size or AXES["F"]),) * 2
            raise Misfit("a matrix product needs matrices", [Fix(origin.key, "guess", TensorGuess(dims))])
    if not isinstance(left, Tensor) or not isinstance(right, Tensor) or left.shape is None or right.shape is None:
        return depending_on(UNKNOWN, [left, right])
    a, b = left.shape, right.shape
    if not a or not b:
        raise Misfit("a matrix product needs matrices", [needs.rank_fix(left, 2), needs.rank_fix(right, 2)])
    inner = b[-2] if len(b) > 1 else b[-1]
    if a[-1] is not None and inner is not None and a[-1] != inner:
        raise Misfit(f"a matrix product of {a[-1]} and {inner}", needs.meeting(a[-1], inner))
    batch = broadcast(replace(left, shape=a[:-2]), replace(right, shape=b[:-2])) or ()
    tail = (*((a[-2],) if len(a) > 1 else ()), *((b[-1],) if len(b) > 1 else ()))
    longest = left if len(a) >= len(b) else right
    keeps_rank = len(batch) + len(tail) == len(longest.shape or ())
    return depending_on(longest.computed((*batch, *tail), offset=0 if keeps_rank else None), [left, right])


def bmm(left: Tensor, right: Any) -> Any:
    """`torch.bmm`."""
    for one in (left, right):
        if isinstance(one, Tensor):
            needs.rank(one, (3,), 3, "bmm")
    return matmul(left, right)


def linear(x: Tensor, weight: Any, bias: Any = None) -> Tensor:
    """`F.linear`."""
    needs.floating(x, "float32", "linear")
    out, inside = weight.shape if isinstance(weight, Tensor) and weight.shape else (None, None)
    needs.axis(x, -1, inside, "linear")
    return x.computed((*(x.shape or ())[:-1], out))


def einsum(equation: Any, *operands: Any) -> Any:
    """`torch.einsum`."""
    tensors = list(operands[0]) if operands and isinstance(operands[0], (list, tuple)) else list(operands)
    if not isinstance(equation, str) or "..." in equation or "->" not in equation:
        return UNKNOWN
    left, _, right = equation.replace(" ", "").partition("->")
    sizes: dict[str, Any] = {}
    for letters, tensor in zip(left.split(","), tensors, strict=True):
        origin = origin_of(tensor)
        if isinstance(tensor, (int, float)) and origin is not None and origin.what == "value":
            dims = tuple(int(sizes.get(letter) or AXES["F"]) for letter in letters)
            raise Misfit("einsum needs a tensor", [Fix(origin.key, "guess", TensorGuess(dims))])
        if not isinstance(tensor, Tensor) or tensor.shape is None:
            continue
        needs.rank(tensor, (len(letters),), len(letters), "einsum")
        for letter, size in zip(letters, tensor.shape, strict=True):
            known = sizes.setdefault(letter, size)
            if known is not None and size is not None and known != size:
                raise Misfit(f"einsum: {letter} is {known} and {size}", needs.meeting(size, known))
    return Tensor(tuple(sizes.get(letter) for letter in right))


def attention(query: Tensor, key: Any, value: Any, *rest: Any, **more: Any) -> Tensor:
    """`F.scaled_dot_product_attention`."""
    width = value.shape[-1] if isinstance(value, Tensor) and value.shape else None
    return query.computed((*(query.shape or ())[:-1], width))


def where(condition: Any, left: Any = 0, right: Any = 0, **more: Any) -> Any:
    """`torch.where`."""
    if isinstance(condition, Tensor):
        needs.truths(condition, "where")
    result = condition
    for value in (left, right):
        result = elementwise(result, value) if isinstance(value, Tensor) else result
    dtype = next((one.dtype for one in (left, right) if isinstance(one, Tensor)), "float32")
    return replace(result, dtype=dtype, source=None)


def masked_fill(x: Tensor, mask: Any, value: Any = 0) -> Tensor:
    """`Tensor.masked_fill`."""
    if isinstance(mask, Tensor):
        needs.truths(mask, "masked_fill")
        needs.hiding_nothing(mask)
        broadcast(x, mask)
    return x.computed(x.shape)


def reduced(x: Tensor, dim: Any = None, keepdim: Any = False, *rest: Any, axis: Any = None, **more: Any) -> Tensor:
    """`torch.sum`, `torch.mean` and their like."""
    dim = dim if axis is None else axis
    shape = x.shape or ()
    if dim is None or isinstance(dim, DType):
        return x.computed((), offset=None)
    gone = {axis_of(x, one) for one in (dim if isinstance(dim, (tuple, list)) else (dim,))}
    if keepdim is True:
        return x.computed(tuple(1 if at in gone else size for at, size in enumerate(shape)))
    return x.computed(tuple(size for at, size in enumerate(shape) if at not in gone), offset=-len(gone))


def extreme(x: Tensor, dim: Any = None, keepdim: Any = False, *rest: Any, other: Any = None) -> Any:
    """`torch.max`, `torch.min` and others that give values and indices when an axis is named."""
    if isinstance(dim, Tensor) or isinstance(other, Tensor):
        return elementwise(x, dim if isinstance(dim, Tensor) else other)
    values = reduced(x, dim, keepdim)
    return values if dim is None else (values, values.computed(values.shape, "int64"))


def indices_of(x: Tensor, dim: Any = None, keepdim: Any = False) -> Tensor:
    """`torch.argmax` and `argmin`: no gradient passes."""
    return replace(reduced(x, dim, keepdim), dtype="int64", reach=frozenset())


def topk(x: Tensor, k: Any, dim: Any = -1, *rest: Any, **more: Any) -> tuple[Tensor, Tensor]:
    """`torch.topk`."""
    at, shape = axis_of(x, dim), x.shape or ()
    size = shape[at]
    if isinstance(k, int) and size is not None and k > size:
        raise Misfit(f"the {k} largest of {size}", [*needs.axis_fixes(x, at, 2 * k), *needs.value_fixes(k, size)])
    values = x.computed((*shape[:at], k if isinstance(k, int) else None, *shape[at + 1 :]))
    return values, replace(values, dtype="int64", reach=frozenset())


def sort(x: Tensor, dim: Any = -1, *rest: Any, **more: Any) -> tuple[Tensor, Tensor]:
    """`torch.sort`."""
    return x.computed(x.shape), x.computed(x.shape, "int64")


def variance_and_mean(x: Tensor, *rest: Any, **more: Any) -> tuple[Tensor, Tensor]:
    """`torch.var_mean`."""
    one = reduced(x, *rest, **more)
    return one, one


def loss(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a loss function: what its target has to be, and that it gives one number."""
    given = dict(zip(("input", "target"), arguments, strict=False)) | keywords
    x = given.get("input")
    target = needs.a_tensor(given.get("target", UNKNOWN), name)
    by_class = name.replace("_", "").lower() in ("crossentropy", "nllloss", "crossentropyloss")
    if isinstance(x, Tensor) and x.shape is not None and target is not None and target.shape is not None:
        if by_class and (target.is_integer or target.source):
            needs.ids(target, x.shape[1] if len(x.shape) > 1 else x.shape[0], name)
            wanted: Dims = (x.shape[0], *x.shape[2:]) if len(x.shape) > 1 else ()
            _same_sizes(target, wanted, name)
        elif not by_class and "margin" not in name and "embedding" not in name and "ctc" not in name.lower():
            needs.floating(target, x.dtype, name)
            if "binary" in name or "bce" in name.lower() or "loss" in name.lower():
                _same_sizes(target, x.shape, name)
    if isinstance(x, Tensor) and x.shape is not None and "ctc" in name.lower():
        needs.rank(x, (2, 3), ("T", "B", "F"), name)
        given |= dict(zip(("input", "target", "input_lengths", "target_lengths"), arguments, strict=False))
        for lengths in (given.get("input_lengths"), given.get("target_lengths")):
            if isinstance(lengths, Tensor) and len(x.shape) == 3:
                needs.rank(lengths, (1,), ("B",), name)
                needs.axis(lengths, 0, x.shape[1], name)
    everything = [*arguments, *keywords.values()]
    kept = keywords.get("reduction")
    shape: Dims | None = () if kept != "none" else (x.shape if isinstance(x, Tensor) and not by_class else None)
    return depending_on(Tensor(shape), everything)


def _same_sizes(tensor: Tensor, wanted: Dims, what: str) -> None:
    shape = tensor.shape or ()
    if len(shape) != len(wanted):
        sizes = tuple(str(size) for size in wanted)
        fix = (
            Fix(tensor.source, "dims", tuple(int(one) for one in wanted if one is not None)) if tensor.source else None
        )
        raise Misfit(f"{what} needs {len(sizes)} axes", [fix, needs.rank_fix(tensor, len(wanted))])
    for position, size in enumerate(wanted):
        needs.axis(tensor, position, size, what)
