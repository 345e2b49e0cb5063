"""Autograd's nodes by what they do to a gradient, by the names that torch gives them."""

from __future__ import annotations


def _nodes(names: str) -> frozenset[str]:
    return frozenset(f"{name}Backward" for name in names.split())


ACTIVATIONS = _nodes(
    "PreluKernel Relu Threshold Hardtanh Clamp ClampMin ClampMax LeakyRelu Elu Hardsigmoid Hardswish Prelu Sigmoid "
    "Tanh Atan Softplus Softshrink Hardshrink Gelu Silu Minimum Maximum Fmin Fmax Mish Celu Glu LogSigmoid Erf "
    "RreluWithNoise Logit MultiMarginLoss MultilabelMarginLoss SoftMarginLoss FakeQuantizePerTensorAffineCachemask"
)
"""Functions of one entry that are flat, or nearly so, on part of the line."""

SLOPES = _nodes(
    "ThresholdBackward HardtanhBackward LeakyReluBackward SoftshrinkBackward HardshrinkBackward PreluKernelBackward "
    "RreluWithNoiseBackward"
)
"""The derivatives of functions made of straight pieces, differentiated once more: towards the input they are flat."""

SATURATING = _nodes(
    "Sigmoid Tanh Atan Softmax SafeSoftmax LogSoftmax Erf Erfc LogSigmoid Softplus Elu Celu Gelu Silu Mish Glu Exp Exp2"
)
"""Activations whose derivative shrinks without bound away from their middle."""

COMPOSED = frozenset({"softsign"})
"""Activations, as called, that torch composes of others: their rounding may be all that is left of a derivative."""

FADING = _nodes("Sigmoid Softmax SafeSoftmax Exp Exp2")
"""Activations that come near 0 where they are flat, so that a value multiplied with them fades too."""

STEPS = _nodes(
    "Round Floor Ceil Sign Sgn Trunc Fix Bernoulli FloorDivide Normal Poisson Uniform Exponential Geometric Cauchy "
    "LogNormal Random Angle Nextafter"
)
"""Functions that are flat between jumps, or random: autograd's derivative of them is 0."""

STEPS_OF = {"CopysignBackward": 1, "GridSampler2DBackward": 1, "GridSampler3DBackward": 1}
"""Functions that are flat between jumps towards the operand on one edge; those that interpolate, in one mode only."""

FLAT_AT_ZERO = _nodes("Abs Pow Cos Cosh Sinc LinalgVectorNorm Hypot")
"""Functions whose derivative is 0 at 0."""

FLAT_LOSSES = _nodes("MseLoss SmoothL1Loss HuberLoss")
"""Losses whose derivative is 0 where both sides are the same."""

RUNNING_PRODUCTS = _nodes("Prod Cumprod")
"""Products of many entries of one tensor."""

UNDERFLOWS = _nodes("Exp Exp2 Expm1 Erfc")
"""Functions that are their own derivative, or nearly so: where the one is too small for the format, so is the other."""

NORMALISATIONS = _nodes(
    "Softmax SafeSoftmax LogSoftmax NativeLayerNorm NativeGroupNorm NativeBatchNorm Var Std VarMean StdMean"
)
"""Functions whose output does not change when all of their input does in the same way."""

OVERWRITES = frozenset({"CopySlices", "CopyBackwards"})
"""Writes into a tensor, or a part of it, which hand on nothing of what stood there."""

SELECTIONS = OVERWRITES | _nodes(
    "Embedding EmbeddingBag Index IndexSelect Gather Slice Select Max Min Amax Amin Topk Sort Where MaskedSelect "
    "MaskedFill NllLoss NllLoss2D Split SplitWithSizes Unbind Take TakeAlongDim MaxPool2DWithIndices Cat Stack "
    "IndexPut Scatter ScatterAdd IndexAdd IndexFill IndexCopy AdaptiveMaxPool2D Mean Sum "
    "Median Nanmedian Kthvalue Mode Aminmax Cummax Cummin MaxPool3DWithIndices AdaptiveMaxPool3D FractionalMaxPool2D "
    "FractionalMaxPool3D MaskedScatter GridSampler2D GridSampler3D Tril Triu ConstantPadNd Fill Zero "
    "CtcLoss NanToNum Put ScatterReduce IndexReduce Logsumexp Logaddexp"
)
"""Functions that read some entries and pass over others."""

