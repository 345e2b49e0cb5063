"""What every module can do, whatever it is: list its parts, take new ones, be copied."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from . import classes, layers, objects
from .code_values import Instance, Layer, Super
from .values import UNKNOWN, Tensor

if TYPE_CHECKING:
    from .walker import Walker


_LEARNS = re.compile(
    r"Linear|Bilinear|Conv|BatchNorm|GroupNorm|LayerNorm|RMSNorm|Embedding|RNN|LSTM|GRU|Multihead|Transformer|PReLU|StandIn"
)


def module_method(walker: Walker, owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a method that every module, or a container, has."""
    instance = owner.me if isinstance(owner, Super) else owner
    layer = instance.base if isinstance(instance, Instance) else instance
    match name:
        case "__init__" if isinstance(instance, Instance):
            classes.init_base(walker, instance, arguments, keywords)
            return None
        case "forward" | "__call__" if layer is not None:
            return layers.apply(walker, layer, arguments, keywords)
        case "modules" | "children" | "named_modules" | "named_children":
            found = list(_parts(instance))
            inside = [part for part in found if isinstance(part, (Layer, Instance))]
            if name.endswith("modules"):
                inside = [instance, *(deep for part in inside for deep in all_modules(part))]
            return [(f"part{row}", part) for row, part in enumerate(inside)] if name.startswith("named") else inside
        case "parameters" | "named_parameters":
            tensors = [
                layers.attribute(m, "weight") for m in all_modules(instance) if isinstance(m, Layer) and _has_weight(m)
            ]
            return [(f"{row}.weight", one) for row, one in enumerate(tensors)] if name.startswith("named") else tensors
        case "register_buffer" | "register_parameter" | "add_module" | "register_module":
            given = [*arguments, *keywords.values()]
            if len(given) >= 2 and isinstance(given[0], str):
                objects.set_attribute(walker, instance, str(given[0]), given[1])
            return None
        case "save_hyperparameters" if isinstance(instance, Instance):
            kept = {key: value for key, value in walker.names_here().items() if value is not instance}
            instance.attributes["hparams"] = Instance(instance.cls, kept)
        case "apply":
            for module in all_modules(instance):
                walker.call(arguments[0], [module], {})
            return instance
        case "double":
            for module in all_modules(instance):
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
    if layer.kind not in layers.CONTAINERS:
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


def _parts(module: Any) -> list[Any]:
    if isinstance(module, Instance):
        inherited = list(module.base.children.values()) if module.base else []
        own = [part for part in module.attributes.values() if not any(part is one for one in inherited)]
        return [*inherited, *own]
    return list(module.children.values()) if isinstance(module, Layer) else []


def all_modules(module: Any) -> list[Any]:
    """Return a module and everything in it; what an instance inherits from a layer comes as that layer."""
    found = [module]
    if isinstance(module, Instance) and module.base is not None and not module.base.children:
        found.append(module.base)
    for part in _parts(module):
        if isinstance(part, (Layer, Instance)):
            found.extend(all_modules(part))
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


def owners(module: Any) -> frozenset[int]:
    """Return the numbers of the layers and parameters in a module that a gradient can reach."""
    found: set[int] = set()
    for part in all_modules(module):
        if isinstance(part, Layer) and _LEARNS.match(part.kind):
            found.add(part.number)
        held = part.attributes if isinstance(part, Instance) else part.children if isinstance(part, Layer) else {}
        found.update(*(value.reach for value in held.values() if isinstance(value, Tensor)))
    return frozenset(found)


def count_parameters(module: Any) -> int:
    """Return about how many numbers a module learns."""
    total = 0
    for part in all_modules(module):
        if isinstance(part, Layer):
            total += _weights(part)
        held = part.attributes if isinstance(part, Instance) else part.children if isinstance(part, Layer) else {}
        own = [value.shape for value in held.values() if isinstance(value, Tensor) and value.reach]
        total += sum(math.prod(size or 1 for size in shape) for shape in own if shape)
    return total


def _weights(layer: Layer) -> int:
    match layer.kind:
        case "RNN" | "LSTM" | "GRU":
            hidden, count = layer.size("hidden_size") or 0, layer.size("num_layers") or 1
            gates = {"RNN": 1, "GRU": 3}.get(layer.kind, 4)
            return gates * hidden * ((layer.size("input_size") or 0) + hidden * (2 * count - 1))
        case "MultiheadAttention":
            return 4 * (layer.size("embed_dim") or 0) ** 2
        case "TransformerEncoderLayer" | "TransformerDecoderLayer":
            width = layer.size("d_model") or 0
            return width * (6 * width + 2 * (layer.size("dim_feedforward") or 0))
        case "TransformerEncoder" | "TransformerDecoder":
            inner = layer.config.get("encoder_layer", layer.config.get("decoder_layer"))
            return (layer.size("num_layers") or 1) * (_weights(inner) if isinstance(inner, Layer) else 0)
    return math.prod(size or 1 for size in layers.weight_shape(layer, "weight") or (0,))


def _has_weight(layer: Layer) -> bool:
    return layers.weight_shape(layer, "weight") is not None


def layers_in(layer: Layer) -> list[Layer]:
    """Return the layers inside a container."""
    return [part for part in all_modules(layer)[1:] if isinstance(part, Layer)]
