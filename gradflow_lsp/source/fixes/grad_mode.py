"""`no_grad` and its kin: taken out where the gradient is wanted, unless something below it lives on being without."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix, Replacement
from .names import bound
from .stores import read_back
from .syntax import (
    around,
    called,
    class_of,
    function_of,
    has_comments,
    keyword,
    method_name,
    positional,
    receiver,
    simple_statement,
)

_OFF = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad", "torch.autograd.grad_mode.no_grad")
_SWITCHES = ("torch.set_grad_enabled", "torch._C._set_grad_enabled", "torch.autograd.set_grad_enabled")
_REPARAMETRISED = (
    "Normal", "MultivariateNormal", "LowRankMultivariateNormal", "LogNormal", "Laplace", "Uniform", "Cauchy", "Gumbel",
    "Exponential", "Gamma", "Beta", "Dirichlet", "Kumaraswamy", "StudentT", "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
)  # fmt: skip
"""The distributions of torch whose samples have a derivative."""


def no_grad(code: Code) -> Iterator[Fix]:
    """Take out what switched grad off, or draw in the way that has a derivative."""
    node = code.statement.node.descendant_for_byte_range(code.start, code.start + 1)
    holder = node.parent if node is not None else None
    if holder is not None and node is not None and node.type == "async":
        return
    if holder is not None and holder.type == "with_statement" and node == holder.children[0]:
        yield from _without_block(code, holder)
    elif holder is not None and holder.type == "decorator":
        yield from _without_decorator(code, holder)
    elif code.node is not None and code.node.type == "function_definition":
        yield from _without_wrapper(code, code.node)
    else:
        yield from _without_call(code)


def _without_wrapper(code: Code, function: Node) -> Iterator[Fix]:
    """Take the `torch.no_grad()(…)` off the one place where a function or method is handed on inside of it."""
    name = text_of(function.child_by_field_name("name"))
    wrapped = [
        node
        for top in code.top_level()
        for node in (top, *descendants(top))
        if node.type == "call" and _switches_off(code, node.child_by_field_name("function"))
        if len(given := positional(node)) == 1 and _names(given[0], function, name)
    ]
    if len(wrapped) == 1 and not _needs_it(function) and not has_comments(wrapped[0]):
        title = titles.remove(text_of(wrapped[0].child_by_field_name("function")))
        yield Fix(title, (code.swap(wrapped[0], text_of(positional(wrapped[0])[0])),), preferred=True)


def _names(value: Node, function: Node, name: str) -> bool:
    """Tell whether an expression is a function's name where that stands for this one, or `self.f` for this method."""
    owner, scope = class_of(function), function_of(value)
    if owner is not None and function_of(function) is None:
        return text_of(value) == f"self.{name}" and class_of(value) == owner
    return text_of(value) == name and (scope is None or scope == function_of(function) or name not in {*bound(scope)})


def _without_block(code: Code, block: Node) -> Iterator[Fix]:
    items = [node for node in descendants(block.named_children[0]) if node.type == "with_item"]
    off = [item for item in items if _switches_off(code, item.child_by_field_name("value"))]
    body = block.child_by_field_name("body")
    if len(off) != 1 or body is None or block.has_error:
        return
    if _needs_it(body):
        yield from read_back(code, body.named_children[0], block) if body.named_child_count == 1 == len(items) else ()
        return
    title = titles.remove(text_of(off[0]))
    if len(items) > 1:
        yield Fix(title, (_without_item(code, items, off[0]),), preferred=True)
    else:
        yield Fix(title, tuple(_dedented(code, block, body)), preferred=True)


def _without_item(code: Code, items: list[Node], item: Node) -> Replacement:
    at = items.index(item)
    if at + 1 < len(items):
        return code.replace(item.start_byte, items[at + 1].start_byte)
    return code.replace(items[at - 1].end_byte, item.end_byte)


def _dedented(code: Code, block: Node, body: Node) -> Iterator[Replacement]:
    """Yield what takes the `with` line out and moves each line of its body to where the `with` was."""
    colon = max(child.end_byte for child in block.children if child.type == ":")
    lines = code.statement.lines
    colon_line, _ = lines.position(colon)
    first_line, _ = lines.position(body.start_byte)
    if first_line == colon_line:  # `with torch.no_grad(): y = f(x)`
        yield code.replace(block.start_byte, body.start_byte)
        return
    yield code.replace(code.line_start(block.start_byte), lines.offset(colon_line + 1, 0))
    outer, inner = code.indent(block.start_byte), code.indent(body.start_byte)
    in_strings = _lines_inside_strings(code, body)
    last_line, _ = lines.position(body.end_byte)
    for line in range(colon_line + 1, last_line + 1):
        start = lines.offset(line, 0)
        if line not in in_strings and code.indent(start).startswith(inner) and inner.startswith(outer):
            yield code.replace(start + len(outer), start + len(inner))


