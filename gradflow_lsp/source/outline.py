"""What a Python file holds for us: its probes, its model classes, and where their layers are written.

Read from the syntax tree alone, so it works on half-typed text and costs a few milliseconds a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from .parsing import Statement, statements, text_of
from .spans import Span

if TYPE_CHECKING:
    from tree_sitter import Node

PROBE_NAME = re.compile(r"gradflow_probe(?:_\w+)?")
_PASSED_BY_NAME = ("seed", "device")
_MODULE_BASES = ("Module", "LightningModule", "Sequential", "ModuleList", "ModuleDict")


@dataclass(frozen=True)
class ProbeSite:
    """A top-level function that a run can call."""

    function: str
    name_span: Span
    span: Span


@dataclass(frozen=True)
class ModelClass:
    """A top-level class; `layers` has the call that `__init__` assigns to each `self.<name>`."""

    name: str
    name_span: Span
    span: Span
    bases: tuple[str, ...]
    layers: dict[str, Span]
    is_module: bool


@dataclass(frozen=True)
class Mention:
    """A `self.<attribute>` chain under a position: `self.blocks[0].fc` has the path `("blocks", "0", "fc")`.

    An index or key that only a run can know is `"*"` in the path.
    """

    class_name: str
    attribute: str
    path: tuple[str, ...]
    span: Span


class Outline:
    """The probes and classes of one text, each read when first asked for: after a keystroke, most need neither.

    It keeps no syntax tree, which takes a hundred times as much memory as its text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def probes(self) -> tuple[ProbeSite, ...]:
        """The probes, top down."""
        return probes_in(self._text)

    @cached_property
    def classes(self) -> tuple[ModelClass, ...]:
        """The top-level classes, top down."""
        return tuple(_classes(_parsed(self._text)))

    def mention_at(self, line: int, column: int) -> Mention | None:
        """Return the `self.<attribute>` chain at a position (line from 1, column in code points from 0)."""
        for statement in _parsed(self._text):
            if statement.definition.type == "class_definition" and statement.span().contains(line, column):
                return _mention(statement, statement.lines.offset(line, column))
        return None


def outline(text: str) -> Outline:
    """Return the outline of `text`. Reading it never raises, whatever the text."""
    return Outline(text)


def probes_in(text: str) -> tuple[ProbeSite, ...]:
    """Read the probes of `text` alone, top down. Never raises, whatever the text."""
    probes = {
        site.function: site for site in map(_probe, _parsed(text)) if site
    }  # of two with one name the last counts
    return tuple(sorted(probes.values(), key=lambda site: site.span))


@lru_cache(maxsize=1)
def _parsed(text: str) -> list[Statement]:
    """Return the statements of a text; a cursor is mostly asked about in the text that was outlined last."""
    return statements(text)


def _probe(statement: Statement) -> ProbeSite | None:
    node = statement.definition
    name = node.child_by_field_name("name")
    if node.type != "function_definition" or name is None or not PROBE_NAME.fullmatch(text_of(name)):
        return None
    if node.children[0].type == "async" or not _callable_without_arguments(node):
        return None
    return ProbeSite(text_of(name), statement.span(name), statement.span())


def _callable_without_arguments(function: Node) -> bool:
    parameters = function.child_by_field_name("parameters")
    found = parameters.named_children if parameters else []
    nameless = next((at for at, parameter in enumerate(found) if parameter.type == "positional_separator"), 0)
    for at, parameter in enumerate(found):
        name = parameter if parameter.type == "identifier" else next(iter(parameter.named_children), None)
        required = parameter.type in ("identifier", "typed_parameter") and not text_of(name).startswith("*")
        if required and (at < nameless or text_of(name) not in _PASSED_BY_NAME):
            return False
    return True


def _classes(found: list[Statement]) -> Iterator[ModelClass]:
    aliases = dict(pair for statement in found for pair in _imported(statement.node))
    modules: set[str] = set()
    for statement in found:
        node = statement.definition
        name = node.child_by_field_name("name")
        if node.type != "class_definition" or name is None:
            continue
        bases = tuple(_bases(node))
        is_module = any(base in modules or _is_module_base(base, aliases) for base in bases)
        if is_module:
            modules.add(text_of(name))
        yield ModelClass(
            text_of(name), statement.span(name), statement.span(), bases, _layers(statement, node), is_module
        )


def _bases(class_node: Node) -> Iterator[str]:
    arguments = class_node.child_by_field_name("superclasses")
    for base in arguments.named_children if arguments else ():
        if base.type in ("identifier", "attribute"):
            yield text_of(base)
        elif base.type == "subscript":
            yield text_of(base.child_by_field_name("value"))


