"""Stretches of numpy between a tensor and a tensor, written with torch where torch has the same functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix, Replacement
from .numpy_twins import FUNCTIONS, KEYWORDS, METHODS, OF_ARRAYS, OF_LISTS, is_number, takes
from .syntax import (
    arguments,
    around,
    called,
    function_of,
    goes_on,
    has_comments,
    is_chained,
    is_changed_in_place,
    keyword,
    mentions,
    method_name,
    positional,
    receiver,
)

_WRAPS = ("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.asarray")
_ARITHMETIC = ("+", "-", "*", "/", "**", "@")
_FLOATS = ("float32", "float64", "float16")


@dataclass
class _Stretch:
    """What of a function is an array on the way from a tensor to a tensor, and what changes for it to be a tensor."""

    code: Code
    arrays: set[int] = field(default_factory=set)
    """The identities of the expressions that are arrays."""
    pending: list[Node] = field(default_factory=list)
    checks: list[Node] = field(default_factory=list)
    """Expressions that are fine if all in them are arrays or numbers."""
    members: list[Node] = field(default_factory=list)
    """Expressions that are fine if they are arrays."""
    changes: dict[Replacement, None] = field(default_factory=dict)
    ends: bool = False
    """Whether a tensor is made of it again."""

    def add(self, node: Node) -> None:
        """Take note that a node is an array."""
        if node.id not in self.arrays:
            self.arrays.add(node.id)
            self.pending.append(node)

    def change(self, start: int, end: int, text: str = "") -> None:
        """Replace some bytes by a text."""
        if start < end or text:
            self.changes[self.code.replace(start, end, text)] = None

    def rename(self, node: Node, name: str) -> None:
        """Put another name in the place of a node."""
        if text_of(node) != name:
            self.change(node.start_byte, node.end_byte, name)

    def in_torch(self, name: str) -> str:
        """Return how the file calls a thing of torch; it is imported where that has not been."""
        root, imports = self.code.names.spell_root()
        self.changes.update(dict.fromkeys(imports))
        return f"{root}.{name}"


def with_torch(code: Code, call: Node, value: Node) -> Iterator[Fix]:
    """Write what is reckoned with numpy, from the `x.numpy()` to the `torch.from_numpy(…)`, with torch.

    `value` is the tensor that the call takes out of autograd.
    """
    if function_of(call) is None:
        return
    stretch = _Stretch(code)
    stretch.change(call.start_byte, value.start_byte)
    stretch.change(value.end_byte, call.end_byte)
    stretch.add(call)
    while stretch.pending:
        if not _follow(stretch, stretch.pending.pop()):
            return
    is_sure = all(_is_fine(stretch, node) for node in stretch.checks)
    if stretch.ends and is_sure and all(node.id in stretch.arrays for node in stretch.members):
        yield Fix(titles.WITH_TORCH, tuple(stretch.changes))


def _follow(stretch: _Stretch, node: Node) -> bool:
    """Say what becomes of an array in what holds it; whether torch can do that too."""
    holder = node.parent
    if holder is None:
        return False
    if holder.type in ("parenthesized_expression", "unary_operator"):
        stretch.add(holder)
        return True
    if holder.type == "binary_operator":
        stretch.add(holder)
        stretch.checks += [one for one in holder.named_children if one.type != "comment"]
        return text_of(holder.child_by_field_name("operator")) in _ARITHMETIC
    if holder.type == "subscript" and holder.child_by_field_name("value") == node:
        return _item(stretch, node, holder)
    if holder.type == "attribute" and receiver(holder) == node:
        return _attribute(stretch, holder)
    if holder.type == "assignment" and holder.child_by_field_name("right") == node:
        return _name(stretch, holder)
    if holder.type == "argument_list" and holder.parent is not None:
        return _argument(stretch, node, holder.parent)
    if holder.type == "list" and holder.parent is not None and holder.parent.parent is not None:
        function = called(stretch.code.names, holder.parent.parent)
        return function in OF_LISTS and _argument(stretch, holder, holder.parent.parent)
    return False


def _item(stretch: _Stretch, node: Node, item: Node) -> bool:
    assignment = item.parent
    is_written = assignment is not None and assignment.type in ("assignment", "augmented_assignment")
    if any(_is_backwards(one) for one in (item, *descendants(item)) if one.type == "slice"):
        return False
    if assignment is None or not is_written or assignment.child_by_field_name("left") != item:
        stretch.add(item)
        return True
    value = assignment.child_by_field_name("right")
    return value is not None and is_number(value) and _is_free(stretch, node, assignment)


def _is_backwards(piece: Node) -> bool:
    """Tell whether a slice may go backwards, which torch cannot."""
    steps = text_of(piece).split(":")[2:]
    return any(step.strip() and not step.strip().isdigit() for step in steps)


def _is_free(stretch: _Stretch, name: Node, write: Node) -> bool:
    """Tell whether no backward needs the value that a name was given, so that it may be written into."""
    scope = function_of(name)
    if scope is None:
        return False
    made = [
        node.child_by_field_name("right")
        for node in descendants(scope)
        if node.type == "assignment" and text_of(node.child_by_field_name("left")) == text_of(name)
    ]
    function = called(stretch.code.names, made[0]) if len(made) == 1 else ""
    end = max([write.end_byte, *(loop.end_byte for loop in around(write, "for_statement", "while_statement"))])
    before = [use for use in mentions(scope, text_of(name)) if use.start_byte < end and not _is_place(use)]
    is_new = function.startswith("numpy.fft.") or (len(made) == 1 and method_name(made[0]) == "copy")
    return is_new and not before


def _is_place(use: Node) -> bool:
    """Tell whether a mention is what is assigned to, or what only its shape is read of."""
    holder = use.parent
    if holder is not None and holder.type == "subscript" and holder.child_by_field_name("value") == use:
        use, holder = holder, holder.parent
    if holder is None or holder.type == "attribute":
        return holder is not None and text_of(holder.child_by_field_name("attribute")) in ("shape", "ndim")
    return holder.child_by_field_name("left") == use and holder.type in ("assignment", "augmented_assignment")


def _attribute(stretch: _Stretch, attribute: Node) -> bool:
    code, call = stretch.code, attribute.parent
    name = attribute.child_by_field_name("attribute")
    if text_of(name) in ("shape", "ndim"):
        return True
    if call is None or call.child_by_field_name("function") != attribute or name is None:
        return False
    stretch.add(call)
    if text_of(name) == "astype":
        given = positional(call)
        kind = code.names.meaning(given[0]) if len(given) == len(arguments(call)) == 1 else ""
        if not kind.startswith("numpy.") or kind.rpartition(".")[2] not in _FLOATS:
            return False
        stretch.rename(name, "to")
        stretch.rename(given[0], stretch.in_torch(kind.rpartition(".")[2]))
        return True
    if text_of(name) not in METHODS:
        return False
    method = text_of(name)
    stretch.rename(name, METHODS[method])
    if method == "reshape":
        return all(one.type not in ("string", "keyword_argument", "list_splat") for one in arguments(call))
    return takes(method, positional(call), call) and _keywords(stretch, call)


def _keywords(stretch: _Stretch, call: Node) -> bool:
    """Rename the keywords of a call; whether all of them have a name in torch, and none is starred."""
    for one in arguments(call):
        name = one.child_by_field_name("name") if one.type == "keyword_argument" else None
        if one.type in ("list_splat", "dictionary_splat") or (name is not None and text_of(name) not in KEYWORDS):
            return False
        if name is not None:
            stretch.rename(name, KEYWORDS[text_of(name)])
    return True


def _name(stretch: _Stretch, assignment: Node) -> bool:
    """Follow the name that an array is given, wherever the function reads it."""
    target, scope = assignment.child_by_field_name("left"), function_of(assignment)
    if target is None or target.type != "identifier" or scope is None or is_chained(assignment):
        return False
    if assignment.child_by_field_name("type") is not None:
        return False  # it says that this is an array
    for use in mentions(scope, text_of(target)):
        if use == target:
            continue
        if use.start_byte < assignment.start_byte:
            return False
        holder = use.parent
        if holder is None or holder.type != "assignment" or holder.child_by_field_name("left") != use:
            stretch.add(use)
        elif (value := holder.child_by_field_name("right")) is not None:
            stretch.checks.append(value)
    return True


def _argument(stretch: _Stretch, given: Node, call: Node) -> bool:
    name = called(stretch.code.names, call)
    if name in _WRAPS:
        return _unwrap(stretch, given, call)
    if method_name(call) == "append" and arguments(call) == [given]:
        return _collected(stretch, call)
    function = call.child_by_field_name("function")
    short, places = name.removeprefix("numpy."), positional(call)
    if name not in FUNCTIONS or function is None or given not in places:
        return False
    if (given.type == "list") != (name in OF_LISTS):
        return False
    if short in OF_ARRAYS:
        stretch.members += [one for one in places if one.type != "string"]
    elif short == "reshape":
        if places[0] != given or len(arguments(call)) != 2 or places[-1].type != "tuple":
            return False
    elif places[0] != given or not takes(short, places[1:], call):
        return False
    stretch.members += [one for one in given.named_children if given.type == "list" and one.type != "comment"]
    stretch.rename(function, stretch.in_torch(FUNCTIONS[name]))
    stretch.add(call)
    return _keywords(stretch, call)


def _unwrap(stretch: _Stretch, given: Node, wrap: Node) -> bool:
    """Take off the call that makes a tensor of an array, but move and cast as it says."""
    named = {text_of(one.child_by_field_name("name")) for one in arguments(wrap) if one.type == "keyword_argument"}
    holder, scope = wrap.parent, function_of(wrap)
    target = holder.child_by_field_name("left") if holder is not None and holder.type == "assignment" else None
    if target is not None and scope is not None and is_changed_in_place(scope, text_of(target)):
        return False
    if positional(wrap) != [given] or not named <= {"dtype", "device"} or has_comments(wrap, given):
        return False
    moves = [one for one in (keyword(wrap, "device"), keyword(wrap, "dtype")) if one is not None]
    after = "".join(f".to({text_of(one.child_by_field_name('value'))})" for one in moves)
    loose = given.type in ("binary_operator", "unary_operator") or goes_on(given)
    stretch.change(wrap.start_byte, given.start_byte, "(" if loose else "")
    stretch.change(given.end_byte, wrap.end_byte, f"{')' if loose else ''}{after}")
    stretch.ends = True
    return True


def _collected(stretch: _Stretch, append: Node) -> bool:
    """Follow the list that an array is put into: all that may be done with it is to make one array of it."""
    container, scope = receiver(append), function_of(append)
    container = receiver(container) if container is not None and container.type == "attribute" else container
    if container is None or container.type != "identifier" or scope is None:
        return False
    is_own = False
    for use in mentions(scope, text_of(container)):
        holder = use.parent
        if holder is None or use == container:
            continue
        if holder.type == "assignment" and holder.child_by_field_name("left") == use:
            value, is_own = holder.child_by_field_name("right"), True
            if value is None or value.type != "list" or value.named_children or is_chained(holder):
                return False
        elif holder.type == "argument_list" and called(stretch.code.names, holder.parent) in OF_LISTS:
            if holder.parent is None or not _list(stretch, use, holder.parent):
                return False
        else:
            return False
    return is_own


def _list(stretch: _Stretch, name: Node, call: Node) -> bool:
    """Stack a list of arrays."""
    function = call.child_by_field_name("function")
    short = called(stretch.code.names, call).removeprefix("numpy.")
    if function is None or positional(call)[:1] != [name] or not takes(short, positional(call)[1:], call):
        return False
    stretch.rename(function, stretch.in_torch(FUNCTIONS[called(stretch.code.names, call)]))
    stretch.add(call)
    return _keywords(stretch, call)


def _is_fine(stretch: _Stretch, other: Node) -> bool:
    """Tell whether an expression that an array is reckoned with is a number, or an array that is followed too."""
    return other.id in stretch.arrays or other.type == "comment" or is_number(other)
