"""What the names of arguments and inputs say: the one table of conventions that model files follow.

A name only ever gives the first guess; what the code does with the value corrects it.
"""

from __future__ import annotations

import re

_NUMBERS: tuple[tuple[str, int | float], ...] = (
    (r"(^|_)log_?2?_?(res(olution)?|size|side)$", 5),  # of a power of two
    # fractions
    (r"drop(out|path)?|(^|_)p$|(^|_)probs?$|smoothing", 0.1),
    (r"(^|_)(lr|weight_decay|wd)$|learning_rate", 1e-3),
    (r"(^|_)eps(ilon)?$", 1e-5),
    (r"momentum|negative_slope|(^|_)slope", 0.1),
    (r"(^|_)(sample|sampling)_?rate|(^|_)sr$", 16000),
    (r"kernel_?sizes?$", 3),
    (r"growth|reduction|squeeze|(^|_)r$|rank", 4),
    (r"dilat|groups?$|cardinality", 1),
    (r"temperature|(^|_)(tau|temp|alpha|beta|gamma|lambda|lam|sigma|std|scale|gain|coeff?|margin)$|weight$", 0.5),
    (r"ratio|mult(iplier)?$|expansion|factor|upscale|pool(ing)?_?(sizes?|scales?|bins?)$", 2),
    (r"(up|down)_?sampl(e|ing)?(_?(rates?|scales?))?$", 2),
    (r"(^|_)(low|min(imum)?|lower)$", -1.0),
    (r"(^|_)(high|max(imum)?|upper)$", 1.0),
    # how many
    (r"n_?heads?|num_.*heads?|(^|_)heads?$", 4),
    (r"(^|_)n_?(layers?|blocks?|stacks?|stages?|repeats?|levels?|flows?|hops?|iters?|cycles?)", 2),
    (r"(layers?|blocks?|depth|stacks?|stages?|repeats?|levels?|flows?|hops?|iterations?|iters?|cycles?)", 2),
    (r"experts?|components?|mixtures?|slots?|anchors?|actions?|codebooks?$", 4),
    (r"vocab|ntokens?|(n|num)_(tokens?|words?|items?|users?|entit|embeddings|symbols|codes|products|movies)", 100),
    (r"(n|num)_?(char|phone|letter|glyph|nodes|relation|speakers?|graphemes)", 50),
    (
        r"class|(^|_)(n_)?(labels?|tags?|outputs?|out)$|categor|n_?out|(out(put)?|target)_?(dim|size|features?|units?)$",
        10,
    ),
    # sizes in space and time
    (r"batch", 4),
    (r"kernel|(^|_)k(s|size)?$|filter_?size|taps", 3),
    (r"strides?$|padding$|(^|_)pad$", 1),
    (r"patch", 4),
    (r"win(dow)?_?(size)?$", 4),
    (r"(img|image|input_?res|crop|resol|spatial|height|width_px|(^|_)(size|h|w)$|grid)", 32),
    (r"max_?(len|seq|pos|time|step)|(^|_)longest|n_?positions|block_?size|context_?(len|size|window)|(n_)?ctx", 64),
    (r"seq|(^|_)len(gth)?$|_len(gth)?$|horizon|lookback|history|timesteps?$|n_?frames|n_?steps|context", 16),
    # channels and widths
    (r"(^|_)(in|input|img|image|n|num|color)_?(ch|chans?|channels?|nc|bands)$|^(nc|c_in|channels_in|in_c)$", 3),
    (r"channel|chans?$|filters?$|planes|(^|_)(n?[dg]?f|base|ch|nc|c)$|n_?(feat|filt|kern)", 16),
    (r"(^|_)(in|input|obs|observation|state|feature|sensor|n_in)(_|$)|n_?inputs?|(^|_)z(_|$)|latent|noise|nz$", 16),
    (r"dim|hid|feat|size|width|units|emb|model|(^|_)d_|ff|mels|bins|inner|bottleneck|proj|neurons|nodes", 32),
)

_TEXTS: tuple[tuple[str, str], ...] = (
    (r"device", "cpu"),
    (r"padding_?(mode|type)", "zeros"),
    (r"act(ivation)?(_?(fn|type|name|func|function|layer|kind))?$|non_?lin", "relu"),
    (r"norm(alization)?(_?(type|name|layer|kind))?$", "batch"),
    (r"pool(ing)?(_?(type|mode|kind))?$|aggr(egation)?(_?type)?$|reduce$|readout", "mean"),
    (r"(^|_)(mode|kind|type|variant|arch|name|direction|style|method|strategy|flavou?r|backbone|init)(_?type)?$", ""),
    (r"alphabet|charset|characters", "_abcdefghijklmnopqrstuvwxyz"),
)

