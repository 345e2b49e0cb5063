"""What the errors of Python and torch say about a probe: a table of their sentences.

The sentences are those of torch 2.13 and of Python 3.10 and later. One that is not in the table says nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from .troubles import (
    Absent,
    IdsTooLarge,
    NoEntry,
    NotAnArray,
    NotATensor,
    NotScalar,
    Shape,
    TooMany,
    TooSmall,
    Trouble,
    Unasked,
    WrongCount,
    WrongKind,
    WrongRank,
    WrongSize,
)

_Reader = Callable[[re.Match[str]], Iterator[Trouble]]


def troubles_in(message: str) -> list[Trouble]:
    """Return what an error's text says is wrong, the likeliest first; nothing where it is not in the table."""
    for pattern, reader in _TABLE:
        if match := pattern.search(message):
            return list(dict.fromkeys(reader(match)))
    return []


# Readers. Each goes by the names of a pattern's groups.


def _size(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that the axis with `got` entries needs `wanted`."""
    shape = _text(m, "shape")
    yield WrongSize(int(m["got"]), int(m["wanted"]), _shape(shape) if shape else None, _number(m, "axis"))


def _channels(m: re.Match[str]) -> Iterator[Trouble]:
    shape = _text(m, "shape")
    yield WrongSize(int(m["got"]), int(m["wanted"]), _shape(shape) if shape else None, 1)


def _width(m: re.Match[str]) -> Iterator[Trouble]:
    yield WrongSize(int(m["got"]), int(m["wanted"]), axis=-1)


def _batch(m: re.Match[str]) -> Iterator[Trouble]:
    yield WrongSize(int(m["one"]), int(m["other"]), axis=0)
    yield WrongSize(int(m["other"]), int(m["one"]), axis=0)


def _either(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that `one` of two sizes should be the `other`, or that it should be the other way round."""
    one, other, axis = int(m["one"]), int(m["other"]), _number(m, "axis")
    yield WrongSize(one, other, axis=axis)
    yield WrongSize(other, one, axis=axis)


def _shapes(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that `one` of two shapes should be as the `other`, or that it should be the other way round."""
    one, other = _shape(m["one"]), _shape(m["other"])
    if len(one) != len(other):
        yield WrongRank((len(other),), shape=one)
        yield WrongRank((len(one),), shape=other)
    for axis, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            yield WrongSize(first, second, one, axis)
            yield WrongSize(second, first, other, axis)


def _matmul(m: re.Match[str]) -> Iterator[Trouble]:
    rows, got, wanted = int(m["rows"]), int(m["got"]), int(m["wanted"])
    yield WrongSize(got, wanted, (rows, got), 1)
    yield WrongSize(wanted, got)


def _normalized(m: re.Match[str]) -> Iterator[Trouble]:
    wanted, shape = _shape(m["wanted"]), _shape(m["shape"])
    if len(shape) < len(wanted):
        yield WrongRank((len(wanted) + 1,), shape=shape)
    for axis in range(-1, -1 - min(len(wanted), len(shape)), -1):
        if shape[axis] != wanted[axis]:
            yield WrongSize(shape[axis], wanted[axis], shape, len(shape) + axis)


def _split(m: re.Match[str]) -> Iterator[Trouble]:
    yield WrongSize(int(m["got"]), sum(_shape(m["sizes"])), axis=int(m["axis"]))


def _view(m: re.Match[str]) -> Iterator[Trouble]:
    wanted = math.prod(size for size in map(int, re.findall(r"-?\d+", m["sizes"])) if size > 0)
    yield WrongCount(int(m["got"]), wanted)


def _small(m: re.Match[str]) -> Iterator[Trouble]:
    shape = _text(m, "shape")
    yield TooSmall(_shape(shape) if shape else None, _number(m, "beyond"))


def _rank(m: re.Match[str]) -> Iterator[Trouble]:
    """Yield that a tensor needs `one` number of axes or the `other`: the larger, with a batch, where both would do."""
    shape = _text(m, "shape")
    wanted = sorted({int(rank) for name in ("one", "other") if (rank := _text(m, name))}, reverse=True)
    yield WrongRank(tuple(wanted), _number(m, "got"), _shape(shape) if shape else None)


def _ranks(m: re.Match[str]) -> Iterator[Trouble]:
    one, other = int(m["one"]), int(m["other"])
    yield WrongRank((one,), other)
    yield WrongRank((other,), one)


def _dimension(m: re.Match[str]) -> Iterator[Trouble]:
    axis = int(m["axis"])
    yield WrongRank((axis + 1 if axis >= 0 else -axis,), int(m["last"]) + 1)


def _unpacked(m: re.Match[str]) -> Iterator[Trouble]:
    got = _number(m, "got")
    yield WrongRank((int(m["wanted"]),), int(m["wanted"]) + 1 if got is None else got)


def _too_many_indices(m: re.Match[str]) -> Iterator[Trouble]:
    yield WrongRank((int(m["got"]) + 1,), int(m["got"]))


def _bound(m: re.Match[str]) -> Iterator[Trouble]:
    yield IdsTooLarge(_number(m, "bound"))


def _longest(m: re.Match[str]) -> Iterator[Trouble]:
    yield IdsTooLarge(int(m["longest"]) + 1)


def _absent(m: re.Match[str]) -> Iterator[Trouble]:
    yield Absent(tuple(re.findall(r"'(\w+)'", m["names"])), m["owner"])


def _unasked(m: re.Match[str]) -> Iterator[Trouble]:
    yield Unasked(m["name"], m["owner"])


def _many(m: re.Match[str]) -> Iterator[Trouble]:
    yield TooMany(int(m["given"]) - int(m["taken"]), m["owner"])


def _attribute(m: re.Match[str]) -> Iterator[Trouble]:
    yield NoEntry(m["name"], is_key=False)


def _key(m: re.Match[str]) -> Iterator[Trouble]:
    yield NoEntry(m["name"], is_key=True)


def _not_a_tensor(m: re.Match[str]) -> Iterator[Trouble]:
    yield NotATensor(m["kind"])


def _are(*found: Trouble) -> _Reader:
    return lambda match: iter(found)


def _text(m: re.Match[str], name: str) -> str | None:
    return m.groupdict().get(name)


def _number(m: re.Match[str], name: str) -> int | None:
    text = _text(m, name)
    return int(text) if text else None


def _shape(text: str) -> Shape:
    return tuple(map(int, re.findall(r"\d+", text)))


_IDS, _NUMBERS, _TRUTHS, _SHARES = (
    _are(WrongKind("ids")),
    _are(WrongKind("number")),
    _are(WrongKind("truth")),
    _are(WrongKind("share")),
)

_ROWS: tuple[tuple[str, _Reader], ...] = (
    # sizes
    (r"mat1 and mat2 shapes cannot be multiplied \(<rows>x<got> and <wanted>x\d+\)", _matmul),
    (r"expected input<shape> to have <wanted> channels, but got <got> channels", _channels),
    (r"input\.size\(-1\) must be equal to input_size\. Expected <wanted>, got <got>", _width),
    (r"input has inconsistent input_size: got <got> expected <wanted>", _width),
    (r"was expecting embedding dimension of <wanted>, but got <got>", _width),
    (r"does not match weight size: got <got> but expected <wanted>", _width),
    (r"normalized_shape=(?P<wanted>\[[\d, ]*\]), expected .* input of size<shape>", _normalized),
    (r"weight of shape \[<wanted>\] and input of shape \[\d+, <got>", _channels),
    (r"running_(?:mean|var) should contain <got> elements not <wanted>", _channels),
    (r"Found parameter numbers = <wanted> and channel size = <got>", _channels),
    (r"size of tensor a \(<one>\) must match the size of tensor b \(<other>\) at .* dimension <axis>", _either),
    (r"Expected size <other> but got size <one> for tensor number", _either),
    (r"batch2 tensor to be: \[<other>, \d+\] but got: \[(?!(?P=other),)<one>, ", _either),
    (r"batch2 tensor to be: \[\d+, <other>\] but got: \[\d+, <one>\]", _either),
    (r"size mismatch, got input \(\d+\), mat \(\d+x<other>\), vec \(<one>\)", _either),
    (r"has size <one> for operand \d+ which does not broadcast with previously seen size <other>", _either),
    (r"same number of columns\. X1: <other> X2: <one>", _either),
    (r"Expected dim <axis> size <other>, got <one>", _either),
    (r"expanded size of the tensor \(<other>\) must match the existing size \(<one>\) at .* dimension <axis>", _either),
    (r"shape of the mask \[<one>\] at index <axis> does not match the shape of the indexed tensor \[<other>", _either),
    (r"Expected hidden(?:\[\d\])? size <<other>>, got <<one>>", _shapes),
    (r"expects each tensor to be equal size, but got <<other>> at entry 0 and <<one>>", _shapes),
    (r"Got self\.shape = <<other>> source\.shape = <<one>>", _shapes),
    (r"shape of the 2D attn_mask is torch\.Size\(<<one>>\), but should be <<other>>", _shapes),
    (r"(?i)target size \(torch\.Size\(<<one>>\)\) .* input size \(torch\.Size\(<<other>>\)\)", _shapes),
    (r"Expected target size <<other>>, got <<one>>", _shapes),
    (r"Expected input batch_size \(<other>\) to match target batch_size \(<one>\)", _batch),
    (r"Input batch size <other> doesn't match hidden\d* batch size <one>", _batch),
    (r"Number of indices \(<one>\) should be equal to source\.size\(dim\): \(<other>\)", _batch),
    (r"key_padd\w+_mask\.shape\[<axis>\] to be <wanted>, but got <got>", _size),
    (r"sum exactly to <got> \(input tensor's size at dimension <axis>\), but got split_sizes=<sizes>", _split),
    (r"shape '<sizes>' is invalid for input of size <got>", _view),
    # too small
    (r"padding \(<beyond>, \d+\) at dimension \d+ of input <shape>", _small),
    (r"padded input size per channel: (?P<shape>\([\dx ]+\)).*Kernel size can't be greater", _small),
    (r"Given input size: \(\d+(?P<shape>[\dx]+)\).*Output size is too small", _small),
    (r"maximum size for tensor at dimension <axis> is \d+ but size is <beyond>", _small),
    (r"Expected more than 1 spatial element", _small),
    (r"Expected more than 1 value per channel when training", _are(TooSmall(batch=True), TooSmall())),
    (r"selected index k out of range", _are(TooSmall(batch=True), TooSmall())),
    # numbers of axes
    (r"Expected <one>D \(unbatched\) or <other>D \(batched\) input .* of size: <shape>", _rank),
    (r"non-empty <one>D or <other>D \(batch mode\) tensor expected", _rank),
    (r"expected <one>D(?: or <other>D)? input \(got <got>D input\)", _rank),
    (r"Expected input to be <one>D(?: or <other>D)?, got <got>D", _rank),
    (r"Got <got>D input, but \w+ mode needs <one>D input", _rank),
    (r"Only <one>D, <other>D and 5D input Tensors supported \(got <got>D\)", _rank),
    (r"expected a <one>D or <other>D tensor", _rank),
    (r"batch\d must be a <one>D tensor", _rank),
    (r"input\.dim\(\) = <got> is not equal to len\(dims\) = <one>", _rank),
    (r"subscripts in the equation \(<one>\) does not match the number of dimensions \(<got>\)", _rank),
    (r"sizes provided \(<one>\) must be greater or equal to the number of dimensions in the tensor \(<got>\)", _rank),
    (r"Dimension out of range \(expected to be in range of \[-\d+, <last>\], but got <axis>\)", _dimension),
    (r"values to unpack \(expected <wanted>(?:, got <got>)?\)", _unpacked),
    (r"too many indices for tensor of dimension <got>", _too_many_indices),
    (r"same number of dimensions: got <other> and <one>", _ranks),
    (r"For batched <other>-D input, hx should also be \d-D but got <one>-D", _ranks),
    (r"0D or 1D target tensor expected, multi-target not supported", _are(WrongRank((1,), 2))),
    (r"supposed to be a vector, but got dim: <got>", lambda m: iter([WrongRank((1,), int(m["got"]))])),
    # what a tensor holds
    (r"have one of the following scalar types: Long, Int; but got", _IDS),
    (r"tensors used as indices must be long", _IDS),
    (r"only applicable to index tensor", _IDS),
    (r"[Ee]xpected dtype int\w*.* for index", _IDS),
    (r"expected target dtype to be Long", _IDS),
    (
        r"expected scalar type Long",
        _are(WrongKind("ids"), WrongKind("number")),
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
    (r"expected np\.ndarray \(got Tensor\)", _are(NotAnArray())),
    # ids
    (r"index out of range in self|Class values must be smaller than num_classes|Target \d+ is out of bounds", _bound),
    (r"index -?\d+ is out of bounds for dimension \d+ with size <bound>", _bound),
    (r"Expected input_lengths to have value at most <longest>, but got", _longest),
    # arguments
    (r"<owner>\(\) missing \d+ required (?:positional|keyword-only) arguments?: (?P<names>'.+')", _absent),
    (r"<owner>\(\) got an unexpected keyword argument '<name>'", _unasked),
    (r"<owner>\(\) takes (?:from \d+ to )?<taken> positional arguments? but <given> were given", _many),
    (r"'(?:SimpleNamespace|Namespace)' object has no attribute '<name>'", _attribute),
    (r"KeyError: '<name>'", _key),
    # the loss
    (r"randn_like\(\): argument 'input' \(position 1\) must be Tensor, not <kind>", _not_a_tensor),
    (r"created only for scalar outputs|not one number", _are(NotScalar())),
)
"""Sentences and their readers. `<name>` stands for what `_GROUPS` has, else a number; `<<name>>` for a shape."""

_GROUPS = {"shape": r"\[[\d, ]*\]", "sizes": r"\[[-\d, ]*\]", "name": r"[^'\n]+", "owner": r"[\w.<>]+", "kind": r"\w+"}
_SHAPE, _NUMBER = r"[\[(][\d, ]*[\])]", r"-?\d+"


def _compiled(row: str) -> re.Pattern[str]:
    row = re.sub(r"<<(\w+)>>", lambda m: f"(?P<{m[1]}>{_SHAPE})", row)
    return re.compile(re.sub(r"(?<!\?P)<(\w+)>", lambda m: f"(?P<{m[1]}>{_GROUPS.get(m[1], _NUMBER)})", row))


_TABLE = [(_compiled(row), reader) for row, reader in _ROWS]
