"""What could be meant by an argument that is called: layers, classes and functions of the file, a stand-in."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Sequence
from typing import Any

from . import words
from .guesses import Built, Factory, Guess, Named, StandIn, name_of
from .program import Program, dotted_name
from .values import Key, Tensor

_ACTIVATION = "torch.nn.ReLU"


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
    name = words.words_of(name_of(key))
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
