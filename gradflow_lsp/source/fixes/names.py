"""What the names of a file mean, and how the file itself would write a thing of torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from ..parsing import Statement, descendants, text_of
from ..spans import Span
from ..stubs.style import import_line, style_of
from .edits import Replacement

_USUAL = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional"}
"""What these names mean where nothing in the file binds them: a star import did."""


class Names:
    """The imports of a text's top level; names that anything else in it binds mean nothing here."""

    def __init__(self, text: str, found: Sequence[Statement]) -> None:
        self._text = text
        self._found = found

    @cached_property
    def _imports(self) -> dict[str, str]:
        return dict(pair for statement in self._found for pair in _imported(statement.node))

    @cached_property
    def _others(self) -> set[str]:
        return {name for statement in self._found for name in bound(statement.node)}

    def meaning(self, node: Node | None) -> str:
        """Return the full dotted name of a chain of names (`nn.ReLU`: `torch.nn.ReLU`), empty for anything else."""
        parts: list[str] = []
        while node is not None and node.type == "attribute":
            parts.append(text_of(node.child_by_field_name("attribute")))
            node = node.child_by_field_name("object")
        if node is None or node.type != "identifier":
            return ""
        name = text_of(node)
        if name in self._others:
            return ""
        return ".".join([self._imports.get(name) or _USUAL.get(name, name), *reversed(parts)])

    def is_of_the_file(self, name: str) -> bool:
        """Tell whether a name is imported by the file and means nothing else anywhere in it."""
        return name in self._imports and name not in self._others

    def is_imported(self, node: Node | None) -> bool:
        """Tell whether a chain of names begins with what the file imports: `ops.clamp` is a function, no method."""
        while node is not None and node.type == "attribute":
            node = node.child_by_field_name("object")
        return node is not None and node.type == "identifier" and text_of(node) in self._imports

    def spell(self, dotted: str) -> tuple[str, tuple[Replacement, ...]]:
        """Return how the file writes a thing of torch, and the import that it lacks for that, if any."""
        ways = [
            alias + dotted[len(path) :]
            for alias, path in self._imports.items()
            if alias not in self._others and (dotted == path or dotted.startswith(f"{path}."))
        ]
        if ways:
            return min(ways, key=lambda way: (len(way), way)), ()
        taken = self._others | self._imports.keys()
        if "nn" not in taken and dotted.startswith("torch.nn."):
            return dotted.removeprefix("torch."), (self._new_import("from torch import nn"),)
        return dotted, (self._new_import("import torch"),)

    def spell_root(self) -> tuple[str, tuple[Replacement, ...]]:
        """Return the name under which the file has torch, and the import that it lacks for that, if any."""
        ways = [alias for alias, path in self._imports.items() if path == "torch" and alias not in self._others]
        return (ways[0], ()) if ways else ("torch", (self._new_import("import torch"),))

    def _new_import(self, statement: str) -> Replacement:
        line = import_line(self._text)
        column = int(line == 1 and self._text.startswith("\ufeff"))
        return Replacement(Span(line, column, line, column), statement + style_of(self._text).newline)


def _imported(top: Node) -> Iterator[tuple[str, str]]:
    """Yield (name, the dotted name it stands for) for the imports of a top-level statement."""
    for node in (top, *descendants(top, into_functions=False)):
        if node.type not in ("import_statement", "import_from_statement"):
            continue
        source = text_of(node.child_by_field_name("module_name"))
        for name in node.children_by_field_name("name"):
            dotted = text_of(name.child_by_field_name("name") or name)
            alias = text_of(name.child_by_field_name("alias"))
            if source:
                yield alias or dotted, f"{source}.{dotted}"
            else:
                yield (alias, dotted) if alias else (dotted.partition(".")[0],) * 2


def bound(top: Node) -> Iterator[str]:
    """Yield every name that is bound by anything but an import, at any depth."""
    for node in (top, *descendants(top)):
        if node.type in ("function_definition", "class_definition"):
            yield text_of(node.child_by_field_name("name"))
        for target in _targets(node):
            yield from (text_of(name) for name in (target, *descendants(target)) if name.type == "identifier")


def _targets(node: Node) -> Iterator[Node]:
    if node.type in ("assignment", "augmented_assignment", "for_statement", "for_in_clause"):
        target = node.child_by_field_name("left")
        if target is not None and target.type in ("identifier", "pattern_list", "tuple_pattern", "list_pattern"):
            yield target
    elif node.type in ("parameters", "lambda_parameters"):
        for parameter in node.named_children:
            yield parameter.child_by_field_name("name") or next(
                (child for child in parameter.named_children if child.type == "identifier"), parameter
            )
    elif node.type in ("as_pattern_target", "named_expression"):
        yield node.child_by_field_name("name") or node
