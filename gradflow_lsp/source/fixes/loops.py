"""Loops that leave layers out: those that return in their first round, or go over fewer than were built."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix
from .syntax import arguments, around, attributes, called, class_of, mentions, method_name, positional, receiver

_LOOPS = ("for_statement", "list_comprehension", "dictionary_comprehension", "generator_expression")
_NAMED = ("add_module", "register_module", "append")


def return_after(code: Code, made: Node, container: str) -> Iterator[Fix]:
    """Move a `return` that ends the body of a loop over a container behind the loop, which else has one round only."""
    owner = class_of(made)
    for loop in descendants(owner) if owner is not None else ():
        body, source = loop.child_by_field_name("body"), loop.child_by_field_name("right")
        if loop.type != "for_statement" or body is None or source is None:
            continue
        of = {text_of(one) for one in (source, *descendants(source))}
        written = [one for one in body.named_children if one.type != "comment"]
        goes_on = any(node.type in ("continue_statement", "break_statement") for node in descendants(body))
        if f"self.{container}" not in of or loop.child_by_field_name("alternative") is not None or goes_on:
            continue
        following = loop.next_named_sibling
        while following is not None and following.type == "comment":
            following = following.next_named_sibling
        if following is not None:
            return  # what is there for when nothing was returned
        if len(written) > 1 and written[-1].type == "return_statement" and _is_carried(body, written[-1]):
            changes = code.dedented(written[-1], loop)
            if changes:
                yield Fix(titles.RETURN_AFTER, changes)
            return


def _is_carried(body: Node, result: Node) -> bool:
    """Tell whether what a loop returns is made of what the round before made: `x = layer(x)`, `rows.append(x)`."""
    for node in descendants(body):
        target = node.child_by_field_name("left")
        value = node.child_by_field_name("right")
        if method_name(node) == "append":
            target = value = receiver(node)
        is_again = node.type == "augmented_assignment" or (
            value is not None and (value == target or bool(mentions(value, text_of(target))))
        )
        if target is not None and is_again and mentions(result, text_of(target)):
            return True
    return False


def fewer_rounds(code: Code, made: Node, container: str) -> Iterator[Fix]:
    """Build only as many layers as a loop calls: the range of the one for the range of the other."""
    builds = next(around(made, *_LOOPS), None)
    built = _range_of(builds) if builds is not None else None
    owner = class_of(made)
    if builds is None or built is None or owner is None:
        return
    calls, moves = _calls_by_number(code, owner, builds, made, container)
    ranges = {text_of(one): one for one in map(_range_around, calls) if one is not None}
    if len(ranges) != 1 or len([one for one in calls if _range_around(one)]) != len(calls):
        return
    [goes_over] = ranges.values()
    text = _narrowed(owner, positional(built), positional(goes_over), moves)
    if text:
        yield Fix(titles.FEWER_LAYERS, (code.swap(built, f"range({text})"),))


def _range_of(loop: Node) -> Node | None:
    """Return the `range(…)` that a loop goes over."""
    clauses = [one for one in loop.named_children if one.type == "for_in_clause"]
    head = loop if loop.type == "for_statement" else clauses[0] if len(clauses) == 1 else None
    source = head.child_by_field_name("right") if head is not None else None
    is_range = (
        source is not None and source.type == "call" and text_of(source.child_by_field_name("function")) == "range"
    )
    return source if is_range and source is not None and 0 < len(positional(source)) < 3 else None


def _counter(loop: Node) -> str:
    head = next((one for one in loop.named_children if one.type == "for_in_clause"), loop)
    return text_of(head.child_by_field_name("left"))


def _range_around(use: Node) -> Node | None:
    """Return the range that gives the number with which a layer is asked for."""
    loop = next(around(use, *_LOOPS), None)
    counted = loop is not None and any(
        node.type == "identifier" and text_of(node) == _counter(loop) for node in descendants(use)
    )
    return _range_of(loop) if loop is not None and counted else None


def _calls_by_number(code: Code, owner: Node, builds: Node, made: Node, container: str) -> tuple[list[Node], bool]:
    """Return where layers are asked for by a number, and whether they would have other numbers if the first went."""
    if container:
        uses = [one for one in attributes(owner, container) if not _fills(one)]
        holders = [use.parent for use in uses if use.parent is not None and _is_numbered(use.parent)]
        return (holders if len(holders) == len(uses) else []), True
    name = next((given for call in around(made, "call") if (given := _name_given(code, call)) is not None), None)
    if name is None or _counter(builds) not in {text_of(node) for node in descendants(name)}:
        return [], False
    asks = [node for node in descendants(owner) if called(code.names, node) == "getattr"]
    same = [ask for ask in asks if len(positional(ask)) > 1 and text_of(positional(ask)[1]) == text_of(name)]
    return (same if len(same) == len(asks) else []), False


def _is_numbered(item: Node) -> bool:
    """Tell whether an item is asked for by a name alone: `layers[i]`, not `layers[i + 1]`."""
    index = item.child_by_field_name("subscript") if item.type == "subscript" else None
    return index is not None and index.type == "identifier"


def _fills(use: Node) -> bool:
    """Tell whether a mention of a container makes it, or puts something in."""
    holder = use.parent
    if holder is None:
        return False
    makes = holder.type == "assignment" and holder.child_by_field_name("left") == use
    return makes or (holder.type == "attribute" and method_name(holder.parent) in _NAMED)


def _name_given(code: Code, call: Node) -> Node | None:
    """Return the name under which `setattr` or `add_module` keeps what is given to it."""
    given = arguments(call)
    if called(code.names, call) == "setattr" and len(given) == 3:
        return given[1]
    return given[0] if method_name(call) in ("add_module", "register_module") and len(given) == 2 else None


def _narrowed(owner: Node, built: list[Node], called_for: list[Node], moves: bool) -> str:
    """Return the arguments of the range that builds what the other calls, empty where it is not a part of that."""
    start, stop = ("0", *map(text_of, built))[-2:]
    called_start, called_stop = ("0", *map(text_of, called_for))[-2:]
    if _same(owner, stop, called_stop) and called_start.isdigit() and start == "0" and called_start != "0":
        return "" if moves else f"{called_start}, {stop}"
    last = called_for[-1]
    left, right = last.child_by_field_name("left"), last.child_by_field_name("right")
    less = last.type == "binary_operator" and text_of(last.child_by_field_name("operator")) == "-"
    ends_sooner = less and right is not None and right.type == "integer" and _same(owner, stop, text_of(left))
    if start != called_start or not ends_sooner:
        return ""
    return f"{f'{start}, ' if len(built) > 1 else ''}{stop} - {text_of(right)}"


def _same(owner: Node, one: str, other: str) -> bool:
    """Tell whether two expressions are the same, or a class keeps the one as the other: `self.n = n`."""
    kept = {
        frozenset((text_of(node.child_by_field_name("left")), text_of(node.child_by_field_name("right"))))
        for node in descendants(owner)
        if node.type == "assignment"
    }
    return one == other or frozenset((one, other)) in kept
