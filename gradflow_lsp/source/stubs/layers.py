"""The layers of `torch.nn`: their arguments, what they need of their inputs, and the shape of what they give."""

from __future__ import annotations

import ast
import functools
import re
from typing import TYPE_CHECKING, Any

from . import arithmetic, layer_checks, maps, modules, needs
from .code_values import ClassValue, External, Layer, LayerCall
from .descent import depending_on
from .guesses import STAND_IN_IDS, StandIn
from .layer_rules import RULES
from .sequence_rules import FORWARDS
from .values import UNKNOWN, Fix, Misfit, Tensor, Text, Unknown

if TYPE_CHECKING:
    from .walker import Walker

CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict")
METHODS = frozenset(("append", "extend", "insert", "items", "keys", "values", "update", "forward", "reset_parameters"))

_CONV = "in_channels out_channels kernel_size stride=1 padding=0 dilation=1 groups=1 bias=True padding_mode='zeros'"
_TRANSPOSED = "in_channels out_channels kernel_size stride=1 padding=0 output_padding=0 groups=1 bias=True dilation=1"
_POOL = "kernel_size stride=None padding=0 dilation=1 return_indices=False ceil_mode=False"
_RNN = "input_size hidden_size num_layers=1 bias=True batch_first=False dropout=0.0 bidirectional=False proj_size=0"
_BLOCK = "d_model nhead dim_feedforward=2048 dropout=0.1 activation='relu' layer_norm_eps=1e-5 batch_first=False"

