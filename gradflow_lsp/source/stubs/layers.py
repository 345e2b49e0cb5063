"""The layers of `torch.nn`: their arguments, what they need of their inputs, and the shape of what they give."""

from __future__ import annotations

import ast
import functools
import re
from typing import TYPE_CHECKING, Any

from . import arithmetic, maps, needs, objects
from .descent import depending_on
from .layer_rules import RULES
from .sequence_rules import FORWARDS
from .values import (
    UNKNOWN,
    ClassValue,
    External,
    Fix,
    Instance,
    Layer,
    LayerCall,
    Misfit,
    Nothing,
    Size,
    Super,
    Tensor,
    Text,
    Unknown,
    origin_of,
)

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
_WIDTHS = frozenset(
    {
        *(
            "in_features",
            "out_features",
            "in_channels",
            "out_channels",
            "num_features",
            "num_channels",
            "num_embeddings",
        ),
        *(
            "embedding_dim",
            "embed_dim",
            "input_size",
            "hidden_size",
            "d_model",
            "nhead",
            "num_heads",
            "dim_feedforward",
        ),
        *("kernel_size"),
    }
)
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
    _check(layer)
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
    names = FORWARDS.get(layer.kind, "input hx").split()
    given = dict(zip(names, arguments, strict=False)) | keywords
    tensor = needs.a_tensor(given.get(names[0], UNKNOWN), layer.kind)
    result = UNKNOWN if tensor is None else forward(layer, tensor, given)
    if isinstance(result, Unknown) and layer.kind in ("RNN", "LSTM", "GRU", "MultiheadAttention"):
        result = (Tensor(None), UNKNOWN)
    owners = () if walker.without_grad else [layer.number, *(one.number for one in _layers_in(layer))]
    return depending_on(result, [*arguments, *keywords.values()], owners)


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
        return layer.config[name]
    if name in ("weight", "bias"):
        if name == "bias" and layer.config.get("bias") is False:
            return None
        return depending_on(Tensor(_weight_shape(layer, name)), [], {layer.number})
    if name == "training":
        return True
    return UNKNOWN


