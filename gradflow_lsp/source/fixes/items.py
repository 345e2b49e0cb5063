"""Numbers and rows that are taken out of autograd one by one: stacked as the tensors that they were."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix
from .syntax import arguments, called, function_of, is_chained, mentions, method_name, positional, receiver, tight

MATHS = {
    f"{module}.{name}": f"torch.{name}"
    for module in ("math", "numpy")
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "log1p", "expm1")
}
_OF_ONE_ELEMENT = ("mean", "sum", "max", "min", "norm", "prod", "std", "var")
_LOSSES = ("mse_loss", "cross_entropy", "l1_loss")
_MAKE_OF_LISTS = ("torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.Tensor")
_FLAT = ("flatten", "ravel", "squeeze")
_BOUNDS = {"max": "min", "min": "max"}
"""What a tensor is clamped by for the greater, or the smaller, of two."""
_NO_TENSORS = (
    "integer", "float", "true", "false", "unary_operator", "list", "tuple", "list_comprehension", "string",
)  # fmt: skip
_OPERATORS = ("+", "-", "*", "/", "**")


def stack(code: Code, rewrap: Node, values: str) -> str | None:
    """Return the call that stacks tensors where a new one was made of their values; `None` where it said more."""
    function = rewrap.child_by_field_name("function")
    is_dotted = function is not None and function.type == "attribute"
    if function is None or not is_dotted or code.names.meaning(receiver(function)) != "torch":
        return None
    named = {text_of(one.child_by_field_name("name")) for one in arguments(rewrap) if one.type == "keyword_argument"}
    return f"{text_of(receiver(function))}.stack({values})" if named <= {"requires_grad"} else None


def is_list_of_tensors(value: Node) -> bool:
    """Tell whether a name is that of a list: the report says that there are tensors in it."""
    scope = function_of(value)
    if scope is None or value.type != "identifier":
        return False
    made = [
        node.child_by_field_name("right")
        for node in descendants(scope)
        if node.type == "assignment" and text_of(node.child_by_field_name("left")) == text_of(value)
    ]
    return bool(made) and all(one is not None and one.type in ("list", "list_comprehension") for one in made)


def stack_of_numbers(code: Code, rewrap: Node, name: Node) -> str | None:
    """Return the call that stacks a list of tensors of one element each; `None` where plainly not all are tensors."""
    scope = function_of(name)
    put: list[Node] = []
    for use in mentions(scope, text_of(name)) if scope is not None else ():
        holder = use.parent
        value = holder.child_by_field_name("right") if holder is not None and holder.type == "assignment" else None
        put += value.named_children if value is not None and value.type == "list" else []
        put += value.named_children[:1] if value is not None and value.type == "list_comprehension" else []
        call = holder.parent if holder is not None and holder.type == "attribute" else None
        put += arguments(call) if call is not None and method_name(call) in ("append", "insert", "extend") else []
    put = [one for one in put if one.type != "comment"]
    if any(one.type in _NO_TENSORS for one in put):
        return None
    text = stack(code, rewrap, text_of(name))
    are_bare = all(scalar(one) == tight(one) for one in put)
    return text if are_bare or text is None else f"{text}.flatten()"


def scalar(value: Node) -> str:
    """Return the tensor of no dimensions that has a number's value."""
    function = value.child_by_field_name("function") if value.type == "call" else None
    root, _, name = text_of(function).rpartition(".")
    given = arguments(value)
    if name in _LOSSES:
        bare = root in ("F", "nn.functional", "torch.nn.functional") and len(positional(value)) == len(given) == 2
    else:
        bare = name in _OF_ONE_ELEMENT and root != "self" and len(given) == int(root == "torch")
    return tight(value) if bare else f"{tight(value)}.reshape(())"


def stacked(code: Code, call: Node, value: Node) -> Fix | None:
    """Return the fix of `torch.tensor([x.item() for x in values])`, with arithmetic around the number or without.

    `value` is the tensor of one element of which the call makes a number.
    """
    text = scalar(value)
    if called(code.names, call) in MATHS:
        root, _ = code.names.spell_root()
        text = f"{MATHS[called(code.names, call)].replace('torch', root, 1)}({text_of(value)})"
        text = text if _comes_flat(call) else f"{text}.reshape(())"
    elif value.type == "identifier" and _comes_flat(call):
        text = text_of(value)
    node: Node | None = call
    while node is not None and node.parent is not None:
        if (rewrap := _made_of(code, node.parent)) is not None and _is_sole(node):
            display = stack(code, rewrap, _with(code, node.parent, node, text))
            change = (code.swap(rewrap, display),) if display else ()
            return Fix(titles.write_instead(display), change, preferred=node == call) if display else None
        node, text = _one_out(code, node, text)
    return None


def _made_of(code: Code, display: Node) -> Node | None:
    """Return the call that makes a tensor of a list, if that is all it gets."""
    rewrap = display.parent.parent if display.parent is not None else None
    is_list = display.type in ("list", "list_comprehension")
    return rewrap if is_list and called(code.names, rewrap) in _MAKE_OF_LISTS and rewrap is not None else None