_SIGNATURES: dict[str, str] = {
    "Linear": "in_features out_features bias=True",
    "LazyLinear": "out_features bias=True",
    "Bilinear": "in1_features in2_features out_features bias=True",
    "Conv": _CONV,
    "LazyConv": _CONV.partition(" ")[2],
    "ConvTranspose": _TRANSPOSED,
    "MaxPool": _POOL,
    "AvgPool": "kernel_size stride=None padding=0 ceil_mode=False",
    "LPPool": "norm_type kernel_size stride=None",
    "AdaptiveAvgPool": "output_size",
    "AdaptiveMaxPool": "output_size",
    "BatchNorm": "num_features eps=1e-5 momentum=0.1 affine=True",
    "SyncBatchNorm": "num_features eps=1e-5 momentum=0.1 affine=True",
    "InstanceNorm": "num_features eps=1e-5 momentum=0.1 affine=False",
    "GroupNorm": "num_groups num_channels eps=1e-5 affine=True",
    "LayerNorm": "normalized_shape eps=1e-5 elementwise_affine=True bias=True",
    "RMSNorm": "normalized_shape eps=None elementwise_affine=True",
    "Embedding": "num_embeddings embedding_dim padding_idx=None",
    "EmbeddingBag": "num_embeddings embedding_dim",
    "RNN": _RNN,
    "LSTM": _RNN,
    "GRU": _RNN,
    "RNNCell": "input_size hidden_size",
    "LSTMCell": "input_size hidden_size",
    "GRUCell": "input_size hidden_size",
    "MultiheadAttention": "embed_dim num_heads dropout=0.0 bias=True add_bias_kv=False add_zero_attn=False kdim=None "
    "vdim=None batch_first=False",
    "TransformerEncoderLayer": _BLOCK,
    "TransformerDecoderLayer": _BLOCK,
    "TransformerEncoder": "encoder_layer num_layers",
    "TransformerDecoder": "decoder_layer num_layers",
    "Transformer": "d_model=512 nhead=8 num_encoder_layers=6 num_decoder_layers=6 dim_feedforward=2048 dropout=0.1 "
    "activation='relu' custom_encoder=None custom_decoder=None layer_norm_eps=1e-5 batch_first=False",
    "Flatten": "start_dim=1 end_dim=-1",
    "Unflatten": "dim unflattened_size",
    "PixelShuffle": "upscale_factor",
    "PixelUnshuffle": "downscale_factor",
    "Upsample": "size=None scale_factor=None mode='nearest' align_corners=None",
    "UpsamplingNearest2d": "size=None scale_factor=None",
    "UpsamplingBilinear2d": "size=None scale_factor=None",
    "ReflectionPad": "padding",
    "ReplicationPad": "padding",
    "ZeroPad": "padding",
    "ConstantPad": "padding value",
    "CircularPad": "padding",
    "Unfold": "kernel_size dilation=1 padding=0 stride=1",
    "GLU": "dim=-1",
    "PReLU": "num_parameters=1",
    "Dropout": "p=0.5 inplace=False",
    "Softmax": "dim=None",
    "LogSoftmax": "dim=None",
    "CosineSimilarity": "dim=1 eps=1e-8",
}
_SAME_SHAPE = frozenset(
    {
        *("ReLU", "ReLU6", "LeakyReLU", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish", "Sigmoid", "Tanh", "Softplus"),
        *("Softsign", "Hardtanh", "Hardswish", "Hardsigmoid", "LogSigmoid", "Tanhshrink", "Threshold", "Softshrink"),
        *("Hardshrink", "RReLU", "Softmin", "Softmax2d", "Identity", "AlphaDropout", "LocalResponseNorm", "Dropout"),
        *("Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"),
    }
)
_LOSSES = re.compile(r"\w+Loss$")
_FAMILY = re.compile(r"(\w+?)([123])d$")


def build(walker: Walker, dotted: str, arguments: list[Any], keywords: dict[str, Any]) -> Layer | None:
    """Return the layer that a constructor of `torch.nn` makes, or `None` where the name is no such constructor."""
    home, _, kind = dotted.rpartition(".")
    if not home.startswith("torch.nn"):
        return None
    if kind in CONTAINERS:
        return _container(walker, kind, arguments)
    return made(kind, arguments, keywords) if _signature(kind) is not None else None


def made(kind: str, arguments: list[Any], keywords: dict[str, Any]) -> Layer:
    """Return a layer of a kind that has a signature, made with these arguments."""
    signature = _signature(kind) or {}
    layer = Layer(kind, {**signature, **dict(zip(signature, arguments, strict=False)), **keywords})
    layer_checks.check(layer, _family(kind)[0])
    return layer


def required_arguments(cls: ClassValue) -> list[str]:
    """Return what must be given to make a class that takes its constructor from a layer of torch."""
    for dotted in cls.external_bases():
        if dotted.startswith("torch.nn."):
            signature = _signature(dotted.rpartition(".")[2]) or {}
            return [name for name, default in signature.items() if isinstance(default, Unknown)]
    return []


def named(home: str, name: Any) -> Any:
    """Return `getattr(torch.nn, name)`; a name that is only nearly right asks for the right one."""
    if home == "torch.nn" and _signature(name) is None and isinstance(name, Text) and name not in CONTAINERS:
        kinds = [kind for kind in (*sorted(_SAME_SHAPE), *_SIGNATURES) if kind.lower() == name.lower()]
        raise Misfit(f"torch.nn has no {name}", [Fix(name.origin.key, "value", kind) for kind in (*kinds, "ReLU")])
    return External(f"{home}.{name}")


def apply(walker: Walker, layer: Layer, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a layer."""
    if layer.kind == "Sequential":
        value = arguments[0] if arguments else UNKNOWN
        for part in layer.children.values():
            value = walker.call(part, [value], {})
        return value
    if _LOSSES.fullmatch(layer.kind):
        return arithmetic.loss(layer.kind, arguments, {**keywords, "reduction": layer["reduction"]})
    if layer.kind == "StandIn":
        return _stand_in(walker, layer, [*arguments, *keywords.values()])
    names = FORWARDS.get(layer.kind, "input hx").split()
    if layer.kind in ("Linear", "Identity") and (len(arguments) + len(keywords) != 1 or keywords.keys() - {"input"}):
        fixes = [Fix(layer.guess, "guess", StandIn())] if layer.guess else []
        raise Misfit(f"{layer.kind} is called with arguments that it does not take", fixes)
    given = dict(zip(names, arguments, strict=False)) | keywords
    tensor = needs.a_tensor(given.get(names[0], UNKNOWN), layer.kind)
    if layer.guess and layer.kind in ("Linear", "Identity") and tensor is not None and tensor.is_integer:
        raise Misfit("a module gets ids", [Fix(layer.guess, "guess", StandIn(ids=True))])
    result = UNKNOWN if tensor is None else forward(layer, tensor, given)
    if isinstance(result, Unknown) and layer.kind in ("RNN", "LSTM", "GRU", "MultiheadAttention"):
        result = (Tensor(None), UNKNOWN)
    owners = () if walker.without_grad else [layer.number, *(one.number for one in modules.layers_in(layer))]
    return depending_on(result, [*arguments, *keywords.values()], owners)


def _stand_in(walker: Walker, layer: Layer, values: list[Any]) -> Any:
    """Call a module of the probe's own: it changes no shape, or makes scores of ids."""
    first = next((value for value in values if isinstance(value, Tensor)), None)
    owners = () if walker.without_grad else (layer.number,)
    if first is None or first.shape is None:
        return depending_on(UNKNOWN, values, owners)
    if first.is_integer and not layer.flag("ids") and layer.guess:
        raise Misfit("a module gets ids", [Fix(layer.guess, "guess", StandIn(ids=True))])
    if not layer.flag("ids"):
        return depending_on(first.computed(first.shape), values, owners)
    needs.ids(first, STAND_IN_IDS, "a module")
    return depending_on(first.computed((*first.shape, STAND_IN_IDS), "float32", offset=1), values, owners)


def forward(layer: Layer, x: Tensor, given: dict[str, Any] | None = None) -> Any:
    """Return what a layer that is no container makes of a tensor."""
    if layer.kind == "Identity":
        return x
    if layer.kind in _SAME_SHAPE or layer.kind in ("Softmax", "LogSoftmax", "PReLU"):
        return x.computed(x.shape)
    name, spatial = _family(layer.kind)
    rule = RULES.get(name)
    return UNKNOWN if rule is None or x.shape is None else rule(LayerCall(layer, x, given or {}, spatial))


def attribute(layer: Layer, name: str) -> Any:
    """Return an attribute of a layer: an argument it was made with, a weight, or what it contains."""
    if name in layer.children:
        return layer.children[name]
    if name in layer.config:
        family, spatial = _family(layer.kind)
        value = layer.config[name]
        is_per_axis = family in ("Conv", "ConvTranspose") and name in ("kernel_size", "stride", "padding", "dilation")
        return maps.per_axis(value, spatial) if is_per_axis and isinstance(value, (int, tuple)) else value
    if name in ("weight", "bias"):
        if name == "bias" and layer.config.get("bias") is False:
            return None
        return depending_on(Tensor(weight_shape(layer, name)), [], {layer.number})
    if name == "training":
        return True
    return UNKNOWN


# how a layer is made


@functools.cache
def _signature(kind: str) -> dict[str, Any] | None:
    name, _ = _family(kind)
    text = _SIGNATURES.get(kind, _SIGNATURES.get(name))
    if text is None:
        return {} if kind in _SAME_SHAPE or _LOSSES.fullmatch(kind) else None
    parts = (part.partition("=") for part in text.split())
    return {name: ast.literal_eval(default) if default else UNKNOWN for name, _, default in parts}


def _family(kind: str) -> tuple[str, int]:
    """Split `Conv2d` into `Conv` and 2; other layers have 0 spatial axes."""
    match = _FAMILY.fullmatch(kind)
    return (match[1], int(match[2])) if match and kind not in _SIGNATURES else (kind, 0)


def _container(walker: Walker, kind: str, arguments: list[Any]) -> Layer:
    only = arguments[0] if len(arguments) == 1 else None
    if isinstance(only, dict):
        return Layer(kind, {}, {str(name): part for name, part in only.items()})
    parts = arguments if kind == "Sequential" else (walker.iterate(only) if only is not None else [])
    return Layer(kind, {}, {str(row): part for row, part in enumerate(parts or ())})


# what layers contain


def weight_shape(layer: Layer, name: str) -> tuple[int | None, ...] | None:
    """Return the shape of a layer's `weight` or `bias`, or `None` where it has none that is known."""
    family, spatial = _family(layer.kind)
    out = layer.size("out_features") or layer.size("out_channels") or layer.size("num_features")
    if name == "bias":
        return (out,)
    if family == "Linear":
        return (out, layer.size("in_features"))
    if family == "Embedding":
        return (layer.size("num_embeddings"), layer.size("embedding_dim"))
    if family == "Conv":
        groups = layer.size("groups") or 1
        kernel = maps.per_axis(layer["kernel_size"], spatial)
        inside = layer.size("in_channels")
        return (out, inside // groups if inside else None, *kernel)
    return (out,) if family in ("BatchNorm", "InstanceNorm") else None
