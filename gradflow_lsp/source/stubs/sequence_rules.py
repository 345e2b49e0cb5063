"""The rules for layers that work on sequences: embeddings, recurrent layers, attention, transformers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import needs
from .code_values import Layer, LayerCall
from .guesses import Several, TensorGuess
from .values import Dims, Fix, Misfit, Tensor

FORWARDS: dict[str, str] = {
    "EmbeddingBag": "input offsets per_sample_weights",
    "Bilinear": "input1 input2",
    "MultiheadAttention": "query key value key_padding_mask need_weights attn_mask",
    "TransformerEncoderLayer": "src src_mask src_key_padding_mask is_causal",
    "TransformerEncoder": "src mask src_key_padding_mask is_causal",
    "TransformerDecoderLayer": "tgt memory tgt_mask memory_mask tgt_key_padding_mask memory_key_padding_mask",
    "TransformerDecoder": "tgt memory tgt_mask memory_mask tgt_key_padding_mask memory_key_padding_mask",
    "Transformer": "src tgt src_mask tgt_mask memory_mask src_key_padding_mask tgt_key_padding_mask "
    "memory_key_padding_mask",
}
"""The arguments of a layer's forward; of the others `input hx`."""


def _embedding(call: LayerCall) -> Any:
    layer, x = call.layer, call.x
    needs.ids(x, layer["num_embeddings"], layer.kind)
    if layer.kind == "EmbeddingBag":
        starts = call.given.get("offsets")
        if isinstance(starts, Tensor) and starts.shape is not None:
            return Tensor((_bags(x, starts), layer.size("embedding_dim")), layer.dtype)
        return x.computed((*call.shape[:1], layer.size("embedding_dim")), layer.dtype)
    return x.computed((*call.shape, layer.size("embedding_dim")), layer.dtype, offset=1)


def _bags(ids: Tensor, starts: Tensor) -> int | None:
    """Return how many bags `starts` makes of a row of ids: it holds where each one begins, the first at 0."""
    needs.rank(ids, (1,), ("T",), "EmbeddingBag")
    needs.rank(starts, (1,), ("B",), "EmbeddingBag")
    needs.ids(starts, None, "EmbeddingBag")
    if starts.source and starts.fill != "zeros":
        raise Misfit("the first bag begins at 0", [Fix(starts.source, "fill", "zeros")])
    return (starts.shape or (None,))[0]


def _recurrent(call: LayerCall) -> Any:
    layer, x = call.layer, call.x
    needs.floating(x, layer.dtype, layer.kind)
    batch_first = layer.flag("batch_first")
    needs.rank(x, (3,) if x.lineage else (2, 3), _axes(batch_first), layer.kind)
    needs.axis(x, -1, layer["input_size"], layer.kind)
    hidden, count = layer.size("hidden_size"), layer.size("num_layers")
    directions = 2 if layer.flag("bidirectional") else 1
    batch = (call.shape[0 if batch_first else 1],) if len(call.shape) == 3 else ()
    states: Dims = (count * directions if count else None, *batch, hidden)
    _check_state(call.given.get("hx"), states, is_pair=layer.kind == "LSTM")
    out = x.computed((*call.shape[:-1], hidden * directions if hidden else None))
    last = x.computed(states, offset=None)
    return out, ((last, last) if layer.kind == "LSTM" else last)


def _cell(call: LayerCall) -> Any:
    layer, x = call.layer, call.x
    needs.floating(x, layer.dtype, layer.kind)
    needs.rank(x, (1, 2), 2, layer.kind)
    needs.axis(x, -1, layer["input_size"], layer.kind)
    state = (*call.shape[:-1], layer.size("hidden_size"))
    _check_state(call.given.get("hx"), state, is_pair=layer.kind == "LSTMCell")
    new = x.computed(state)
    return (new, new) if layer.kind == "LSTMCell" else new


def _check_state(given: Any, shape: Dims, is_pair: bool) -> None:
    if isinstance(given, Tensor) and is_pair and given.source:
        raise Misfit("an LSTM needs two states", [Fix(given.source, "guess", Several(2, "tuple"))])
    for one in given if isinstance(given, (list, tuple)) else [given]:
        if not isinstance(one, Tensor) or one.shape is None or None in shape:
            continue
        same_rank = len(one.shape) == len(shape)
        wrong = [at for at, size in enumerate(shape) if same_rank and one.shape[at] not in (None, size)]
        if same_rank and not wrong:
            continue
        wanted = TensorGuess(tuple(int(size) for size in shape if size is not None))
        fixes = [Fix(one.source, "guess", wanted)] if one.source else []
        fixes += [fix for at in wrong if not one.source for fix in needs.axis_fixes(one, at, shape[at])]
        raise Misfit("a recurrent layer gets a state of another shape", fixes)


