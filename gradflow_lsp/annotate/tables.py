"""The tables of cards: a row for each parameter, or of many a row for neighbours that fare alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.board import Shown
from gradflow_lsp.annotate.names import neighbours
from gradflow_lsp.annotate.render import Block, Paragraph, Table
from gradflow_lsp.probe.report import ParameterReport

MOST_ROWS = 16
_LOSS_COLUMNS = 3
_NONE = words.number(None)

Rows = Mapping[str, Sequence[ParameterReport]]
"""The parameters of each row, by what the row is called; those of one row have one verdict."""

Value = Callable[[ParameterReport], float | None]


def short_table(
    title: str, shown: Shown, parameters: Sequence[ParameterReport], *, with_losses: bool = True
) -> Iterator[Block]:
    """Yield a table that fits a card; of many parameters neighbours share a row, and the worst come first."""
    rows: Rows = {p.name: [p] for p in parameters}
    if len(parameters) > MOST_ROWS:
        rows = _alike(shown, parameters)
    kept = dict(list(rows.items())[:MOST_ROWS])
    yield _table(title, shown, kept, with_losses)
    left_out = len(parameters) - sum(map(len, kept.values()))
    if left_out:
        yield Paragraph([f"and {words.counted(left_out, 'more parameter')}"])


def full_table(title: str, shown: Shown, parameters: Sequence[ParameterReport]) -> Table:
    """Return a table with a row for every parameter."""
    return _table(title, shown, {p.name: [p] for p in parameters}, with_losses=True)


def _alike(shown: Shown, parameters: Sequence[ParameterReport]) -> Rows:
    groups: dict[str, dict[str, ParameterReport]] = {}
    for parameter in sorted(parameters, key=lambda p: words.WORST_FIRST.index(p.verdict)):
        groups.setdefault(shown.hidden.label(parameter), {})[parameter.name] = parameter
    return {
        name: [group[member] for member in members]
        for group in groups.values()
        for name, members in neighbours(group).items()
    }


def _table(title: str, shown: Shown, rows: Rows, with_losses: bool) -> Table:
    """Return what was found, then the numbers; no column in which nothing has a number.

    The gradient's norm of the run before has a column where any of the norms is another now.
    """
    losses = tuple(shown.report.losses) if with_losses else ()
    own = losses if 1 < len(losses) <= _LOSS_COLUMNS else ()

    def column(value: Value, write: Callable[[float | None], str] = words.number) -> list[str]:
        return [_spread(map(value, row), write) for row in rows.values()]

    norms, before = column(lambda p: p.grad_norm), column(_norm_before(shown))
    ratios, zeros = column(_ratio), column(lambda p: p.zero_fraction, words.share)
    columns = [
        (title, [*rows]),
        ("verdict", [shown.hidden.label(row[0]) for row in rows.values()]),
        *([("before", before)] if before != norms else []),
        ("grad norm", norms),
        *((loss, column(_norm_of(loss))) for loss in own),
        ("weight norm", column(lambda p: p.weight_norm)),
        *((name, cells) for name, cells in (("ratio", ratios), ("zeros", zeros)) if {*cells} != {_NONE}),
    ]
    return Table(tuple(name for name, _ in columns), tuple(zip(*(cells for _, cells in columns), strict=True)))


def _spread(values: Iterable[float | None], write: Callable[[float | None], str]) -> str:
    """Return the one value of a row, or the least and the largest."""
    known = sorted(value for value in values if value is not None)
    ends = dict.fromkeys((write(known[0]), write(known[-1]))) if known else [write(None)]
    return " … ".join(ends)


def _norm_of(loss: str) -> Value:
    return lambda parameter: parameter.grad_norms.get(loss)


def _ratio(parameter: ParameterReport) -> float | None:
    norm = parameter.grad_norm
    return norm / parameter.weight_norm if norm is not None and parameter.weight_norm else None


def _norm_before(shown: Shown) -> Value:
    """Return how to look up the norm in the run before; the one of now where there was none."""
    before = shown.report if shown.before is None else shown.before
    norms = {p.name: p.grad_norm for p in before.parameters}
    return lambda parameter: norms.get(parameter.name)