_FLAG = re.compile(
    r"^(use|is|with|has|no|do|enable|add|return|learn(able|ed)?|share[ds]?|tied?|train(able)?|freeze|pretrained|cuda|gpu)(_|$)|"
    r"^(bi(direct\w*|rnn|lstm|gru|dir)?|causal|residual|affine|(use_)?bias|(qkv|attn)_bias|batch_first|concat|normali[sz]e|verbose)$"
)
_NOTHING = re.compile(
    r"(^|_)pretrain(ed)?_(?!model)|(?<=[a-z])_pretrained$|(^|_)(ckpt|checkpoint|resume)(_|$)|(^|_)(word|glove)_?(vectors|vecs)|"
    r"embeddings?_(matrix|weights?)$"
)
_LIKELY_TRUE = re.compile(r"bias|batch_first|residual|affine|concat")
_TARGET = re.compile(r"^(y|targets?|labels?|tgt_labels?|gt|ground_truth|y_true|next_tokens?|target_ids)$")
_SEVERAL = re.compile(r"(sizes|dims|widths|shapes?|strides|dilations|scales|list|mults|_dims?_list|hiddens|branches)$")
_NUMBERING = re.compile(r"(to|2)_?(ix|idx|ids?|index|indices)$|stoi|vocab(ulary)?$|tokenizer|alphabet|label_?map")
_SETTINGS = re.compile(
    r"^(?!n_|num_).*((config(s|uration)?|cfgs?|(?<!kw)args|params|options)$|(^|_)(conf|opts?|hp|settings|flags)$)"
)
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_INPUTS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # name, axes (see `AXES`), dtype
    (r"edge_?(index|list)|^edges?$", ("2", "E"), "int64"),
    (r"(causal|attn|src|tgt)_mask$", ("T", "T"), "bool"),
    (r"mask", ("B", "T"), "bool"),
    (r"len(gth)?s?$|^lens$", ("B",), "int64"),
    (r"(^|_)(ids?|idx|ind(ex|ices)|tokens?|words?|sents?|sentences?|chars?|text)$", ("B", "T"), "int64"),
    (
        r"^(labels?|class(es)?|cls|categor(y|ies)|class_?(ids?|labels?)|tasks?|(user|item|speaker|task)(_?ids?)?s?)$",
        ("B",),
        "int64",
    ),
    (r"^(t|time(step)?s?|steps?|sigmas?|noise_?(level|std)s?|r|returns?|rewards?)$", ("B",), "float32"),
    (r"im(g|age|ages|gs)?\d?$|frames?$|pic|pixel|photo|sketch|rgb|depth$", ("B", "C", "H", "W"), "float32"),
    (r"video|clip|volume|voxel", ("B", "C", "D", "H", "W"), "float32"),
)

AXES: dict[str, int] = {"B": 4, "T": 16, "F": 16, "C": 3, "H": 32, "W": 32, "D": 8, "L": 64, "E": 40}
"""The size that each kind of axis has where nothing else is known: batch, steps, features, channels, ..."""


def words_of(name: str) -> str:
    """Return a name in lower case with underscores between its words."""
    return _WORD_BREAK.sub("_", name).lower().strip("_")


def number_named(name: str) -> int | float:
    """Return a workable value for a numeric argument called `name`."""
    return _number_said(name) or 8


def names_number(name: str) -> bool:
    """Say whether an argument of that name is usually a number."""
    return _number_said(name) is not None


def _number_said(name: str) -> int | float | None:
    name = words_of(name)
    return next((value for pattern, value in _NUMBERS if re.search(pattern, name)), None)


def value_named(name: str) -> bool | int | float | str | None:
    """Return a workable value for an argument called `name` of which nothing else is known."""
    name = words_of(name)
    if _NOTHING.search(name):
        return None  # weights to begin with: it does without them
    if _FLAG.search(name):
        return flag_named(name)
    return next((value for pattern, value in _TEXTS if re.search(pattern, name)), None) or number_named(name)


def text_named(name: str) -> str:
    """Return a workable string for an argument called `name`."""
    return next((value for pattern, value in _TEXTS if re.search(pattern, words_of(name))), "") or words_of(name)


def flag_named(name: str) -> bool:
    """Return a workable truth value for an argument called `name`."""
    return _LIKELY_TRUE.search(words_of(name)) is not None


def names_several(name: str) -> bool:
    """Say whether an argument of that name is usually a sequence."""
    return _SEVERAL.search(words_of(name)) is not None


def names_numbering(name: str) -> bool:
    """Say whether an argument of that name usually maps names to numbers."""
    return _NUMBERING.search(words_of(name)) is not None


def names_settings(name: str) -> bool:
    """Say whether an argument or class of that name usually holds the settings of a model."""
    return _SETTINGS.search(words_of(name)) is not None


def names_target(name: str) -> bool:
    """Say whether an input of that name is usually what a loss compares the output with."""
    return _TARGET.search(words_of(name)) is not None


def singular(name: str) -> str:
    """Return the name of one element of a sequence called `name`."""
    return re.sub(r"(?<=[a-z])s$", "", re.sub(r"(list|tuple)$", "", words_of(name)))


def input_named(name: str) -> tuple[tuple[str, ...], str]:
    """Return the axes and the dtype of a tensor input called `name`."""
    name = words_of(name)
    for pattern, axes, dtype in _INPUTS:
        if re.search(pattern, name):
            return axes, dtype
    return ("B", "F"), "float32"
