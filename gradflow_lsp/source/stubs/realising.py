"""From a guess to the value that stands for it during a walk."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from . import classes, externals, layers, objects, words
from .code_values import Frame, Function, Layer
from .guesses import Built, Factory, Fields, Guess, Named, Plain, Several, StandIn, TensorGuess
from .program import parse_python
from .values import UNKNOWN, Items, Key, Misfit, Origin, Record, Size, Tensor, tagged

if TYPE_CHECKING:
    from .walker import Walker

_SYNONYMS: tuple[tuple[str, str], ...] = (
    (r"b|n|bs|bsz|batch(_?size)?|num_?graphs|samples|m", "B"),
    (
        r"t|l|s|seq(uence)?(_?len(gth)?)?|len(gth)?|time(_?steps?)?|steps?|n_?tokens?|frames|src_?len|tgt_?len|trg_?len|k|n_?nodes|v",
        "T",
    ),
    (r"h|height|rows?|ny|y", "H"),
    (r"w|width|cols?|columns?|nx|x", "W"),
    (r"c|ch|chans?|channels?|c_in|in_ch(annels)?", "C"),
    (r"d|depth|slices", "D"),
    (r"e|edges|n_?edges|num_edges", "E"),
)


def realise(walker: Walker, key: Key, guess: Guess) -> Any:
    """Return the value of a guess."""
    match guess:
        case Plain(value=value):
            return tagged(value, key)
        case TensorGuess():
            return _tensor(walker, key, guess)
        case Several(length=length, form=form, item=item):
            _guess_shape(walker, key, length)
            items = [item[at] if isinstance(item, tuple) and at < len(item) else item for at in range(length)]
            values = [walker.value_at((*key, at), _annotation(one)) for at, one in enumerate(items)]
            if form == "ModuleList":
                return Layer(form, {}, {str(at): value for at, value in enumerate(values)}, guess=key)
            return Items.of(values, key, form)
        case Fields(form=form):
            entries = [one for one in walker.guesses if len(one) == len(key) + 1 and one[:-1] == key]
            for one in entries if form == "mapping" else ():  # also those that only code reads which is not followed
                walker.value_at(one)
            return Record(key)
        case Named(dotted=dotted, called=called, sizes=sizes):
            value = _named(walker, dotted)
            made = walker.call(value, sizes, {}) if called else value
            if isinstance(made, Layer):
                made.guess = key
            return made
        case StandIn(ids=ids):
            return Layer("StandIn", {"ids": ids}, guess=key)
        case Factory(names=names, out=out, width=width):
            written = ast.parse(f"lambda {', '.join(names)}: layer({width}, {out})", mode="eval").body
            return walker.evaluate(written, Frame({"layer": externals.attribute("torch.nn.Linear")}))
        case Built(class_name=name):
            return build(walker, key, name)


def _guess_shape(walker: Walker, key: Key, length: int) -> None:
    """Give a sequence that is named like the shape of a picture the sizes of one."""
    name = words.words_of(str(next(part for part in reversed(key) if isinstance(part, str))))
    if key[0] == "model" and re.search(
        r"shape$|(im(g|age)|input|crop|grid|patch|window|kernel)_?(size|res(olution)?)s?$", name
    ):
        side = words.number_named(name.replace("shape", "size"))
        usual = (3, side, side) if "shape" in name and length == 3 else (side,) * length
        for at, size in enumerate(usual):
            walker.guesses.setdefault((*key, at), Plain(size))


def build(walker: Walker, key: Key, class_name: str) -> Any:
    """Return an object of a class of the file, its required arguments guessed."""
    walker.building.append(key)
    try:
        return _built(walker, key, class_name)
    finally:
        walker.building.pop()


def _built(walker: Walker, key: Key, class_name: str) -> Any:
    cls = walker.lookup(class_name, None)
    constructor = classes.find_in_class(cls, "__init__")
    if isinstance(constructor, Function):
        positional, keywords = arguments_for(walker, key, constructor, skip=1)
        return walker.call(cls, positional, keywords)
    keywords = {}
    for name, field in classes.fields_of(cls).items():
        if field.value is None or (*key, name) in walker.guesses:
            keywords[name] = walker.value_at((*key, name), field.annotation)
        elif isinstance(field.value, (ast.Constant, ast.UnaryOp)):
            walker.defaults[(*key, name)] = walker.evaluate(field.value, Frame({}))
            keywords[name] = tagged(walker.defaults[(*key, name)], (*key, name))
    for name in layers.required_arguments(cls):
        keywords[name] = walker.value_at((*key, name))
    return walker.call(cls, [], keywords)


def arguments_for(walker: Walker, key: Key, function: Function, skip: int) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments for a function of the file: those it requires, and optional ones that a guess exists for.

    An optional argument left out still gets its default from here, marked as something that could be given.
    """
    parameters = function.node.args
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    in_order = [*parameters.posonlyargs, *parameters.args]
    defaults: list[ast.expr | None] = [None] * (len(in_order) - len(parameters.defaults)) + [*parameters.defaults]
    for at, (parameter, default) in enumerate(zip(in_order, defaults, strict=True)):
        if at >= skip:
            value = _argument(walker, (*key, parameter.arg), parameter, default)
            if at < len(parameters.posonlyargs) or parameters.vararg:
                positional.append(value)
            else:
                keywords[parameter.arg] = value
    if parameters.vararg and key == ("input",):
        many = (*key, parameters.vararg.arg)
        walker.guesses.setdefault(many, Several(1))
        walker.open_ended[function.node] = many
        positional.extend(walker.value_at(many))
    for parameter, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
        keywords[parameter.arg] = _argument(walker, (*key, parameter.arg), parameter, default)
    if parameters.kwarg:  # the file itself may hand in more than the names say
        more = [one for one in walker.guesses if len(one) == len(key) + 1 and one[: len(key)] == key]
        named = {one.arg for one in (*in_order, *parameters.kwonlyargs)}
        keywords |= {str(one[-1]): walker.value_at(one) for one in more if one[-1] not in named}
    return positional, keywords


