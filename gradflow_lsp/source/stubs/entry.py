"""Which method of a class a probe calls: its forward, or where it has none the one that most looks like it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .program import FunctionNode, Program, dotted_name

_LIKELY = (
    re.compile(r"^(training_step|compute_loss|get_loss|calc_loss|loss|losses)$"),
    re.compile(r"loss|forward|train_?step"),
    re.compile(r"^(step|call|encode|predict|act|score|generate|sample|reconstruct|log_prob|features|run)$"),
)
_TRAINED = re.compile(
    r"loss|value|critic|evaluate|log_?prob|q_?\d?$|energy|decode|discriminat|classif|reconstruct|action"
)
_HAS_NO_FORWARD = ("Module", "LightningModule", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "ABC")


def entry_of(program: Program, class_name: str) -> FunctionNode | None:
    """Return the method to call, the class's own or inherited within the file.

    `None` means that the class is called for the forward of a layer that it extends.
    """
    line = list(_line(program, class_name))
    forward = method_of(program, class_name, "forward")
    bases = {dotted_name(base).rpartition(".")[2] for cls in line for base in cls.bases}
    imported = bases - {cls.name for cls in line} - {"object", "Generic", "Protocol", ""}
    if not _is_refused(forward) and (forward is not None or not imported <= set(_HAS_NO_FORWARD)):
        return forward
    methods = [method for method in _methods(program, class_name) if method is not forward]
    for pattern in _LIKELY:
        for method in methods:
            if pattern.search(method.name):
                return method
    return methods[0] if methods else None


def further_methods(program: Program, class_name: str) -> list[FunctionNode]:
    """Return the methods that a training step would call besides the one that a probe does, the likeliest first."""
    entry = entry_of(program, class_name)
    methods = [one for one in _methods(program, class_name) if one is not entry and _TRAINED.search(one.name)]
    return sorted(methods, key=lambda method: "loss" not in method.name)


def preparing_method(program: Program, class_name: str, attribute: str) -> str | None:
    """Return the method that sets an attribute that forward needs, where the constructor does not."""
    entry = entry_of(program, class_name)
    for cls in _line(program, class_name):
        for member in cls.body:
            if isinstance(member, ast.FunctionDef) and member is not entry and member.name != "__init__":
                stored = (node for node in ast.walk(member) if isinstance(node, ast.Attribute))
                if any(isinstance(n.ctx, ast.Store) and dotted_name(n) == f"self.{attribute}" for n in stored):
                    return member.name
    return None


def _methods(program: Program, class_name: str) -> list[ast.FunctionDef]:
    return [
        member
        for cls in _line(program, class_name)
        for member in cls.body
        if isinstance(member, ast.FunctionDef)
        and not member.name.startswith(("_", "configure_", "validation_", "test_", "on_", "set_", "reset_"))
        and not member.decorator_list
        and len(member.args.args) > 1
    ]


def _is_refused(method: FunctionNode | None) -> bool:
    """Say whether a method does nothing but raise: the class is not meant to be called."""
    body = [one for one in method.body if not isinstance(one, ast.Expr)] if method else []
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def method_of(program: Program, class_name: str, name: str) -> FunctionNode | None:
    """Return a method of a class or of an ancestor in the same file."""
    for cls in _line(program, class_name):
        for member in cls.body:
            if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)) and member.name == name:
                return member
    return None


def _line(program: Program, class_name: str) -> Iterator[ast.ClassDef]:
    """Yield a class and its ancestors in the same file, nearest first, each once."""
    seen: set[str] = set()
    pending = [class_name]
    while pending:
        name = pending.pop(0)
        if name in program.classes and name not in seen:
            seen.add(name)
            yield program.classes[name]
            pending += [dotted_name(base) for base in program.classes[name].bases]
