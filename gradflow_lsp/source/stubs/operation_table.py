"""The rules for tensor functions and methods by name.

A rule has the parameters of its namesake, so that calling it with the call's own arguments binds them right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import arithmetic, creation, indexing, layers, maps, needs, shaping
from .code_values import Layer
from .values import UNKNOWN, DType, Shape, Tensor


def _same_shape(x: Tensor, *rest: Any, **more: Any) -> Tensor:
    return x.computed(x.shape)


def _along(x: Tensor, dim: Any = None, *rest: Any, **more: Any) -> Tensor:
    """`softmax` and others along one axis."""
    if isinstance(dim, int):
        shaping.axis_of(x, dim)
    return x.computed(x.shape, None if x.is_float else "float32")


def _accumulated(x: Tensor, dim: Any = 0, *rest: Any, **more: Any) -> Tensor:
    """`cumsum` and its like: whole numbers stay whole."""
    shaping.axis_of(x, dim)
    return x.computed(x.shape, "int64" if x.dtype == "bool" else None)


def _layer_norm(x: Tensor, normalized_shape: Any, *rest: Any, **more: Any) -> Tensor:
    sizes = list(normalized_shape) if isinstance(normalized_shape, (list, tuple)) else [normalized_shape]
    for position, size in enumerate(reversed(sizes)):
        needs.axis(x, -position - 1, size, "layer_norm")
    return x.computed(x.shape)


def _size(x: Tensor, dim: Any = None) -> Any:
    if dim is None:
        return Shape.of(x)
    found = (x.shape or ())[shaping.axis_of(x, dim)]
    return UNKNOWN if found is None else found


def _detached(x: Tensor) -> Tensor:
    return replace(x, reach=frozenset())


def _itself(x: Any, *rest: Any, **more: Any) -> Any:
    """Functions whose result has the very values of their first argument."""
    return x


def _pooled(kind: str) -> Callable[..., Any]:
    """Return the function of `F` that does what the pooling layer `kind` does."""

    def rule(x: Tensor, *arguments: Any, **keywords: Any) -> Any:
        return layers.forward(layers.made(kind, list(arguments), keywords), x)

    return rule


def _convolution(kind: str, spatial: int) -> Callable[..., Any]:
    """Return the function of `F` that does what the convolution layer `kind` does, with weights handed in."""

    def rule(x: Tensor, weight: Any, bias: Any = None, *arguments: Any, **keywords: Any) -> Any:
        first, second, *kernel = weight.shape
        config: dict[str, Any] = {"kernel_size": tuple(kernel), "padding": 0, "stride": 1, "dilation": 1, "groups": 1}
        config |= dict(zip(("stride", "padding", "dilation", "groups"), arguments, strict=False)) | keywords
        inside, outside = (first, second) if "Transpose" in kind else (shaping.times(second, config["groups"]), first)
        config |= {"in_channels": inside, "out_channels": outside}
        return layers.forward(Layer(f"{kind}{spatial}d", config), x)

    return rule


RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), shaping.transpose),
    "t": lambda x: shaping.transpose(x, 0, 1),
    "permute": shaping.permute,
    **dict.fromkeys(("view", "reshape"), shaping.reshape),
    "view_as": lambda x, other: shaping.reshape(x, *other.shape),
    "flatten": shaping.flatten,
    "unflatten": shaping.unflatten,
    "ravel": shaping.flatten,
    "squeeze": shaping.squeeze,
    "unsqueeze": shaping.unsqueeze,
    "expand": shaping.expand,
    "expand_as": lambda x, other: shaping.expand(x, *other.shape),
    "broadcast_to": shaping.expand,
    **dict.fromkeys(("repeat", "tile"), shaping.repeat),
    "repeat_interleave": shaping.repeat_interleave,
    **dict.fromkeys(("cat", "concat", "concatenate"), shaping.concatenate),
    "stack": shaping.stack,
    "chunk": shaping.chunk,
    "split": shaping.split,
    "unbind": shaping.unbind,
    "select": lambda x, dim, at: indexing.index(x, (*(slice(None),) * shaping.axis_of(x, dim), at)),
    "narrow": lambda x, dim, start, length: indexing.index(
        x, (*(slice(None),) * shaping.axis_of(x, dim), slice(start, start + length))
    ),
    **dict.fromkeys(
        ("sum", "mean", "std", "var", "prod", "amax", "amin", "logsumexp", "nansum", "all", "any"), arithmetic.reduced
    ),
    "norm": lambda x, p=2, dim=None, keepdim=False, **rest: arithmetic.reduced(x, dim, keepdim),
    "vector_norm": lambda x, ord=2, dim=None, keepdim=False, **rest: arithmetic.reduced(x, dim, keepdim),
    **dict.fromkeys(("max", "min", "median", "mode"), arithmetic.extreme),
    **dict.fromkeys(("argmax", "argmin"), arithmetic.indices_of),
    "topk": arithmetic.topk,
    "sort": arithmetic.sort,
    "argsort": lambda x, *rest, **more: x.computed(x.shape, "int64"),
    "var_mean": arithmetic.variance_and_mean,
    "std_mean": arithmetic.variance_and_mean,
    "glu": shaping.halved,
    "cosine_similarity": lambda a, b, dim=1, eps=1e-8: arithmetic.reduced(arithmetic.elementwise(a, b), dim),
    "pairwise_distance": lambda a, b, *rest, **more: arithmetic.reduced(
        arithmetic.elementwise(a, b), -1, more.get("keepdim", False)
    ),
    "gather": indexing.gather,
    "index_select": indexing.index_select,
    "take_along_dim": lambda x, ids, dim: indexing.gather(x, dim, ids),
    **dict.fromkeys(("scatter", "scatter_add", "scatter_reduce", "index_fill"), indexing.scattered),
    **dict.fromkeys(("index_add", "index_copy", "index_reduce"), indexing.index_added),
    "one_hot": indexing.one_hot,
    "embedding": indexing.embedded,
    "where": arithmetic.where,
    "masked_fill": arithmetic.masked_fill,
    "masked_select": lambda x, mask: x.computed((None,), offset=None),
    **dict.fromkeys(("matmul", "mm", "mv", "dot", "spmm", "hspmm", "smm"), arithmetic.matmul),
    "bmm": arithmetic.bmm,
    "baddbmm": lambda x, a, b, **rest: arithmetic.matmul(a, b),
    "addmm": lambda x, a, b, **rest: arithmetic.matmul(a, b),
    "outer": lambda a, b: Tensor(((a.shape or (None,))[0], (b.shape or (None,))[0])),
    "linear": arithmetic.linear,
    "einsum": arithmetic.einsum,
    "scaled_dot_product_attention": arithmetic.attention,
    "interpolate": maps.interpolate,
    "upsample": maps.interpolate,
    "pad": maps.pad,
    "pixel_shuffle": maps.pixel_shuffle,
    "pixel_unshuffle": lambda x, factor: maps.pixel_shuffle(x, -factor),
    "unfold": lambda x, *rest, **more: (
        maps.slid(x, *rest) if len(rest) == 3 and not more else maps.unfold_patches(x, *rest, **more)
    ),
    **{
        f"{name}_pool{n}d": _pooled(f"{kind}{n}d")
        for n in (1, 2, 3)
        for name, kind in (("max", "MaxPool"), ("avg", "AvgPool"), ("adaptive_avg", "AdaptiveAvgPool"))
    },
    **{f"adaptive_max_pool{n}d": _pooled(f"AdaptiveMaxPool{n}d") for n in (1, 2, 3)},
    **{f"conv{n}d": _convolution("Conv", n) for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _convolution("ConvTranspose", n) for n in (1, 2, 3)},
    **dict.fromkeys(("zeros", "ones", "randn", "rand", "empty"), creation.created),
    **dict.fromkeys(
        ("zeros_like", "ones_like", "randn_like", "rand_like", "empty_like", "full_like"), creation.created_like
    ),
    **dict.fromkeys(("new_zeros", "new_ones", "new_empty"), creation.new),
    "randint_like": lambda x, *rest, **more: Tensor(x.shape, "int64"),
    "full": creation.full,
    "new_full": creation.new_full,
    "arange": creation.arange,
    "linspace": creation.linspace,
    "logspace": creation.linspace,
    "eye": creation.eye,
    "randperm": lambda n, **rest: Tensor((n if isinstance(n, int) else None,), "int64"),
    "randint": creation.random_ids,
    **dict.fromkeys(("tensor", "as_tensor", "from_numpy"), creation.tensor_of),
    "new_tensor": lambda x, data, dtype=None, **rest: creation.tensor_of(data, dtype or DType(x.dtype)),
    **dict.fromkeys(("Tensor", "FloatTensor"), creation.uninitialised),
    "LongTensor": lambda data, **rest: replace(creation.tensor_of(data), dtype="int64"),
    "meshgrid": creation.meshgrid,
    **{
        name: creation.cast(dtype)
        for name, dtype in (("float", "float32"), ("double", "float64"), ("long", "int64"), ("int", "int32"))
    },
    **{
        name: creation.cast(dtype)
        for name, dtype in (("bool", "bool"), ("half", "float16"), ("bfloat16", "bfloat16"), ("byte", "uint8"))
    },
    "to": creation.to,
    "type": creation.to,
    "astype": creation.to,
    "type_as": lambda x, other: replace(x, dtype=other.dtype),
    "size": _size,
    "dim": needs.rank_of,
    "ndimension": needs.rank_of,
    "numel": lambda x: shaping.product(x.shape or ()),
    "is_floating_point": lambda x: x.is_float,
    "is_complex": lambda x: x.dtype.startswith("complex"),
    "detach": _detached,
    **dict.fromkeys(("contiguous", "clone", "cuda", "cpu", "requires_grad_", "pin_memory", "coalesce"), _itself),
    **dict.fromkeys(
        ("flip", "roll", "tril", "triu", "rot90", "bernoulli", "masked_scatter", "copy_", "fill_", "zero_"), _same_shape
    ),
    **dict.fromkeys(("uniform_", "normal_", "softmax_"), _same_shape),
    **dict.fromkeys(("softmax", "log_softmax", "gumbel_softmax", "softmin", "logcumsumexp"), _along),
    **dict.fromkeys(("cumsum", "cumprod"), _accumulated),
    **dict.fromkeys(
        ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"),
        lambda x, y: arithmetic.elementwise(x, y, "bool"),
    ),
    **dict.fromkeys(
        ("logical_not", "isnan", "isinf", "isfinite"), lambda x: replace(x.computed(x.shape, "bool"), reach=frozenset())
    ),
    "nonzero": lambda x, **rest: Tensor((None, len(x.shape or ())), "int64"),
    "multinomial": lambda x, n, *rest, **more: Tensor(
        (*(x.shape or ())[:-1], n if isinstance(n, int) else None), "int64"
    ),
    "item": indexing.alone,
    "tolist": lambda x: UNKNOWN,
    "numpy": lambda x, **rest: UNKNOWN,
    "diagonal": lambda x, *rest, **more: x.computed((*(x.shape or ())[:-2], (x.shape or (None,))[-1]), offset=-1),
    "complex": lambda a, b: replace(arithmetic.elementwise(a, b), dtype="complex64"),
    "view_as_complex": lambda x: replace(x.computed((x.shape or ())[:-1], offset=-1), dtype="complex64"),
    "view_as_real": lambda x: replace(x.computed((*(x.shape or ()), 2), offset=1), dtype="float32"),
    "atleast_2d": _itself,
    "movedim": lambda x, a, b: shaping.permute(x, *shaping.moved(len(x.shape or ()), a, b)),
    "grid_sample": lambda x, grid, **rest: x.computed((*(x.shape or ())[:2], *(grid.shape or (None,) * 4)[1:-1])),
    "affine_grid": lambda theta, size, **rest: Tensor((size[0], *size[2:], len(size) - 2)),
    "cdist": lambda a, b, *rest, **more: a.computed((*(a.shape or ())[:-1], (b.shape or (None, None))[-2])),
    "local_response_norm": _same_shape,
    **dict.fromkeys(("layer_norm", "rms_norm"), _layer_norm),
}