def _lines_inside_strings(code: Code, body: Node) -> set[int]:
    """Return the lines that begin inside a string: their blanks are the string's."""
    position = code.statement.lines.position
    return {
        line
        for node in descendants(body)
        if node.type == "string"
        for line in range(position(node.start_byte)[0] + 1, position(node.end_byte)[0] + 1)
    }


def _without_decorator(code: Code, decorator: Node) -> Iterator[Fix]:
    holder = decorator.parent
    definition = holder.child_by_field_name("definition") if holder is not None else None
    expression = decorator.named_children[0] if decorator.named_child_count else None
    if definition is None or expression is None or decorator.has_error or _needs_it(definition):
        return
    if _switches_off(code, expression) or code.names.meaning(expression) in _OFF:
        start = code.line_start(decorator.start_byte)
        line, _ = code.statement.lines.position(decorator.end_byte)
        yield Fix(
            titles.remove(text_of(decorator)),
            (code.replace(start, code.statement.lines.offset(line + 1, 0)),),
            preferred=True,
        )


def _without_call(code: Code) -> Iterator[Fix]:
    for call in code.within("call"):
        statement = simple_statement(call)
        is_switch = called(code.names, call) in _SWITCHES and _switches_off(code, call)
        is_entered = method_name(call) == "enter_context" and any(_switches_off(code, g) for g in positional(call))
        if (is_switch or is_entered) and statement is not None and statement.named_children == [call]:
            following = function_of(call)
            if following is not None and not _needs_it(following):
                yield Fix(titles.remove(text_of(call)), (code.delete(statement),), preferred=is_entered)
            return
    for call in code.method_calls("sample"):
        if _is_reparametrised(code, receiver(call)):
            name = call.child_by_field_name("function")
            name = name.child_by_field_name("attribute") if name is not None else None
            assert name is not None
            yield Fix(titles.SAMPLE, (code.swap(name, "rsample"),), preferred=True)
            return


def _switches_off(code: Code, node: Node | None) -> bool:
    """Tell whether an expression switches grad off for certain."""
    if node is None or node.type != "call":
        return False
    given = positional(node)
    if called(code.names, node) in _SWITCHES:
        mode = keyword(node, "mode")
        value = given[0] if given else mode.child_by_field_name("value") if mode is not None else None
        return value is not None and value.type == "false"
    always = all(value.type == "true" for value in given) and keyword(node, "mode") is None
    return always and called(code.names, node) in _OFF


def _needs_it(body: Node) -> bool:
    """Tell whether code would break with grad on: it writes into tensors that outlive it, or gives one to numpy."""
    for node in descendants(body):
        name = method_name(node)
        if (name.endswith("_") and not name.endswith("__")) or name == "numpy":
            return True
        if node.type == "keyword_argument" and text_of(node.child_by_field_name("name")) == "out":
            return True
        if node.type in ("assignment", "augmented_assignment") and _writes_into_a_tensor(node):
            return True
    return False


def _writes_into_a_tensor(assignment: Node) -> bool:
    left = assignment.child_by_field_name("left")
    if left is None or left.type not in ("subscript", "attribute"):
        return False
    if assignment.type == "augmented_assignment":
        return True
    value = left.child_by_field_name("value")
    return value is not None and value.type == "attribute"


def _is_reparametrised(code: Code, value: Node | None) -> bool:
    """Tell whether an expression is a distribution that has rsample(), as far as the class at hand tells."""
    made = list(_made(value)) if value is not None else []
    names = {called(code.names, node) for node in made}
    return bool(names) and all(
        name.startswith("torch.distributions.") and name.rpartition(".")[2] in _REPARAMETRISED for name in names
    )


def _made(value: Node) -> Iterator[Node]:
    """Yield the expressions that may have made a value: a name's in the function, or what a method returns."""
    scope, owner = next(around(value, "function_definition", "module"), None), class_of(value)
    if value.type == "identifier" and scope is not None:
        for node in descendants(scope):
            right = node.child_by_field_name("right") if node.type == "assignment" else None
            if right is not None and text_of(node.child_by_field_name("left")) == text_of(value):
                yield from _made(right) if right.type == "call" else [right]
    elif value.type == "call" and text_of(value.child_by_field_name("function")).startswith("self.") and owner:
        for method in descendants(owner):
            is_method = method.type == "function_definition"
            if is_method and text_of(method.child_by_field_name("name")) == method_name(value):
                for node in descendants(method, into_functions=False):
                    if node.type == "return_statement" and node.named_children:
                        yield node.named_children[0]
    else:
        yield value
