"""What the errors of Python and torch say about a probe: a table of their sentences.

The sentences are those of torch 2.13 and of Python 3.10 and later. One that is not in the table says nothing.
"""

from __future__ import annotations

import re

from .readers import (
    Reader,
    absent,
    are,
    attribute,
    batch,
    bound,
    channels,
    dimension,
    either,
    key,
    longest,
    many,
    matmul,
    normalized,
    not_a_tensor,
    rank,
    ranks,
    shapes,
    size,
    small,
    split,
    too_many_indices,
    unasked,
    unpacked,
    view,
    width,
)
from .troubles import (
    ChangedInPlace,
    NotAnArray,
    NotScalar,
    TooSmall,
    Trouble,
    WrongKind,
    WrongRank,
)


def troubles_in(message: str) -> list[Trouble]:
    """Return what an error's text says is wrong, the likeliest first; nothing where it is not in the table."""
    for pattern, reader in _TABLE:
        if match := pattern.search(message):
            return list(dict.fromkeys(reader(match)))
    return []


_IDS, _NUMBERS, _TRUTHS, _SHARES = (
    are(WrongKind("ids")),
    are(WrongKind("number")),
    are(WrongKind("truth")),
    are(WrongKind("share")),
)

_ROWS: tuple[tuple[str, Reader], ...] = (
    # sizes
    (r"mat1 and mat2 shapes cannot be multiplied \(<rows>x<got> and <wanted>x\d+\)", matmul),
    (r"expected input<shape> to have <wanted> channels, but got <got> channels", channels),
    (r"input\.size\(-1\) must be equal to input_size\. Expected <wanted>, got <got>", width),
    (r"input has inconsistent input_size: got <got> expected <wanted>", width),
    (r"was expecting embedding dimension of <wanted>, but got <got>", width),
    (r"does not match weight size: got <got> but expected <wanted>", width),
    (r"normalized_shape=(?P<wanted>\[[\d, ]*\]), expected .* input of size<shape>", normalized),
    (r"weight of shape \[<wanted>\] and input of shape \[\d+, <got>", channels),
    (r"running_(?:mean|var) should contain <got> elements not <wanted>", channels),
    (r"Found parameter numbers = <wanted> and channel size = <got>", channels),
    (r"size of tensor a \(<one>\) must match the size of tensor b \(<other>\) at .* dimension <axis>", either),
    (r"Expected size <other> but got size <one> for tensor number", either),
    (r"batch2 tensor to be: \[<other>, \d+\] but got: \[(?!(?P=other),)<one>, ", either),
    (r"batch2 tensor to be: \[\d+, <other>\] but got: \[\d+, <one>\]", either),
    (r"size mismatch, got input \(\d+\), mat \(\d+x<other>\), vec \(<one>\)", either),
    (r"has size <one> for operand \d+ which does not broadcast with previously seen size <other>", either),
    (r"same number of columns\. X1: <other> X2: <one>", either),
    (r"Expected dim <axis> size <other>, got <one>", either),
    (r"expanded size of the tensor \(<other>\) must match the existing size \(<one>\) at .* dimension <axis>", either),
    (r"shape of the mask \[<one>\] at index <axis> does not match the shape of the indexed tensor \[<other>", either),
    (r"Expected hidden(?:\[\d\])? size <<other>>, got <<one>>", shapes),
    (r"expects each tensor to be equal size, but got <<other>> at entry 0 and <<one>>", shapes),
    (r"Got self\.shape = <<other>> source\.shape = <<one>>", shapes),
    (r"shape of the 2D attn_mask is torch\.Size\(<<one>>\), but should be <<other>>", shapes),
    (r"(?i)target size \(torch\.Size\(<<one>>\)\) .* input size \(torch\.Size\(<<other>>\)\)", shapes),
    (r"Expected target size <<other>>, got <<one>>", shapes),
    (r"Expected input batch_size \(<other>\) to match target batch_size \(<one>\)", batch),
    (r"Input batch size <other> doesn't match hidden\d* batch size <one>", batch),
    (r"Number of indices \(<one>\) should be equal to source\.size\(dim\): \(<other>\)", batch),
    (r"key_padd\w+_mask\.shape\[<axis>\] to be <wanted>, but got <got>", size),
    (r"sum exactly to <got> \(input tensor's size at dimension <axis>\), but got split_sizes=<sizes>", split),
    (r"shape '<sizes>' is invalid for input of size <got>", view),
    # too small
    (r"padding \(<beyond>, \d+\) at dimension \d+ of input <shape>", small),
    (r"padded input size per channel: (?P<shape>\([\dx ]+\)).*Kernel size can't be greater", small),
    (r"Given input size: \(\d+(?P<shape>[\dx]+)\).*Output size is too small", small),
    (r"maximum size for tensor at dimension <axis> is \d+ but size is <beyond>", small),
    (r"Expected more than 1 spatial element", small),
    (r"stride should not be zero|kernel size should be greater than zero", small),
    (r"Expected more than 1 value per channel when training", are(TooSmall(batch=True), TooSmall())),
    (r"selected index k out of range", are(TooSmall(batch=True), TooSmall())),
    # numbers of axes
    (r"Expected <one>D \(unbatched\) or <other>D \(batched\) input .* of size: <shape>", rank),
    (r"non-empty <one>D or <other>D \(batch mode\) tensor expected", rank),
    (r"expected <one>D(?: or <other>D)? input \(got <got>D input\)", rank),
    (r"Expected input to be <one>D(?: or <other>D)?, got <got>D", rank),
    (r"Got <got>D input, but \w+ mode needs <one>D input", rank),
    (r"Only <one>D, <other>D and 5D input Tensors supported \(got <got>D\)", rank),
    (r"expected a <one>D or <other>D tensor", rank),
    (r"batch\d must be a <one>D tensor", rank),
    (r"input\.dim\(\) = <got> is not equal to len\(dims\) = <one>", rank),
    (r"subscripts in the equation \(<one>\) does not match the number of dimensions \(<got>\)", rank),
    (r"sizes provided \(<one>\) must be greater or equal to the number of dimensions in the tensor \(<got>\)", rank),
    (r"Dimension out of range \(expected to be in range of \[-\d+, <last>\], but got <axis>\)", dimension),
    (r"values to unpack \(expected <wanted>(?:, got <got>)?\)", unpacked),
    (r"too many indices for tensor of dimension <got>", too_many_indices),
    (r"same number of dimensions: got <other> and <one>", ranks),
    (r"For batched <other>-D input, hx should also be \d-D but got <one>-D", ranks),
    (r"0D or 1D target tensor expected, multi-target not supported", are(WrongRank((1,), 2))),
    (r"supposed to be a vector, but got dim: <got>", lambda m: iter([WrongRank((1,), int(m["got"]))])),
    # what a tensor holds
    (r"have one of the following scalar types: Long, Int; but got", _IDS),
    (r"tensors used as indices must be long", _IDS),
    (r"only applicable to index tensor", _IDS),
    (r"[Ee]xpected dtype int\w*.* for index", _IDS),
    (r"expected target dtype to be Long", _IDS),
    (
        r"expected scalar type Long",
        are(WrongKind("ids"), WrongKind("number")),
    ),  # which of two is wrong, it leaves open
    (r"only integer tensors of a single element", _IDS),
    (r"type must be tuple of ints,but got Tensor", _IDS),
    (r"slice indices must be integers|'float' object cannot be interpreted as an integer", _IDS),
    (r"only supports boolean masks", _TRUTHS),
    (r"condition to be a boolean tensor", _TRUTHS),
    (r"only bool and floating types", _TRUTHS),
    (r"operator\.invert|\"bitwise_\w+\" not implemented", _TRUTHS),
    (r"must have the same dtype, but got (?:Long|Int|Byte|Bool)", _NUMBERS),
    (r"Input type \((?:long|unsigned|bool)", _NUMBERS),
    (r"expected scalar type Float but found (?:Long|Int|Bool)", _NUMBERS),
    (r"not implemented for '(?:Long|Int|Byte|Bool)'", _NUMBERS),
    (r"Input dtype must be either a floating point or complex dtype", _NUMBERS),
    (r"input dtype \(torch\.(?:int|uint|bool)", _NUMBERS),
    (r"all inputs must share same datatype", _NUMBERS),
    (r"result type Float can't be cast to the desired output type (?:Long|Int|Byte|Bool)", _NUMBERS),
    (r"Expected floating point type for target", _NUMBERS),
    (r"Found dtype (?:Long|Int) but expected Float", _NUMBERS),
    (r"should be between 0 and 1", _SHARES),
    (r"expected np\.ndarray \(got Tensor\)", are(NotAnArray())),
    (r"operand type\(s\) for .*: 'numpy\.ndarray' and 'Tensor'", are(NotAnArray())),
    # ids
    (r"index out of range in self|Class values must be smaller than num_classes|Target \d+ is out of bounds", bound),
    (r"index -?\d+ is out of bounds for dimension \d+ with size <bound>", bound),
    (r"Expected input_lengths to have value at most <longest>, but got", longest),
    # arguments
    (r"<owner>\(\) missing \d+ required (?:positional|keyword-only) arguments?: (?P<names>'.+')", absent),
    (r"<owner>\(\) got an unexpected keyword argument '<name>'", unasked),
    (r"<owner>\(\) takes (?:from \d+ to )?<taken> positional arguments? but <given> were given", many),
    (r"'(?:SimpleNamespace|Namespace)' object has no attribute '<name>'", attribute),
    (r"KeyError: '<name>'", key),
    # the loss
    (r"randn_like\(\): argument 'input' \(position 1\) must be Tensor, not <kind>", not_a_tensor),
    (r"needed for gradient computation has been modified by an inplace operation", are(ChangedInPlace())),
    (r"created only for scalar outputs|not one number", are(NotScalar())),
)
"""Sentences and their readers. `<name>` stands for what `_GROUPS` has, else a number; `<<name>>` for a shape."""

_GROUPS = {"shape": r"\[[\d, ]*\]", "sizes": r"\[[-\d, ]*\]", "name": r"[^'\n]+", "owner": r"[\w.<>]+", "kind": r"\w+"}
_SHAPE, _NUMBER = r"[\[(][\d, ]*[\])]", r"-?\d+"


def _compiled(row: str) -> re.Pattern[str]:
    row = re.sub(r"<<(\w+)>>", lambda m: f"(?P<{m[1]}>{_SHAPE})", row)
    return re.compile(re.sub(r"(?<!\?P)<(\w+)>", lambda m: f"(?P<{m[1]}>{_GROUPS.get(m[1], _NUMBER)})", row))


_TABLE = [(_compiled(row), reader) for row, reader in _ROWS]