def _attention(call: LayerCall) -> Any:
    layer, x = call.layer, call.x
    batch_first = layer.flag("batch_first")
    key, value = (call.given.get(name) for name in ("key", "value"))
    for tensor, size in ((x, None), (key, layer["kdim"]), (value, layer["vdim"])):
        if isinstance(tensor, Tensor) and tensor.shape is not None:
            needs.rank(tensor, (2, 3), _axes(batch_first), layer.kind)
            needs.axis(tensor, -1, layer["embed_dim"] if size is None else size, layer.kind)
    keys = key if isinstance(key, Tensor) else x
    for other, one, shared in ((keys, x, "batch"), (value, keys, "batch"), (value, keys, "steps")):
        if isinstance(other, Tensor) and other.shape and one.shape and len(other.shape) == len(one.shape) == 3:
            along = int(batch_first == (shared == "steps"))
            needs.axis(other, along, one.shape[along], layer.kind)
    _check_mask(call.given.get("attn_mask"), x, keys, batch_first)
    _check_padding(call.given.get("key_padding_mask"), keys, batch_first)
    return x.computed(call.shape), Tensor(None)


def _transformer(call: LayerCall) -> Any:
    layer, x = call.layer, call.x
    inner = next((layer[name] for name in ("encoder_layer", "decoder_layer") if isinstance(layer[name], Layer)), layer)
    batch_first = inner.flag("batch_first")
    other = next(
        (call.given[name] for name in ("memory", "tgt") if call.x is not call.given.get(name) and name in call.given),
        None,
    )
    for tensor in (x, other):
        if isinstance(tensor, Tensor) and tensor.shape is not None:
            needs.floating(tensor, inner.dtype, layer.kind)
            needs.rank(tensor, (3,) if tensor.lineage else (2, 3), _axes(batch_first), layer.kind)
            needs.axis(tensor, -1, inner["d_model"], layer.kind)
    if isinstance(other, Tensor) and other.shape and len(other.shape) == len(call.shape) == 3:
        batch = 0 if batch_first else 1
        needs.axis(other, batch, call.shape[batch], layer.kind)
    source, target = (x, other) if layer.kind == "Transformer" else (other, x)
    for name, mask in call.given.items():
        keys = target if name.startswith("tgt") or not isinstance(source, Tensor) else source
        if name.endswith("padding_mask") and isinstance(keys, Tensor):
            _check_padding(mask, keys, batch_first)
        elif name.endswith("mask") and isinstance(keys, Tensor):
            queries = target if name == "memory_mask" and isinstance(target, Tensor) else keys
            _check_mask(mask, queries, keys, batch_first)
    result = other if layer.kind == "Transformer" and isinstance(other, Tensor) else x
    return result.computed(result.shape)


def _check_mask(mask: Any, queries: Tensor, keys: Tensor, batch_first: bool) -> None:
    """Check a mask of which queries see which keys: true hides."""
    if not isinstance(mask, Tensor) or mask.shape is None or not queries.shape or not keys.shape:
        return
    needs.rank(mask, (2, 3), 2, "an attention mask")
    along = -2 if batch_first or len(queries.shape) == 2 else 0
    needs.axis(mask, -1, keys.shape[along], "an attention mask")
    needs.axis(mask, -2, queries.shape[along], "an attention mask")
    needs.hiding_nothing(mask)


def _check_padding(mask: Any, keys: Tensor, batch_first: bool) -> None:
    """Check a mask of which keys are padding: true hides."""
    if not isinstance(mask, Tensor) or mask.shape is None or not keys.shape or len(keys.shape) != 3:
        return
    needs.rank(mask, (2,), 2, "a padding mask")
    batch, steps = (0, 1) if batch_first else (1, 0)
    needs.axis(mask, 0, keys.shape[batch], "a padding mask")
    needs.axis(mask, 1, keys.shape[steps], "a padding mask")
    needs.hiding_nothing(mask)


def _axes(batch_first: bool) -> tuple[str, ...]:
    return ("B", "T", "F") if batch_first else ("T", "B", "F")


SEQUENCE_RULES: dict[str, Callable[[LayerCall], Any]] = {
    **dict.fromkeys(("Embedding", "EmbeddingBag"), _embedding),
    **dict.fromkeys(("RNN", "LSTM", "GRU"), _recurrent),
    **dict.fromkeys(("RNNCell", "LSTMCell", "GRUCell"), _cell),
    "MultiheadAttention": _attention,
    **dict.fromkeys(
        (
            "TransformerEncoderLayer",
            "TransformerDecoderLayer",
            "TransformerEncoder",
            "TransformerDecoder",
            "Transformer",
        ),
        _transformer,
    ),
}
