"""Tensor functions by what they have in common: that they go element by element, or pass no gradient on."""

from __future__ import annotations

TO_FLOAT = frozenset(("exp", "log", "log1p", "sqrt", "rsqrt", "sigmoid", "tanh", "sin", "cos", "reciprocal", "erf"))

ELEMENTWISE = TO_FLOAT | frozenset(
    {
        *("abs", "neg", "relu", "relu6", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish"),
        *("softplus", "softsign", "hardtanh", "hardswish", "hardsigmoid", "logsigmoid", "dropout", "dropout1d"),
        *("dropout2d", "dropout3d", "clamp", "clip", "clamp_min", "clamp_max", "round", "floor", "ceil"),
        *("sign", "square", "pow", "add", "sub", "mul", "div", "alpha_dropout", "feature_alpha_dropout"),
        *("normalize", "group_norm", "batch_norm", "instance_norm", "tan", "asin", "acos", "atan", "sinh"),
        *("cosh", "log2", "log10", "expm1", "fmod", "remainder", "maximum", "minimum", "nan_to_num", "lerp"),
        *("atan2", "hypot", "prelu", "rrelu", "threshold", "trunc", "frac", "logit", "sinc"),
    }
)

ANY_SHAPE = frozenset(
    {
        *("detach", "float", "double", "half", "long", "int", "bool", "to", "type", "type_as", "contiguous"),
        *("clone", "cuda", "cpu", "requires_grad_", "where", "matmul", "mm", "bmm", "item", "tolist", "numpy"),
        *("is_floating_point", "is_complex", "dim", "ndimension", "tensor", "as_tensor", "eq", "ne", "lt"),
        *("le", "gt", "ge", "einsum"),
    }
)
"""Rules that cope with a tensor of which not even the rank is known."""

NO_GRADIENT = frozenset(
    {
        *("detach", "argmax", "argmin", "zeros_like", "ones_like", "randn_like", "rand_like", "empty_like"),
        *("multinomial", "size", "item", "tolist", "numpy", "numel", "dim", "ndimension", "is_floating_point"),
        *("is_complex", "nonzero", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or"),
        *("logical_not", "new_zeros", "new_ones", "new_tensor"),
    }
)
"""Rules whose result does not depend on what came in, as far as a gradient is concerned."""
