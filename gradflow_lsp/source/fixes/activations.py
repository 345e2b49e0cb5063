"""Activations that are flat where their inputs lie: others take their place, or the gradient is led past bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from ..parsing import descendants, text_of
from . import titles
from .code import Code
from .edits import Fix, Replacement
from .layers import items, makers
from .steps import straight_through
from .syntax import arguments, called, function_of, keyword, mentions, method_name, positional, receiver

_FUNCTIONAL = "torch.nn.functional."
_FUNCTIONS = {
    "torch.relu": f"{_FUNCTIONAL}leaky_relu",
    "torch.relu_": f"{_FUNCTIONAL}leaky_relu_",
    f"{_FUNCTIONAL}relu": f"{_FUNCTIONAL}leaky_relu",
    f"{_FUNCTIONAL}relu_": f"{_FUNCTIONAL}leaky_relu_",
    f"{_FUNCTIONAL}relu6": f"{_FUNCTIONAL}leaky_relu",
    f"{_FUNCTIONAL}threshold": f"{_FUNCTIONAL}leaky_relu",
    f"{_FUNCTIONAL}hardsigmoid": "torch.sigmoid",
    f"{_FUNCTIONAL}hardswish": f"{_FUNCTIONAL}silu",
}
"""What is of the same shape and has a slope everywhere."""
_METHODS = {"relu": "leaky_relu", "relu_": "leaky_relu_"}
_LAYERS = {
    "torch.nn.ReLU": "torch.nn.LeakyReLU",
    "torch.nn.ReLU6": "torch.nn.LeakyReLU",
    "torch.nn.Threshold": "torch.nn.LeakyReLU",
    "torch.nn.Hardsigmoid": "torch.nn.Sigmoid",
    "torch.nn.Hardswish": "torch.nn.SiLU",
}
_SIGMOIDS = ("torch.sigmoid", f"{_FUNCTIONAL}sigmoid")
_BOUNDS = ("clamp", "clip", "clamp_min", "clamp_max", "hardtanh")
_EXTREMES = ("min", "max", "minimum", "maximum")
_NEVER_FLAT = re.compile(
    r"torch\.nn\.(?:(?:Lazy)?(?:Linear|Conv\w+)|\w*Norm\w*|\w*Dropout\w*|Flatten|Unflatten|Identity|\w*Pool\w*"
    r"|Upsample|\w*Pad\dd)"
)
"""The layers beside which a dead activation can only be one of those that have a counterpart."""
_LEARNS = re.compile(r"torch\.nn\.(?:Lazy)?(?:Linear|Conv\w+)")


def dead_activation(code: Code, parameters: Sequence[str] = ()) -> Iterator[Fix]:
    """Put an activation with a slope in place of a dead one, or lead the gradient past its bounds.

    `parameters` are those that get no gradient: in a stack, they tell where the dead one stands.
    """
    calls = [code.call] if code.call is not None else code.within("call")
    for call in calls:
        name, by_method = called(code.names, call), method_name(call)
        if name in _FUNCTIONS:
            if not _is_hinge(call):
                yield from _function(code, call, name)
            return
        if not name.startswith("torch.") and by_method in _METHODS:
            yield from _method(code, call)
            return
        if name in _SIGMOIDS or by_method == "sigmoid":
            yield from _logits(code, call, next(iter(positional(call)), None) if name in _SIGMOIDS else receiver(call))
            return
        bound = name.rpartition(".")[2] if name.startswith("torch.") else by_method
        if bound in _BOUNDS:
            value = next(iter(positional(call)), None) if name.startswith("torch.") else receiver(call)
            is_plain = not (keyword(call, "out") or keyword(call, "inplace") or len(positional(call)) > 3)
            if value is None or _is_no_tensor(code, value):
                return
            if is_plain and not is_margin(call, value):
                yield from straight_through(code, call, value, bound)
            return
    if code.call is not None:
        yield from _layer(code, code.call, parameters)


def _is_no_tensor(code: Code, value: Node | None) -> bool:
    """Tell whether what a method is called on is the module itself, or a library."""
    return text_of(value) in ("self", "cls", "super()") or code.names.is_imported(value)


def _is_hinge(call: Node) -> bool:
    """Tell whether a relu is a loss's own: `relu(far - near + margin).mean()`, which is 0 where all is well."""
    given, holder = positional(call), call.parent
    outer = holder.parent if holder is not None and holder.type in ("attribute", "argument_list") else None
    if not given or given[0].type != "binary_operator" or outer is None:
        return False
    return text_of(outer.child_by_field_name("function")).rpartition(".")[2] in ("mean", "sum")


