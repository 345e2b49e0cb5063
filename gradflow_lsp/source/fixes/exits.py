"""Values that leave autograd and come back: the round trip taken out, where what lies within is the very same value."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import text_of
from . import titles
from .arrays import with_torch
from .code import Code
from .edits import Fix, Replacement
from .items import MATHS, collected, is_list_of_tensors, scalar, stack_of_numbers, stacked
from .reckoning import TRANSPARENT, reckoned_with, uses
from .syntax import (
    arguments,
    around,
    called,
    function_of,
    is_chained,
    is_changed_in_place,
    method_name,
    positional,
    receiver,
    tight,
)
from .wraps import PARAMETER, WRAPS, inside, unwrapping

_SEVERAL = ("list", "tuple", "sorted", "map", "zip", "reversed", "filter", "dict", "set")
_VIEWS = ("values", "items", "keys")
_LISTS = (
    "list", "tuple", "set", "dictionary", "list_comprehension", "set_comprehension", "generator_expression",
    "conditional_expression", "boolean_operator", "list_splat", "lambda",
)  # fmt: skip
"""What no tensor is written as, or not always."""
_WAY_OUT = ("detach", "cpu", "numpy", "item", "tolist")


def left_autograd(code: Code) -> Iterator[Fix]:
    """Write the value itself where it was taken out of autograd and wrapped anew."""
    for call in code.within("call"):
        name = called(code.names, call)
        if name in (*WRAPS, *PARAMETER):
            yield from _rewrapped(code, call)
        elif name in MATHS and len(arguments(call)) == 1:
            found = [*_with_torch(code, call, call, arguments(call)[0])]
            one = stacked(code, call, arguments(call)[0]) if not found else None
            yield from found if one is None else [one]
        elif method_name(call) == "item":
            yield from _number(code, call, receiver(call))
        elif name == "float":
            yield from _number(code, call, next(iter(positional(call)), None))
        elif method_name(call) in ("numpy", "tolist"):
            yield from _taken_out(code, call)
        elif name in ("numpy.array", "numpy.asarray") and len(positional(call)) == len(arguments(call)) == 1:
            value, is_number = _brought_out(positional(call)[0])
            is_cut = method_name(positional(call)[0]) in _WAY_OUT and not is_number
            yield from with_torch(code, call, value) if value is not None and is_cut else ()
        else:
            continue
        return


def _rewrapped(code: Code, call: Node) -> Iterator[Fix]:
    """Take out the `torch.tensor(…)` around a tensor; around a list of tensors, stack them."""
    given = positional(call)
    if len(given) == 1 and called(code.names, call) == "torch.tensor" and is_list_of_tensors(given[0]):
        text = stack_of_numbers(code, call, given[0])
        if text:
            yield Fix(titles.write_instead(text), (code.swap(call, text),))
        return
    assignment = call.parent if call.parent is not None and call.parent.type == "assignment" else None
    target = assignment.child_by_field_name("left") if assignment is not None else None
    if called(code.names, call) in PARAMETER and target is not None and target.type != "identifier":
        return  # the place of a parameter takes nothing else
    scope, name = function_of(call), text_of(target)
    if scope is not None and target is not None and is_changed_in_place(scope, name):
        return  # what was made anew may be written into, what it was made of may not
    text = inside(call) if given and _may_be_a_tensor(given[0]) else None
    if text is not None:
        yield Fix(titles.write_instead(text), (code.swap(call, text),), preferred=True)


def _may_be_a_tensor(value: Node) -> bool:
    """Tell whether an expression is not plainly a list, or at times a number."""
    function = text_of(value.child_by_field_name("function")) if value.type == "call" else ""
    is_several = function in _SEVERAL or method_name(value) in _VIEWS
    return not is_several and value.type not in _LISTS


def _with_torch(code: Code, number: Node, call: Node, value: Node) -> Iterator[Fix]:
    """Put the function of torch in place of one of math or numpy."""
    root, imports = code.names.spell_root()
    spelled = MATHS[called(code.names, call)].replace("torch", root, 1)
    others = reckoned_with(code, call)
    if others is not None or number != call:
        text = f"{spelled}({text_of(value)})"
        yield Fix(titles.write_instead(text), (*imports, code.swap(call, text), *(others or ())))


def _number(code: Code, call: Node, value: Node | None) -> Iterator[Fix]:
    """Keep the tensor where its number is only reckoned with, or wrapped again."""
    holder = next(around(call, "call"), None)
    if value is None:
        return
    if holder is not None and arguments(holder)[:1] == [call] and called(code.names, holder) in WRAPS:
        yield from _round_trip(code, call)
    elif (one := stacked(code, call, value)) is not None:
        yield one
    elif holder is not None and arguments(holder) == [call] and called(code.names, holder) in MATHS:
        yield from _with_torch(code, call, holder, value)
    elif holder is not None and called(code.names, holder) == "round" and positional(holder)[:1] == [call]:
        yield from _rounded(code, holder, value)
    elif found := [*collected(code, call, value)]:
        yield from found
    elif (others := reckoned_with(code, call)) is not None:
        by_method = method_name(call) == "item"
        own = code.drop_last_part(call) if by_method else code.swap(call, tight(value))
        yield Fix(titles.remove(".item()" if by_method else "float()"), (own, *others))


def _rounded(code: Code, call: Node, value: Node) -> Iterator[Fix]:
    """Round a tensor to some digits where its number was, and lead the gradient past that."""
    given, others = arguments(call), reckoned_with(code, call)
    if len(given) != 2 or given[1].type != "integer" or value.type not in ("identifier", "attribute") or others is None:
        return
    root, imports = code.names.spell_root()
    x, holder = text_of(value), call.parent
    text = f"{x} + ({root}.round({x}, decimals={text_of(given[1])}) - {x}).detach()"
    text = f"({text})" if holder is not None and holder.type in TRANSPARENT else text
    yield Fix(titles.straight_through("round"), (*imports, code.swap(call, text), *others))


def _round_trip(code: Code, call: Node) -> Iterator[Fix]:
    """Take out `torch.tensor(x.detach().cpu().numpy())` around `x`, also where it is done in two steps."""
    value, is_scalar = _brought_out(call)
    if value is None:
        return
    rewrap = next(around(call, "call"), None)
    if rewrap is not None and called(code.names, rewrap) in WRAPS and positional(rewrap) == [call]:
        text = inside(rewrap, scalar(value) if is_scalar else tight(value))
        if text is not None:
            yield Fix(titles.write_instead(text), (code.swap(rewrap, text),), preferred=True)
        return
    wraps = _only_wraps(code, call)
    if wraps and not is_scalar:
        changes = [code.swap(call, text_of(value)), *(change for wrap in wraps for change in wrap)]
        yield Fix(titles.write_instead(text_of(value)), tuple(changes), preferred=True)


def _taken_out(code: Code, call: Node) -> Iterator[Fix]:
    """Leave a tensor where it is made an array or a list of numbers: at once, all along, or item by item."""
    found = [*_round_trip(code, call)]
    value, is_number = _brought_out(call)
    if not found and value is not None and not is_number:
        found = [*(with_torch(code, call, value) if method_name(call) == "numpy" else collected(code, call, value))]
    yield from found


def _brought_out(call: Node) -> tuple[Node | None, bool]:
    """Return the tensor that a chain such as `x.detach().cpu().numpy()` takes out of autograd, and if as a number."""
    value: Node | None = call
    links = set()
    while value is not None and method_name(value) in _WAY_OUT:
        links.add(method_name(value))
        value = receiver(value)
    if value == call:  # float(x)
        return next(iter(positional(call)), None), True
    return value, "item" in links


def _only_wraps(code: Code, call: Node) -> list[list[Replacement]]:
    """Return what unwraps the name that a value is given, if nothing but wrapping is done with that."""
    assignment = call.parent
    if assignment is None or assignment.type != "assignment" or assignment.child_by_field_name("right") != call:
        return []
    if is_chained(assignment):
        return []
    name, found = text_of(assignment.child_by_field_name("left")), list[list[Replacement]]()
    for use in uses(assignment):
        wrap = use.parent.parent if use.parent is not None else None
        is_sole = wrap is not None and called(code.names, wrap) in WRAPS and positional(wrap) == [use]
        change = unwrapping(code, wrap) if is_sole and wrap is not None else None
        if change is None or wrap is None or use.start_byte < assignment.end_byte:
            return []
        found.append(change)
        again = wrap.parent
        if again is not None and again.type == "assignment" and text_of(again.child_by_field_name("left")) == name:
            if again.parent is not None and again.parent.type == "expression_statement":
                found[-1] = [code.delete(again.parent)]
            return found if _block_of(again) == _block_of(assignment) else []
    return found


def _block_of(node: Node) -> Node | None:
    return next(around(node, "block", "module"), None)