def _is_module_base(base: str, aliases: dict[str, str]) -> bool:
    first, *rest = base.split(".")
    dotted = ".".join([aliases.get(first, first), *rest])
    in_nn = dotted.startswith(("nn.", "torch.nn.")) and not dotted.endswith(".Parameter")
    return in_nn or dotted.rpartition(".")[2] in _MODULE_BASES


def _imported(statement: Node) -> Iterator[tuple[str, str]]:
    """Yield (name in this file, dotted name it stands for) for the renaming and `from` imports of a statement."""
    source = text_of(statement.child_by_field_name("module_name"))
    if statement.type not in ("import_statement", "import_from_statement"):
        return
    for name in statement.children_by_field_name("name"):
        dotted = text_of(name.child_by_field_name("name") or name)
        alias = text_of(name.child_by_field_name("alias"))
        if source:
            yield alias or dotted, f"{source}.{dotted}"
        elif alias:
            yield alias, dotted


def _layers(statement: Statement, class_node: Node) -> dict[str, Span]:
    layers: dict[str, Span] = {}
    for function in _methods(class_node):
        if text_of(function.child_by_field_name("name")) != "__init__":
            continue
        me = _first_parameter(function)
        for node in _assignments(function):
            for target, value in _pairs(node):
                attribute = _self_attribute(target, me)
                if attribute and value.type == "call":
                    layers.setdefault(attribute, statement.span(value))
    return layers


def _methods(class_node: Node) -> Iterator[Node]:
    body = class_node.child_by_field_name("body")
    for child in body.named_children if body else ():
        definition = child.child_by_field_name("definition") or child
        if definition.type == "function_definition":
            yield definition


def _assignments(function: Node) -> Iterator[Node]:
    """Yield the assignments of a function in source order, in its blocks but not in functions within it."""
    pending = [function.child_by_field_name("body")]
    while pending:
        node = pending.pop()
        if node is None:
            continue
        if node.type == "assignment":
            yield node
            pending.append(node.child_by_field_name("right"))  # `a = b = f()`
        elif node.type.endswith(("block", "_statement", "_clause", "ERROR")):
            pending.extend(node.named_children[::-1])


def _first_parameter(function: Node) -> str:
    parameters = function.child_by_field_name("parameters")
    first = next(iter(parameters.named_children), None) if parameters else None
    return text_of(first) if first is not None and first.type == "identifier" else "self"


def _pairs(assignment: Node) -> Iterator[tuple[Node, Node]]:
    """Yield each (target, value) of an assignment: `a, b = f(), g()` has two, `a = b = f()` is one within another."""
    target, value = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    while value is not None and value.type == "assignment":
        value = value.child_by_field_name("right")
    if target is None or value is None:
        return
    if target.type == "pattern_list" and value.type in ("expression_list", "tuple"):
        yield from zip(target.named_children, value.named_children, strict=False)
    else:
        yield target, value


def _self_attribute(node: Node, me: str) -> str:
    is_attribute = node.type == "attribute" and text_of(node.child_by_field_name("object")) == me
    return text_of(node.child_by_field_name("attribute")) if is_attribute else ""


def _mention(statement: Statement, offset: int) -> Mention | None:
    class_node = statement.definition
    method = next((m for m in _methods(class_node) if m.start_byte <= offset <= m.end_byte), None)
    if method is None:
        return None
    me = _first_parameter(method)
    # The second look is for a cursor that stands right behind the last character.
    for start in (offset, offset - 1):
        node = method.descendant_for_byte_range(start, start)
        while node is not None and node.type != "function_definition":
            path = _path(node, me)
            touched = node if len(path) == 1 else _last_link(node)
            if path and touched is not None and touched.start_byte <= offset <= touched.end_byte:
                name = text_of(class_node.child_by_field_name("name"))
                return Mention(name, path[0], path, statement.span(node))
            node = node.parent
    return None


def _last_link(node: Node) -> Node | None:
    return node.child_by_field_name("attribute") or node.child_by_field_name("subscript")


def _path(node: Node, me: str) -> tuple[str, ...]:
    """Return the attributes and keys from `self` to `node`, empty when the chain does not begin at `self`."""
    path: list[str] = []
    link: Node | None = node
    while link is not None and link.type in ("attribute", "subscript"):
        is_attribute = link.type == "attribute"
        path.append(text_of(_last_link(link)) if is_attribute else _key(_last_link(link)))
        link = link.child_by_field_name("object" if is_attribute else "value")
    return tuple(reversed(path)) if link is not None and link.type == "identifier" and text_of(link) == me else ()


def _key(node: Node | None) -> str:
    if node is not None and node.type == "integer":
        return text_of(node)
    if node is not None and node.type == "string" and node.named_child_count == 3:
        return text_of(node.named_children[1])
    return "*"