def is_margin(call: Node, value: Node) -> bool:
    """Tell whether a bound is a loss's: on a difference, from one side, or on a part of what is added up."""
    bounds = len(arguments(call)) - (receiver(call) != value)
    value = value.named_children[0] if value.type == "parenthesized_expression" else value
    is_difference = value.type == "binary_operator" and b"-" in {
        child.text for node in (value, *descendants(value)) for child in node.children
    }
    return (is_difference and bounds == 1) or is_loss_term(call)


def is_loss_term(node: Node) -> bool:
    """Tell whether a value is only added up to one number: bounds there are a margin or a floor of a loss."""
    holder = node.parent
    while holder is not None and holder.type in ("binary_operator", "unary_operator", "parenthesized_expression"):
        node, holder = holder, holder.parent
    if holder is None:
        return False
    if holder.type == "attribute":
        call = holder.parent
        return method_name(call) in ("mean", "sum") and call is not None and not arguments(call)
    if holder.type == "argument_list" and holder.parent is not None:
        function = text_of(holder.parent.child_by_field_name("function")).rpartition(".")[2]
        is_total = function in ("mean", "sum") and len(arguments(holder.parent)) == 1
        return is_total or (function in _EXTREMES and is_loss_term(holder.parent))
    target, scope = holder.child_by_field_name("left"), function_of(holder)
    if holder.type != "assignment" or target is None or target.type != "identifier" or scope is None:
        return False
    uses = [use for use in mentions(scope, text_of(target)) if use.start_byte >= holder.end_byte]
    return bool(uses) and all(is_loss_term(use) for use in uses)


def _function(code: Code, call: Node, name: str) -> Iterator[Fix]:
    other = _FUNCTIONS[name]
    spelled, imports = code.names.spell(other)
    function, given = call.child_by_field_name("function"), positional(call)
    options = _options(code, name, other, arguments(call)[1:])
    if function is not None and given and options is not None:
        yield Fix(titles.never_flat(other.rpartition(".")[2]), (*imports, code.swap(function, spelled), *options))


def _logits(code: Code, call: Node, value: Node | None) -> Iterator[Fix]:
    """Let the loss take the logits of a sigmoid that is made for it alone."""
    loss = call.parent.parent if call.parent is not None else None
    function = loss.child_by_field_name("function") if loss is not None else None
    if loss is None or function is None or value is None or positional(loss)[:1] != [call]:
        return
    if called(code.names, loss) == f"{_FUNCTIONAL}binary_cross_entropy":
        spelled, imports = code.names.spell(f"{_FUNCTIONAL}binary_cross_entropy_with_logits")
        changes = (code.swap(function, spelled), code.swap(call, text_of(value)))
        yield Fix(titles.write_instead("binary_cross_entropy_with_logits"), (*imports, *changes))


def _method(code: Code, call: Node) -> Iterator[Fix]:
    value = receiver(call)
    if value is None or arguments(call) or _is_no_tensor(code, value):
        return
    name, imports = code.names.spell(f"{_FUNCTIONAL}{_METHODS[method_name(call)]}")
    before, after = code.replace(value.start_byte, value.start_byte, f"{name}("), code.drop_last_part(call)
    title = titles.never_flat(name.rpartition(".")[2])
    yield Fix(title, (*imports, before, Replacement(after.span, ")")))


