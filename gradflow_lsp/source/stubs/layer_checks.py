"""What the constructors of layers refuse, and which guesses to change so that they do not."""

from __future__ import annotations

from . import needs
from .code_values import Layer
from .values import Fix, Items, Misfit, Nothing, Record, Size, Text, origin_of

_WIDTHS = frozenset(
    {
        *("in_features", "out_features", "in_channels", "out_channels", "num_features", "num_channels"),
        *("num_embeddings", "embedding_dim", "embed_dim", "input_size", "hidden_size", "d_model", "nhead"),
        *("num_heads", "dim_feedforward", "kernel_size"),
    }
)


def check(layer: Layer, family: str) -> None:
    """Raise a misfit for arguments that the layer's own constructor would refuse."""
    pairs = {
        "MultiheadAttention": [("embed_dim", "num_heads")],
        "TransformerEncoderLayer": [("d_model", "nhead")],
        "TransformerDecoderLayer": [("d_model", "nhead")],
        "GroupNorm": [("num_channels", "num_groups")],
        "Conv": [("in_channels", "groups"), ("out_channels", "groups")],
        "ConvTranspose": [("in_channels", "groups"), ("out_channels", "groups")],
    }
    for whole, part in pairs.get(family, ()):
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
        origin = origin_of(value)
        if argument in _WIDTHS and isinstance(value, (float, Text, Nothing, Record, Items)) and origin is not None:
            what = "given" if isinstance(value, Nothing) else "number"
            if not (argument == "kernel_size" and isinstance(value, Items)):
                raise Misfit(f"{layer.kind} needs a number for {argument}", [Fix(origin.key, what)])
        if argument in _WIDTHS and isinstance(value, int) and value < (argument == "kernel_size"):
            fixes = (
                [Fix(value.origin.key, "number")] if isinstance(value, Size) and value.origin.what == "value" else []
            )
            raise Misfit(f"{layer.kind} gets {value} for {argument}", fixes)
        if argument in _WIDTHS and isinstance(value, float):
            raise Misfit(f"{layer.kind} needs a whole number for {argument}")
        is_share = argument == "dropout" or (argument == "p" and "Dropout" in layer.kind)
        if is_share and isinstance(value, (int, float)) and not 0 <= value <= 1:
            raise Misfit(f"{layer.kind} gets {value} for {argument}", [Fix(origin.key, "value", 0.1)] if origin else [])