JOINS = _nodes("Cat Stack")
"""Functions that lay tensors side by side."""

ROUTES = JOINS | _nodes("Slice Select Unbind Split SplitWithSizes Index IndexSelect Gather")
"""Functions that hand gradients on as they are, each to where it came from: what gets little shrank before."""

ODD = _nodes("Tanh Sin Tan Asin Atan Sinh Asinh Atanh Expm1 Log1P Gelu Silu Erf Softsign")
"""Activations that are 0 at 0 only: their zeros are their input's."""

WEIGHTINGS = _nodes("Lerp BinaryCrossEntropy BinaryCrossEntropyWithLogits Xlogy SpecialXlog1Py")
"""Functions that multiply with a weight which is not one of their operands."""

COEFFICIENTS = {
    "AddBackward": {1: "_saved_alpha"},
    "SubBackward": {1: "_saved_alpha"},
    "RsubBackward": {0: "_saved_alpha"},
    "AddcdivBackward": {1: "_saved_value", 2: "_saved_value"},
    **{f"{name}Backward": {0: "_saved_beta"} for name in ("Addmm", "Addmv", "Addbmm", "Baddbmm", "Addr")},
}
"""Sums that multiply what comes in on an edge with a number: where it was kept."""

ATTENTIONS = _nodes(
    "ScaledDotProductFlashAttentionForCpu ScaledDotProductFlashAttention ScaledDotProductEfficientAttention"
)
"""Fused attentions: with a single key, their output does not depend on the query or the key."""

LEAF_VIEWS = _nodes("T Transpose Permute View Unsqueeze Expand Squeeze ReshapeAlias UnsafeView ToCopy")
"""Functions through which a parameter is still seen as itself."""

COPIES = _nodes("Clone Alias")
"""Functions that hand on every entry, in its place."""

ZERO_KEEPING = LEAF_VIEWS | _nodes(
    "Embedding Reshape Clone Alias Slice Select Split SplitWithSizes Unbind AsStrided Contiguous Flip Cat Stack Repeat "
    "Sum Mean ConstantPadNd AvgPool2D MaxPool2DWithIndices Index Chunk Neg Unflatten NativeDropout Pow"
)
"""Functions that make zeros of zeros, whatever else they do."""

PRODUCTS: dict[str, tuple[tuple[int, str], ...]] = {
    "MulBackward": ((0, "_saved_self"), (1, "_saved_other")),
    "DivBackward": ((0, "_saved_self"), (1, "_saved_other")),
    "MmBackward": ((0, "_saved_self"), (1, "_saved_mat2")),
    "BmmBackward": ((0, "_saved_self"), (1, "_saved_mat2")),
    "MvBackward": ((0, "_saved_self"), (1, "_saved_vec")),
    "DotBackward": ((0, "_saved_self"), (1, "_saved_tensor")),
    "AddmmBackward": ((1, "_saved_mat1"), (2, "_saved_mat2")),
    "AddmvBackward": ((1, "_saved_mat"), (2, "_saved_vec")),
    "AddbmmBackward": ((1, "_saved_batch1"), (2, "_saved_batch2")),
    "BaddbmmBackward": ((1, "_saved_batch1"), (2, "_saved_batch2")),
    "ConvolutionBackward": ((0, "_saved_input"), (1, "_saved_weight")),
    "AddcmulBackward": ((1, "_saved_tensor1"), (2, "_saved_tensor2")),
    "TrilinearBackward": ((0, "_saved_i1"), (1, "_saved_i2"), (2, "_saved_i3")),
}
"""Functions whose gradient towards one operand is multiplied by the others: edge and saved value of each operand."""

MIXING = frozenset(PRODUCTS) - _nodes("Mul Div Addcmul")
"""Products that sum up over an axis: each entry of the output depends on many of the input."""

GAINS = {
    **{f"Native{name}Backward": (1, "_saved_weight") for name in ("BatchNorm", "LayerNorm", "GroupNorm")},
    "WeightNormInterfaceBackward": (1, "_saved_g"),
}
"""Normalisations whose gradient towards their input is multiplied by a gain: its edge and saved value."""