def _is_sole(node: Node) -> bool:
    """Tell whether a list has one item, or a comprehension makes all of its items like this one."""
    display = node.parent
    written = [one for one in display.named_children if one.type != "comment"] if display is not None else []
    return written[:1] == [node] and (len(written) == 1 or written[1].type == "for_in_clause")


def _comes_flat(call: Node) -> bool:
    """Tell whether the items of a comprehension have no dimensions, as those of `x.flatten()`."""
    for holder in _holders(call):
        if holder.type == "list_comprehension":
            [clause, *more] = [one for one in holder.named_children if one.type == "for_in_clause"]
            source = clause.child_by_field_name("right")
            own = text_of(clause.child_by_field_name("left"))
            named = {text_of(node) for node in descendants(call) if node.type == "identifier" and mentions(call, own)}
            return not more and method_name(source) in _FLAT and own in named
    return False


def _holders(node: Node) -> Iterator[Node]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _with(code: Code, whole: Node, part: Node, text: str) -> str:
    """Return the source of an expression with other text for a part of it."""
    before, after = code.data[whole.start_byte : part.start_byte], code.data[part.end_byte : whole.end_byte]
    return before.decode("utf-8", "surrogatepass") + text + after.decode("utf-8", "surrogatepass")


def _one_out(code: Code, node: Node, text: str) -> tuple[Node | None, str]:
    """Return what holds a number, with the text that does the same to a tensor; no node where nothing does."""
    holder = node.parent
    if holder is None:
        return None, ""
    if holder.type in ("binary_operator", "unary_operator", "parenthesized_expression"):
        operator = text_of(holder.child_by_field_name("operator"))
        return (holder if not operator or operator in _OPERATORS else None), _with(code, holder, node, text)
    root, _ = code.names.spell_root()
    if holder.type == "list" and _is_sole(node):
        return holder, f"{root}.stack([{text}])"
    call = holder.parent if holder.type == "argument_list" else None
    name, given = called(code.names, call), arguments(call) if call is not None else []
    tightly = text if node.type == "call" else f"({text})"
    if name in _BOUNDS and len(given) == 2:
        other = given[1] if given[0] == node else given[0]
        is_number = other.type in ("integer", "float")
        return (call if is_number else None), f"{tightly}.clamp({_BOUNDS[name]}={text_of(other)})"
    if name in ("abs", "float") and len(given) == 1:
        return call, f"{tightly}.abs()" if name == "abs" else tightly
    if name in MATHS and len(given) == 1:
        return call, f"{MATHS[name].replace('torch', root, 1)}({text})"
    return None, ""


def collected(code: Code, call: Node, value: Node) -> Iterator[Fix]:
    """Stack what is put into a list as numbers: `rows.append(x.tolist())`, then `torch.tensor(rows)`.

    `value` is the tensor of which the call makes a list or a number.
    """
    text = scalar(value) if method_name(call) == "item" or called(code.names, call) == "float" else text_of(value)
    put = [call]
    assignment, scope = call.parent, function_of(call)
    if scope is None:
        return
    if assignment is not None and assignment.type == "assignment":
        if is_chained(assignment):
            return
        target = assignment.child_by_field_name("left")
        uses = mentions(scope, text_of(target)) if target is not None and target.type == "identifier" else []
        put = [use for use in uses if use != target]
        if len(put) != len(uses) - 1:
            return
    lists = {_appended_to(one) for one in put}
    [name, *more] = lists or {""}
    rewraps = _only_made_a_tensor(code, scope, name) if name and not more else []
    swaps = [(rewrap, stack(code, rewrap, name)) for rewrap in rewraps]
    if swaps and all(other for _, other in swaps):
        changes = [code.swap(call, text), *(code.swap(rewrap, other or "") for rewrap, other in swaps)]
        yield Fix(titles.write_instead(swaps[0][1] or ""), tuple(changes), preferred=True)


def _appended_to(value: Node) -> str:
    """Return the list that a value is appended to, empty if anything else is done with it."""
    call = value.parent.parent if value.parent is not None else None
    if call is None or method_name(call) != "append" or arguments(call) != [value]:
        return ""
    container = receiver(call)
    return text_of(container) if container is not None and container.type == "identifier" else ""


def _only_made_a_tensor(code: Code, scope: Node, name: str) -> list[Node]:
    """Return the calls that make a tensor of a list, if all else that a function does with it is to fill it once."""
    found: list[Node] = []
    appends, is_own = 0, False
    for use in mentions(scope, name):
        holder = use.parent
        call = holder.parent if holder is not None else None
        value = holder.child_by_field_name("right") if holder is not None and holder.type == "assignment" else None
        if value is not None and value.type == "list" and not value.named_children:
            is_own = holder is not None and not is_chained(holder)
            continue
        if called(code.names, call) in _MAKE_OF_LISTS and call is not None and positional(call) == [use]:
            found.append(call)
        elif method_name(call) == "append" and call is not None and receiver(call) == use:
            appends += 1
        else:
            return []
    return found if appends == 1 and is_own else []