def _layer(code: Code, call: Node, parameters: Sequence[str]) -> Iterator[Fix]:
    """Mend the layer that is called: an activation itself, or those in a stack that can be the dead one."""
    function = call.child_by_field_name("function")
    made = makers(code, function) if function is not None else []
    behind = _behind(code, made, text_of(function).rpartition(".")[2], parameters)
    found = [_flat_in(code, one) for one in behind or made]
    flat = list({one.name.start_byte: one for of in found for one in of or ()}.values())
    if not flat or any(of is None for of in found):
        return
    changes: dict[Replacement, None] = {}
    for one in flat:
        spelled, imports = code.names.spell(one.other)
        changes.update(dict.fromkeys((*imports, code.swap(one.name, spelled), *one.options)))
    others = sorted({one.other.rpartition(".")[2] for one in flat})
    yield Fix(titles.never_flat(" and ".join(others)), tuple(changes))


def _behind(code: Code, made: Sequence[Node], name: str, parameters: Sequence[str]) -> list[Node]:
    """Return what follows the last starved layer of a stack, up to the next with weights of its own, which learns."""
    places = [int(found[1]) for one in parameters if (found := re.search(rf"(?:^|\.){re.escape(name)}\.(\d+)\.", one))]
    is_written_out = len(made) == 1 and not any(one.type == "list_splat" for one in arguments(made[0]))
    stack = items(code, made[0]) if places and is_written_out else []
    following = stack[max(places) + 1 :] if places else []
    learns = [at for at, one in enumerate(following) if _LEARNS.fullmatch(called(code.names, one))]
    return following[: learns[0]] if learns else following


@dataclass(frozen=True)
class _Flat:
    """Where a layer is named that can be flat, what takes its place, and what changes in its arguments."""

    name: Node
    other: str
    options: tuple[Replacement, ...] = ()


def _flat_in(code: Code, made: Node) -> list[_Flat] | None:
    """Return the layers in an expression that can be flat; `None` where there may be others without a counterpart."""
    function = made.child_by_field_name("function") if made.type == "call" else made
    name = code.names.meaning(function)
    if name in _LAYERS and function is not None:
        given = arguments(made) if made.type == "call" else []
        options = _options(code, name, _LAYERS[name], given)
        return [_Flat(function, _LAYERS[name], tuple(options))] if options is not None else None
    if _NEVER_FLAT.fullmatch(name):
        return []
    if made.type == "call" and function is not None and function.type == "identifier" and makers(code, function):
        within = [_flat_in(code, one) for one in makers(code, function)]  # `activation()` of a parameter
        if any(_options(code, name, one.other, arguments(made)) != [] for of in within for one in of or ()):
            return None
    else:
        within = [
            _flat_in(code, one)
            for item in items(code, made)
            for one in (makers(code, item) if item.type in ("identifier", "attribute") else [item]) or [made]
            if one != made
        ]
    found = [one for of in within for one in of or ()]
    return found if within and all(of is not None for of in within) else None


def _options(code: Code, name: str, other: str, given: list[Node]) -> list[Replacement] | None:
    """Return what becomes of the arguments behind the input; `None` where the other has nothing like them."""
    if name.rpartition(".")[2] in ("threshold", "Threshold"):
        is_relu = [text_of(one) for one in given] in (["0", "0"], ["0.0", "0.0"])
        return [code.replace(_before(given[0]), given[-1].end_byte)] if is_relu else None
    if other.endswith("igmoid"):
        return None if given else []
    by_place = [one for one in given if one.type != "keyword_argument"]
    return [code.swap(one, f"inplace={text_of(one)}") for one in by_place]  # a leaky relu takes its slope there


def _before(argument: Node) -> int:
    """Return where the comma before an argument begins, or the argument if it is the first."""
    previous = argument.prev_named_sibling
    return previous.end_byte if previous is not None else argument.start_byte