def module_method(walker: Walker, owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a method that every module, or a container, has."""
    instance = owner.me if isinstance(owner, Super) else owner
    layer = instance.base if isinstance(instance, Instance) else instance
    match name:
        case "__init__" if isinstance(instance, Instance):
            objects.init_base(walker, instance, arguments, keywords)
            return None
        case "forward" | "__call__" if layer is not None:
            return apply(walker, layer, arguments, keywords)
        case "modules" | "children" | "named_modules" | "named_children":
            found = list(_parts(instance))
            inside = [part for part in found if isinstance(part, (Layer, Instance))]
            if name.endswith("modules"):
                inside = [instance, *(deep for part in inside for deep in _all_modules(part))]
            return [(f"part{row}", part) for row, part in enumerate(inside)] if name.startswith("named") else inside
        case "parameters" | "named_parameters":
            tensors = [
                attribute(m, "weight") for m in _all_modules(instance) if isinstance(m, Layer) and _has_weight(m)
            ]
            return [(f"{row}.weight", one) for row, one in enumerate(tensors)] if name.startswith("named") else tensors
        case "register_buffer" | "register_parameter" | "add_module" | "register_module":
            given = [*arguments, *keywords.values()]
            if len(given) >= 2 and isinstance(given[0], str):
                objects.set_attribute(walker, instance, str(given[0]), given[1])
            return None
        case "apply":
            for module in _all_modules(instance):
                walker.call(arguments[0], [module], {})
            return instance
        case "double":
            for module in _all_modules(instance):
                if isinstance(module, Layer):
                    module.config["dtype"] = "float64"
            return instance
        case "to" | "float" | "half" | "cuda" | "cpu" | "train" | "eval" | "requires_grad_":
            return instance
    return _container_method(walker, layer, name, arguments) if isinstance(layer, Layer) else UNKNOWN


def child(layer: Layer, index: Any) -> Any:
    """Return `container[index]`."""
    values = list(layer.children.values())
    if isinstance(index, slice):
        try:
            part = dict(list(layer.children.items())[index])
        except (TypeError, ValueError):
            return UNKNOWN
        return Layer(layer.kind, dict(layer.config), part)
    if layer.kind.endswith("Dict"):
        return layer.children.get(index, UNKNOWN) if isinstance(index, str) else UNKNOWN
    return values[index] if isinstance(index, int) and -len(values) <= index < len(values) else UNKNOWN


def elements(layer: Layer) -> list[Any] | None:
    """Return what a loop over a container gives."""
    if layer.kind not in CONTAINERS:
        return None
    return list(layer.children) if layer.kind.endswith("Dict") else list(layer.children.values())


def copied(value: Any) -> Any:
    """Return a deep copy: the same layers, with parameters of their own."""
    if isinstance(value, Layer):
        return Layer(value.kind, dict(value.config), {name: copied(part) for name, part in value.children.items()})
    if isinstance(value, Instance):
        twin = Instance(value.cls, {name: copied(part) for name, part in value.attributes.items()})
        twin.base = copied(value.base) if value.base else None
        return twin
    if isinstance(value, list):
        return [copied(part) for part in value]
    return value


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


def _check(layer: Layer) -> None:
    """Raise a misfit for arguments that the layer's own constructor would refuse."""
    name, _ = _family(layer.kind)
    pairs = {
        "MultiheadAttention": [("embed_dim", "num_heads")],
        "TransformerEncoderLayer": [("d_model", "nhead")],
        "TransformerDecoderLayer": [("d_model", "nhead")],
        "GroupNorm": [("num_channels", "num_groups")],
        "Conv": [("in_channels", "groups"), ("out_channels", "groups")],
        "ConvTranspose": [("in_channels", "groups"), ("out_channels", "groups")],
    }
    for whole, part in pairs.get(name, ()):
        size, parts = layer.size(whole), layer.size(part)
        if parts is not None and parts < 1:
            raise Misfit(f"{layer.kind} gets {parts} for {part}", needs.value_fixes(layer[part], 1))
        if size is not None and parts and size % parts:
            fixes = [
                fix for number in (4, 2, 1) if size % number == 0 for fix in needs.value_fixes(layer[part], number)
            ]
            fixes += needs.value_fixes(layer[whole], -(-size // parts) * parts)
            raise Misfit(f"{layer.kind}: {part} does not divide {whole}", fixes)
    for argument, value in layer.config.items():
        if argument in _WIDTHS and isinstance(value, Text):
            raise Misfit(f"{layer.kind} needs a number for {argument}", [Fix(value.origin.key, "number")])
        if argument in _WIDTHS and isinstance(value, Nothing):
            raise Misfit(f"{layer.kind} needs a number for {argument}", [Fix(value.key, "given")])
        if argument in _WIDTHS and isinstance(value, int) and value < (argument == "kernel_size"):
            fixes = (
                [Fix(value.origin.key, "number")] if isinstance(value, Size) and value.origin.what == "value" else []
            )
            raise Misfit(f"{layer.kind} gets {value} for {argument}", fixes)
        is_share = argument == "dropout" or (argument == "p" and "Dropout" in layer.kind)
        if is_share and isinstance(value, (int, float)) and not 0 <= value <= 1:
            origin = origin_of(value)
            raise Misfit(f"{layer.kind} gets {value} for {argument}", [Fix(origin.key, "value", 0.1)] if origin else [])


# what layers contain


def _parts(module: Any) -> list[Any]:
    if isinstance(module, Instance):
        inherited = list(module.base.children.values()) if module.base else []
        own = [part for part in module.attributes.values() if not any(part is one for one in inherited)]
        return [*inherited, *own]
    return list(module.children.values()) if isinstance(module, Layer) else []


def _all_modules(module: Any) -> list[Any]:
    """Return a module and everything in it; what an instance inherits from a layer comes as that layer."""
    found = [module]
    if isinstance(module, Instance) and module.base is not None and not module.base.children:
        found.append(module.base)
    for part in _parts(module):
        if isinstance(part, (Layer, Instance)):
            found.extend(_all_modules(part))
    return found


def _container_method(walker: Walker, layer: Layer, name: str, arguments: list[Any]) -> Any:
    match name:
        case "append":
            layer.children[str(len(layer.children))] = arguments[0]
            return layer
        case "extend":
            for part in walker.iterate(arguments[0]) or ():
                layer.children[str(len(layer.children))] = part
            return layer
        case "insert":
            values = list(layer.children.values())
            values.insert(arguments[0] if isinstance(arguments[0], int) else 0, arguments[1])
            layer.children = {str(row): part for row, part in enumerate(values)}
        case "update" if isinstance(arguments[0], dict):
            layer.children.update({str(key): part for key, part in arguments[0].items()})
        case "items":
            return list(layer.children.items())
        case "keys":
            return list(layer.children)
        case "values":
            return list(layer.children.values())
    return UNKNOWN


def _has_weight(layer: Layer) -> bool:
    return _weight_shape(layer, "weight") is not None


def _weight_shape(layer: Layer, name: str) -> tuple[int | None, ...] | None:
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


def _layers_in(layer: Layer) -> list[Layer]:
    return [part for part in _all_modules(layer)[1:] if isinstance(part, Layer)]
