"""What each layer needs of its input, and the shape of what it gives: one rule a family of layers.

The rules for layers that work on sequences are in `sequence_rules`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import arithmetic, einops, maps, needs, shaping
from .code_values import Layer, LayerCall
from .sequence_rules import SEQUENCE_RULES
from .values import UNKNOWN, Dims, Misfit, Tensor


def _linear(call: LayerCall) -> Any:
    layer, x = call.layer, call.x
    needs.floating(x, layer.dtype, layer.kind)
    needs.axis(x, -1, layer["in_features"], layer.kind)
    return x.computed((*call.shape[:-1], layer.size("out_features")), layer.dtype)


def _bilinear(call: LayerCall) -> Any:
    layer, other = call.layer, call.given.get("input2")
    needs.axis(call.x, -1, layer["in1_features"], layer.kind)
    if isinstance(other, Tensor):
        needs.axis(other, -1, layer["in2_features"], layer.kind)
    return call.x.computed((*call.shape[:-1], layer.size("out_features")))


def _maps(call: LayerCall) -> Dims:
    """Return the spatial sizes of a (batched) map."""
    axes = needs.SPATIAL[call.spatial]
    allowed = (len(axes),) if call.x.lineage else (len(axes), len(axes) - 1)
    needs.rank(call.x, allowed, axes, call.layer.kind)
    return call.shape[-call.spatial :]


def _conv(call: LayerCall) -> Any:
    layer, x, spatial = call.layer, call.x, call.spatial
    needs.floating(x, layer.dtype, layer.kind)
    sizes = _maps(call)
    needs.axis(x, -spatial - 1, layer["in_channels"], layer.kind)
    kernel, stride, dilation, extra = (
        maps.per_axis(layer.config.get(name, default), spatial)
        for name, default in (("kernel_size", 1), ("stride", 1), ("dilation", 1), ("output_padding", 0))
    )
    padding = maps.per_axis({"valid": 0}.get(str(layer["padding"]), layer["padding"]), spatial)
    if layer["padding_mode"] == "reflect" and any(
        p is not None and s is not None and p >= s for p, s in _both(padding, sizes)
    ):
        raise Misfit(f"{layer.kind}: the map is smaller than its padding")
    if layer["padding"] == "same":
        new = list(sizes)
    elif layer.kind.startswith("ConvT"):
        steps = zip(sizes, kernel, stride, padding, dilation, extra, strict=True)
        new = [maps.unconvolved(*one) for one in steps]
    else:
        new = [maps.convolved(*one) for one in zip(sizes, kernel, stride, padding, dilation, strict=True)]
    _not_empty(layer, [*new, layer.size("out_channels")])
    return x.computed((*call.shape[: -spatial - 1], layer.size("out_channels"), *new), layer.dtype)


def _pool(call: LayerCall) -> Any:
    layer, x, spatial = call.layer, call.x, call.spatial
    sizes = _maps(call)
    kernel = maps.per_axis(layer["kernel_size"], spatial)
    stride = kernel if layer["stride"] is None else maps.per_axis(layer["stride"], spatial)
    padding = maps.per_axis(layer.config.get("padding", 0), spatial)
    up = layer.flag("ceil_mode")
    new = [maps.convolved(s, k, d, p, 1, up) for s, k, d, p in zip(sizes, kernel, stride, padding, strict=True)]
    _not_empty(layer, new)
    pooled = x.computed((*call.shape[:-spatial], *new))
    return (pooled, pooled.computed(pooled.shape, "int64")) if layer.flag("return_indices") else pooled


def _adaptive_pool(call: LayerCall) -> Any:
    sizes = _maps(call)
    wanted = call.layer["output_size"]
    new = wanted if isinstance(wanted, (tuple, list)) else (wanted,) * call.spatial
    known = [old if size is None else (size if isinstance(size, int) else None) for size, old in _both(new, sizes)]
    return call.x.computed((*call.shape[: -call.spatial], *known))


def _batch_norm(call: LayerCall) -> Any:
    layer, x = call.layer, call.x
    needs.floating(x, layer.dtype, layer.kind)
    axes = needs.SPATIAL.get(call.spatial, ("B", "F"))
    flat = call.spatial == 1  # BatchNorm1d takes sequences, and plain features as well
    needs.rank(x, (2, 3) if flat else (len(axes),), ("B", "F") if flat else axes, layer.kind)
    needs.axis(x, 1, layer["num_features"], layer.kind)
    if shaping.product([call.shape[0], *call.shape[2:]]) == 1:
        raise Misfit(f"{layer.kind} gets one value for each channel", needs.axis_fixes(x, 0, 4))
    return x.computed(call.shape)


def _instance_norm(call: LayerCall) -> Any:
    layer, x = call.layer, call.x
    sizes = _maps(call)
    if layer.flag("affine"):
        needs.axis(x, -call.spatial - 1, layer["num_features"], layer.kind)
    if shaping.product(sizes) == 1:
        raise Misfit(f"{layer.kind} gets one value for each channel")
    return x.computed(call.shape)


def _group_norm(call: LayerCall) -> Any:
    needs.axis(call.x, 1, call.layer["num_channels"], call.layer.kind)
    return call.x.computed(call.shape)


def _layer_norm(call: LayerCall) -> Any:
    needs.floating(call.x, call.layer.dtype, call.layer.kind)
    shape = call.layer["normalized_shape"]
    sizes = list(shape) if isinstance(shape, (list, tuple)) else [shape]
    needs.rank(call.x, range(len(sizes) + (call.x.lineage is not None), 8), len(sizes) + 1, call.layer.kind)
    for position, size in enumerate(reversed(sizes)):
        needs.axis(call.x, -position - 1, size, call.layer.kind)
    return call.x.computed(call.shape)


def _flatten(call: LayerCall) -> Any:
    return shaping.flatten(call.x, call.layer["start_dim"], call.layer["end_dim"])


def _unflatten(call: LayerCall) -> Any:
    return shaping.unflatten(call.x, call.layer["dim"], call.layer["unflattened_size"])


def _pixel_shuffle(call: LayerCall) -> Any:
    layer = call.layer
    factor = layer.size("upscale_factor") or layer.size("downscale_factor")
    needs.rank(call.x, (3, 4), needs.SPATIAL[2], layer.kind)
    if factor is None:
        return UNKNOWN
    return maps.pixel_shuffle(call.x, factor if layer.kind == "PixelShuffle" else -factor)


def _upsample(call: LayerCall) -> Any:
    return maps.interpolate(call.x, call.layer["size"], call.layer["scale_factor"])


def _pad(call: LayerCall) -> Any:
    sizes = _maps(call)
    padding = call.layer["padding"]
    if (
        call.layer.kind.startswith("Refl")
        and isinstance(padding, int)
        and any(s is not None and padding >= s for s in sizes)
    ):
        raise Misfit(f"{call.layer.kind}: the map is smaller than its padding")
    return maps.pad(call.x, (padding,) * (2 * call.spatial) if isinstance(padding, int) else padding)


def _unfold(call: LayerCall) -> Any:
    return maps.unfold_patches(call.x, *(call.layer[name] for name in ("kernel_size", "dilation", "padding", "stride")))


def _glu(call: LayerCall) -> Any:
    return shaping.halved(call.x, call.layer["dim"])


def _cosine(call: LayerCall) -> Any:
    return arithmetic.reduced(call.x, call.layer["dim"], False)


def _rearrange(call: LayerCall) -> Any:
    return einops.rearranged(call.x, call.layer["pattern"], call.layer["sizes"])


def _not_empty(layer: Layer, sizes: list[int | None]) -> None:
    if any(size is not None and size < 1 for size in sizes):
        raise Misfit(f"{layer.kind}: the map is too small")


def _both(one: Any, other: Any) -> list[tuple[Any, Any]]:
    return list(zip(one, other, strict=False))


RULES: dict[str, Callable[[LayerCall], Any]] = {
    **SEQUENCE_RULES,
    **dict.fromkeys(("Linear", "LazyLinear"), _linear),
    "Bilinear": _bilinear,
    **dict.fromkeys(("Conv", "LazyConv", "ConvTranspose"), _conv),
    **dict.fromkeys(("MaxPool", "AvgPool", "LPPool"), _pool),
    **dict.fromkeys(("AdaptiveAvgPool", "AdaptiveMaxPool"), _adaptive_pool),
    "BatchNorm": _batch_norm,
    "InstanceNorm": _instance_norm,
    "GroupNorm": _group_norm,
    **dict.fromkeys(("LayerNorm", "RMSNorm"), _layer_norm),
    "Flatten": _flatten,
    "Unflatten": _unflatten,
    **dict.fromkeys(("PixelShuffle", "PixelUnshuffle"), _pixel_shuffle),
    **dict.fromkeys(("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"), _upsample),
    **dict.fromkeys(("ReflectionPad", "ReplicationPad", "ZeroPad", "ConstantPad", "CircularPad"), _pad),
    "Unfold": _unfold,
    "GLU": _glu,
    **dict.fromkeys(("Rearrange", "Reduce"), _rearrange),
    "CosineSimilarity": _cosine,
}