def _argument(walker: Walker, key: Key, parameter: ast.arg, default: ast.expr | None) -> Any:
    if default is None or key in walker.guesses:
        return walker.value_at(key, parameter.annotation)
    walker.defaults[key] = walker.evaluate(default, Frame({}))
    return tagged(walker.defaults[key], key)


def _tensor(walker: Walker, key: Key, guess: TensorGuess) -> Tensor:
    sizes = [Size(size_of(walker, dim), Origin(key, "axis", axis)) for axis, dim in enumerate(guess.dims)]
    if guess.needs_grad:
        walker.grads.add(key)
    ids = guess.dtype.startswith(("int", "uint"))
    return Tensor(
        tuple(sizes),
        guess.dtype,
        source=key,
        lineage=(key, 0),
        roots=frozenset((key,)),
        below=guess.bound if ids else None,
        fill=guess.fill,
    )


def size_of(walker: Walker, dim: int | str) -> int:
    """Return the size that a dim of a guess stands for: a number, a name of the class or file, or a usual axis."""
    if isinstance(dim, int):
        return dim
    if dim in words.AXES and dim not in walker.scope:
        return words.AXES[dim]
    named = _in_scope(walker, dim)
    if isinstance(named, int) and not isinstance(named, bool) and named > 0:
        return named
    axis = usual_axis(dim)
    if axis is not None:
        return words.AXES[axis]
    plain = re.sub(r"\W+", "_", dim.strip()).lower().strip("_")
    number = words.number_named(plain)
    return number if isinstance(number, int) and number > 1 else words.AXES["F"]


def usual_axis(name: str) -> str | None:
    """Return the axis of `words.AXES` that a word for a dim means, if it is a usual one."""
    plain = re.sub(r"\W+", "_", name.strip()).lower().strip("_")
    return next((axis for pattern, axis in _SYNONYMS if re.fullmatch(pattern, plain)), None)


def _in_scope(walker: Walker, text: str) -> Any:
    parsed = parse_python(text.strip())
    if not parsed or len(parsed) != 1 or not isinstance(parsed[0], ast.Expr):
        return UNKNOWN
    expression = parsed[0].value
    if (
        isinstance(expression, ast.Name)
        and expression.id not in walker.scope
        and expression.id not in walker.program.constants
    ):
        return UNKNOWN
    try:
        return walker.evaluate(expression, Frame(walker.scope))
    except Misfit:
        return UNKNOWN


def _named(walker: Walker, dotted: str) -> Any:
    first, *rest = dotted.split(".")
    if first not in walker.program.names - walker.program.imports.keys():
        return externals.attribute(dotted)
    value = walker.lookup(first, None)
    for name in rest:
        value = objects.attribute(walker, value, name)
    return value


def _annotation(item: Any) -> ast.expr | None:
    return item if isinstance(item, ast.expr) else None
