"""The first guess for each argument and input: from its annotation where there is one, else from its name."""

from __future__ import annotations

import ast
from dataclasses import replace

from . import words
from .callables import callables
from .guesses import (
    TABLE,
    Built,
    Fields,
    Guess,
    Named,
    Plain,
    Several,
    TensorGuess,
    name_of,
    tensor_named,
)
from .program import Program, dotted_name
from .values import Key

_SEQUENCES = ("list", "List", "Sequence", "Iterable", "Collection", "tuple", "Tuple", "ListConfig", "Size")
_TENSORS = {
    "LongTensor": "int64",
    "IntTensor": "int64",
    "BoolTensor": "bool",
    "FloatTensor": "float32",
    "Tensor": "",
    "DoubleTensor": "float64",
}
_SHAPED = {
    "Float": "float32",
    "Int": "int64",
    "Integer": "int64",
    "Bool": "bool",
    "Shaped": "float32",
    "UInt8": "uint8",
    "Num": "float32",
    "Inexact": "float32",
    "Real": "float32",
}


def first_guess(program: Program, key: Key, annotation: ast.expr | None = None) -> Guess:
    """Return the first guess for the argument or input at `key`."""
    name = name_of(key)
    annotated = from_annotation(program, key, annotation) if annotation is not None else None
    if annotated is not None:
        return annotated
    if key[0] == "input":
        return tensor_named(name)
    if isinstance(key[-1], int):
        return _element(key, words.number_named(name))
    if words.names_several(name):
        of_a_space = len(key) > 1 and str(key[-2]).endswith("space")  # as reinforcement learning calls it
        if of_a_space:
            return Several(1, "tuple")
        return Several(3, "tuple") if name.endswith("shape") else Several(2)
    if words.names_numbering(name):
        return Fields("numbering")
    same = [cls for cls in program.classes if words.words_of(cls) == words.words_of(name)]
    if same:
        return Built(same[0])
    if words.names_settings(name):
        configs = [cls for cls in program.classes if words.names_settings(cls)]
        return Built(configs[0]) if len(configs) == 1 else Fields()
    return Plain(words.value_named(name))


def from_annotation(program: Program, key: Key, annotation: ast.expr) -> Guess | None:
    """Return the guess that an annotation asks for, `None` where it says nothing useful."""
    name = name_of(key)
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    if isinstance(annotation, ast.BinOp):  # X | None
        sides = [side for side in (annotation.left, annotation.right) if not _is_none(side)]
        return next((guess for side in sides if (guess := from_annotation(program, key, side)) is not None), None)
    inner: list[ast.expr] = []
    if isinstance(annotation, ast.Subscript):
        inner = list(annotation.slice.elts) if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        annotation = annotation.value
    full = dotted_name(annotation)
    last = full.rpartition(".")[2]
    if last in ("Optional", "Union", "Final", "Annotated"):
        return next(
            (g for one in inner if not _is_none(one) and (g := from_annotation(program, key, one)) is not None), None
        )
    if last in program.classes:
        return _of_class(program, last)
    if full in program.constants and full != dotted_name(program.constants[full]):  # an alias of a type
        return from_annotation(program, key, program.constants[full])
    match last:
        case "int" | "float":
            number = words.number_named(name)
            wanted = int(number) if last == "int" else number
            return _element(key, (wanted or 8) if last == "int" else float(wanted))
        case "bool":
            return Plain(words.flag_named(name))
        case "str":
            return Plain(words.text_named(name))
        case "Literal":
            first = inner[0] if inner else None
            value = first.value if isinstance(first, ast.Constant) else ...
            return Plain(value) if value is None or isinstance(value, (str, int, float)) else None
        case "ModuleList" if key[0] == "model":
            return Several(2, "ModuleList")
        case "Callable" | "Type" | "type" | "Module" | "ModuleList" | "Sequential":
            found = callables(program, key, [], instance=last in ("Module", "ModuleList", "Sequential"))
            return found[0] if found else None
        case "Namespace" | "SimpleNamespace" | "DictConfig" | "AttrDict" | "EasyDict" | "Box" | "ConfigDict":
            return Fields()
        case "dict" | "Dict" | "Mapping" | "MutableMapping":
            return Fields("numbering" if words.names_numbering(name) else "mapping")
        case "device":
            return Plain("cpu")
        case "ndarray" | "NDArray":
            guess = tensor_named(name) if key[0] == "input" else TABLE
            return replace(guess, array=True)
    if last in _SEQUENCES:
        return _sequence(inner, last, key)
    if last in _TENSORS:
        guess = tensor_named(name)
        return (
            TensorGuess(guess.dims, _TENSORS[last], "ids" if _TENSORS[last] == "int64" else "normal")
            if _TENSORS[last]
            else guess
        )
    if last in _SHAPED and inner:
        return shaped(inner[-1], _SHAPED[last])
    return None


def shaped(node: ast.expr, dtype: str) -> TensorGuess | None:
    """Return the guess for an annotation that spells the shape, as in `Float[Tensor, "batch channels"]`."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    dims = tuple(int(word) if word.isdigit() else word.lstrip("*#_?") for word in node.value.split() if word != "...")
    fill = {"bool": "ones"}.get(dtype, "ids" if dtype.startswith(("int", "uint")) else "normal")
    return TensorGuess(dims, dtype, fill)


def _of_class(program: Program, name: str) -> Guess:
    node = program.classes[name]
    bases = {dotted_name(base).rpartition(".")[2] for base in node.bases}
    if bases & {"Enum", "IntEnum", "StrEnum"}:
        for statement in node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                return Named(f"{name}.{statement.targets[0].id}")
    return Built(name)


def _sequence(inner: list[ast.expr], kind: str, key: Key) -> Guess:
    form = "tuple" if kind in ("tuple", "Tuple") else "list"
    is_ellipsis = [isinstance(one, ast.Constant) and one.value is Ellipsis for one in inner]
    if form == "tuple" and inner and not any(is_ellipsis):
        return Several(len(inner), form, tuple(inner))
    return Several(2, form, inner[0] if inner else None)


def _element(key: Key, number: int | float) -> Plain:
    """Return a number; in a sequence of widths each one is twice the one before, so that a mix-up would show."""
    position = key[-1]
    grows = isinstance(position, int) and isinstance(number, int) and number >= 8
    return Plain(int(number) * 2 ** min(int(position), 4) if grows else number)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
