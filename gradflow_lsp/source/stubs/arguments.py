"""The first guess for each argument and input: from its annotation where there is one, else from its name."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from . import words
from .guesses import TABLE, Built, Factory, Fields, Guess, Named, Plain, Several, StandIn, TensorGuess, tensor_named
from .program import Program, dotted_name
from .values import Key, Tensor

_ACTIVATION, _NORM = "torch.nn.ReLU", "torch.nn.BatchNorm2d"
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
    name = _name(key)
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
    name = _name(key)
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


def callables(
    program: Program,
    key: Key,
    arguments: Sequence[Any],
    *,
    instance: bool | None = None,
    attributes: Collection[str] = (),
    keywords: Collection[str] = (),
) -> list[Guess]:
    """Return what could be meant by an argument that is called with `arguments`, the likeliest first.

    One that is called with tensors, or said to be an `instance`, is a layer; else it makes layers. `attributes` are
    those that are read of it, `keywords` the names that it is called with.
    """
    name = words.words_of(_name(key))
    is_layer = any(isinstance(one, Tensor) for one in arguments) if instance is None else instance
    found: list[Guess] = []
    if "act" in name or "nonlin" in name:
        found.append(Named(_ACTIVATION, called=is_layer))
    if "norm" in name:
        found += [Named(f"torch.nn.{kind}") for kind in ("LayerNorm", "BatchNorm2d", "BatchNorm1d", "Identity")]
    for cls in _classes_like(program, name):
        if is_layer:
            found.append(Built(cls))
        elif (keywords and not arguments) or _takes(program.classes[cls], len(arguments)):
            found.append(Named(cls))
    if is_layer:
        known = [_KNOWN_BY[one] for one in attributes if one in _KNOWN_BY]
        alike = [
            guess
            for guess in found
            if isinstance(guess, Named) or guess in [Built(cls) for cls in _classes_like(program, name)[:2]]
        ]
        takes_one = len(arguments) + len(keywords) <= 1
        usual = [_plain_layer(arguments), Named("torch.nn.Identity", called=True)] if takes_one else []
        return [
            *known,
            *alike,
            *usual,
            *([] if takes_one or known else [StandIn()]),
            *(guess for guess in found if guess not in alike),
        ]
    found = [*(Named(function) for function in _functions_like(program, name, len(arguments), keywords)), *found]
    if keywords and not arguments:
        out = next((one for one in keywords if re.search(r"class|out|dim|feat|size|width", one)), next(iter(keywords)))
        return [*(guess for guess in found if _names_all(program, guess, keywords)), Factory(tuple(keywords), out)]
    plain = [Named(f"torch.nn.{kind}") for kind in (("Linear", "Conv2d") if arguments else ("ReLU",))]
    return [*found, *plain]


_KNOWN_BY: dict[str, Guess] = {
    "d_model": Named("torch.nn.Transformer", called=True, sizes=(32, 4, 1, 1)),
    "in_features": Named("torch.nn.Linear", called=True, sizes=(16, 16)),
    "out_features": Named("torch.nn.Linear", called=True, sizes=(16, 16)),
    "out_channels": Named("torch.nn.Conv2d", called=True, sizes=(3, 16, 3)),
    "embedding_dim": Named("torch.nn.Embedding", called=True, sizes=(100, 32)),
    "num_embeddings": Named("torch.nn.Embedding", called=True, sizes=(100, 32)),
    "hidden_size": Named("torch.nn.GRU", called=True, sizes=(16, 32)),
    "input_size": Named("torch.nn.GRU", called=True, sizes=(16, 32)),
}
"""The layers of torch that have an attribute of that name."""


def _plain_layer(arguments: Sequence[Any]) -> Guess:
    """Return a layer that keeps the shape of the tensor it is called with."""
    shapes = [one.shape for one in arguments if isinstance(one, Tensor) and one.shape]
    width = shapes[0][-1] if shapes and len(shapes[0]) < 4 else None
    if width is None:
        return Named("torch.nn.Identity", called=True)
    return Named("torch.nn.Linear", called=True, sizes=(int(width), int(width)))


def _classes_like(program: Program, name: str) -> list[str]:
    """Return the layer classes of the file: the one of that name, those that share a word with it, all."""
    layers = [cls for cls, node in program.classes.items() if is_layer_class(program, node)]
    exact = _class_called(program, name)
    plain = re.sub(r"_?(cls|class|type|fn|func|layer|module)$", "", name).split("_")
    alike = [cls for cls in layers if any(len(word) > 2 and word in cls.lower() for word in plain)]
    return list(dict.fromkeys([*([exact] if exact else []), *alike, *layers]))[:6]


def _functions_like(program: Program, name: str, count: int, keywords: Collection[str]) -> list[str]:
    """Return the functions of the file that are called like an argument and take what that is called with."""
    plain = [word for word in re.split(r"_|fn|func", name) if len(word) > 2]
    return [
        function
        for function, node in program.functions.items()
        if plain and all(word in words.words_of(function) for word in plain)
        if _accepts(node.args, count, keywords)
    ]


def _accepts(parameters: ast.arguments, count: int, keywords: Collection[str]) -> bool:
    names = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
    required = names[count : len(names) - len(parameters.defaults)]
    known = {*names[count:], *(one.arg for one in parameters.kwonlyargs)}
    return count <= len(names) and set(required) <= set(keywords) <= known


def is_layer_class(program: Program, node: ast.ClassDef) -> bool:
    """Say whether a class of the file is a module, by the names of its ancestors."""
    bases = [dotted_name(base) for base in node.bases]
    inherited = [program.classes[base] for base in bases if base in program.classes and base != node.name]
    full = [program.imports.get(base.partition(".")[0], "") + base for base in bases]
    return any("nn" in one or one.endswith(("Module", "Block", "Layer")) for one in full) or any(
        is_layer_class(program, one) for one in inherited
    )


def _takes(node: ast.ClassDef, count: int) -> bool:
    """Say whether a class can be made with that many arguments."""
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            total = len(member.args.posonlyargs) + len(member.args.args) - 1
            return total - len(member.args.defaults) <= count <= total or member.args.vararg is not None
    return count == 0


def _names_all(program: Program, guess: Guess, keywords: Collection[str]) -> bool:
    """Say whether what is meant is a class of the file whose constructor has parameters of these names."""
    node = program.classes.get(guess.dotted) if isinstance(guess, Named) else None
    named = {
        one.arg
        for member in (node.body if node else ())
        if isinstance(member, ast.FunctionDef) and member.name == "__init__"
        for one in (*member.args.args, *member.args.kwonlyargs)
    }
    return named >= set(keywords)


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


def _class_called(program: Program, name: str) -> str | None:
    plain = words.words_of(name).replace("_", "")
    for cls in program.classes:
        if cls.lower() == plain or words.words_of(cls).replace("_", "") == plain:
            return cls
    if len(plain) < 4:
        return None
    by_end = [cls for cls in program.classes if cls.lower().endswith(plain)]
    if len(by_end) == 1:
        return by_end[0]
    close = difflib.get_close_matches(plain, [cls.lower() for cls in program.classes], 1, 0.8)
    return next((cls for cls in program.classes if close and cls.lower() == close[0]), None)


def _name(key: Key) -> str:
    """Return the name that says most about a key: its last one, in the singular for an element."""
    names = [part for part in key if isinstance(part, str)]
    return words.singular(names[-1]) if isinstance(key[-1], int) else names[-1]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
