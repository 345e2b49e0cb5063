"""The hover card: what one run found about the layer, the cause or the probe under the cursor, and why.

A card is a list of blocks; `render` writes it as Markdown or as plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.annotations import explained, placed, placed_causes, probe_location
from gradflow_lsp.annotate.board import Shown, file_key
from gradflow_lsp.annotate.flow import flow_bar, legend
from gradflow_lsp.annotate.layers import Layer, covers, layer_at, size
from gradflow_lsp.annotate.positions import Point
from gradflow_lsp.annotate.render import Block, Code, Link, Paragraph, Table, Title
from gradflow_lsp.probe.report import Cause, Location, ParameterReport
from gradflow_lsp.source.outline import Outline

MOST_ROWS = 16
_MOST_OUTPUT = 2000
_LOSS_COLUMNS = 3

LinkTo = Callable[[Location], str]
"""Writes the address that a client opens for a place."""


def file_link(location: Location) -> str:
    """Return a `file:` address with the line as its fragment."""
    return f"{Path(location.path).as_uri()}#L{location.line}"


@dataclass(frozen=True)
class Card:
    """What to show, and the range of text that it is about."""

    blocks: tuple[Block, ...]
    at: Location


def card_at(
    pinned: Iterable[Shown], outline: Outline, path: str, point: Point, link_to: LinkTo = file_link
) -> Card | None:
    """Return the card of a place in a file: its layer, the cause that it is, or its probe; `None` if it is none.

    `pinned` are the reports over the file; each that knows the place adds its part.
    """
    parts = [part for shown in pinned for part in _parts(shown, outline, path, point, link_to)]
    if not parts:
        return None
    return Card(tuple(block for part in parts for block in part.blocks), parts[0].at)


def probe_card(shown: Shown, link_to: LinkTo = file_link) -> tuple[Block, ...]:
    """Return the summary of a whole run."""
    return tuple(_about_probe(shown, link_to))


def report_page(shown: Shown, link_to: LinkTo = file_link) -> tuple[Block, ...]:
    """Return the whole report for people: the summary, and a row for every parameter."""
    summary = probe_card(shown, link_to)
    report = shown.report
    if not report.parameters:
        return summary
    return (*summary, _parameter_table(report.parameters, tuple(report.losses), most=len(report.parameters)))


def _parts(shown: Shown, outline: Outline, path: str, point: Point, link_to: LinkTo) -> Iterator[Card]:
    name = shown.place(probe_location(shown.report))
    if name and file_key(name.path) == file_key(path) and name.line == point.line:
        yield Card(probe_card(shown, link_to), name)
        return
    layer = layer_at(shown, outline, path, point)
    if layer is not None:
        yield Card(tuple(_about_layer(shown, layer, link_to)), layer.at)
    found = _cause_at(shown, path, point)
    if found is not None:
        cause, at = found
        yield Card(tuple(_about_cause(shown, cause, at, link_to)), at)


def _cause_at(shown: Shown, path: str, point: Point) -> tuple[Cause, Location] | None:
    found = []
    for cause in shown.report.causes:
        at = shown.place(cause.location)
        if at and file_key(at.path) == file_key(path) and covers(at, point):
            found.append((cause, at))
    return min(found, key=lambda pair: size(pair[1]), default=None)


def _about_layer(shown: Shown, layer: Layer, link_to: LinkTo) -> Iterator[Block]:
    report, parameters = shown.report, layer.parameters
    yield Title(_layer_title(parameters))
    yield _parameter_table(parameters, tuple(report.losses))
    if len(parameters) > MOST_ROWS:
        yield Paragraph([f"and {words.counted(len(parameters) - MOST_ROWS, 'more parameter')}"])
    for cause, at in placed_causes(report, parameters, shown.place):
        yield _cause_paragraph(cause, at, layer.at.path, link_to)
    yield from _flow(report.parameters, {p.name for p in parameters})
    yield _footer(shown)


def _layer_title(parameters: Sequence[ParameterReport]) -> str:
    modules = list(dict.fromkeys((p.module, p.type) for p in parameters))
    types = ", ".join(dict.fromkeys(type_ for _, type_ in modules))
    if len(modules) > 1:
        return f"{words.counted(len(modules), 'layer')}: {types}"
    module, type_ = modules[0]
    return f"{module}: {type_}" if module else type_


def _parameter_table(parameters: Sequence[ParameterReport], losses: Sequence[str], most: int = MOST_ROWS) -> Table:
    own = losses if 1 < len(losses) <= _LOSS_COLUMNS else ()
    return Table(
        ("parameter", "shape", "grad norm", *own, "weight norm", "ratio", "zeros", "verdict"),
        tuple(
            (
                p.name,
                "×".join(map(str, p.shape)) or "scalar",
                words.number(p.grad_norm),
                *(words.number(p.grad_norms.get(loss)) for loss in own),
                words.number(p.weight_norm),
                words.number(p.grad_norm / p.weight_norm) if p.grad_norm is not None and p.weight_norm else "none",
                words.share(p.zero_fraction),
                p.verdict,
            )
            for p in parameters[:most]
        ),
    )


def _cause_paragraph(cause: Cause, at: Location, seen_from: str, link_to: LinkTo) -> Paragraph:
    where = Link(words.place(at, seen_from), link_to(at))
    return Paragraph([f"Cause (`{cause.kind}`) at ", where, f": {words.sentence(cause.message)}"])


def _flow(parameters: Sequence[ParameterReport], marked: set[str]) -> Iterator[Block]:
    bar = flow_bar(parameters, marked)
    meaning = legend(bar)
    yield Paragraph([f"Flow: `{bar}`{f' ({meaning})' if meaning else ''}"])


def _about_cause(shown: Shown, cause: Cause, at: Location, link_to: LinkTo) -> Iterator[Block]:
    parameters = explained(shown.report, cause)
    yield Title(f"Cause: {cause.kind}")
    yield Paragraph([f"{words.sentence(cause.message)} {words.starves(parameters)}".strip()])
    if parameters:
        yield _parameter_table(parameters, ())
    for related in placed(cause.related, shown.place):
        where = Link(words.place(related.location, at.path), link_to(related.location))
        yield Paragraph(["See ", where, f": {words.sentence(related.message)}"])
    yield _footer(shown)


def _about_probe(shown: Shown, link_to: LinkTo) -> Iterator[Block]:
    report = shown.report
    yield Title(f"{report.function}: {words.outcome(report)}")
    if report.losses:
        yield Paragraph([", ".join(f"{name} = {words.number(value)}" for name, value in report.losses.items())])
    for finding in report.findings:
        yield Paragraph([f"`{finding.code}`: {words.sentence(finding.message)}"])
    if report.error:
        yield Paragraph([f"`{report.error.kind}`: {words.sentence(report.error.message)}"])
        if report.error.output and report.error.output.strip():
            yield Code(report.error.output.strip()[-_MOST_OUTPUT:])
    for cause, at in placed_causes(report, report.parameters, shown.place):
        yield _cause_paragraph(cause, at, report.path, link_to)
    if report.parameters:
        yield from _flow(report.parameters, set())
    yield _footer(shown)


def _footer(shown: Shown) -> Paragraph:
    report = shown.report
    facts = [f"{report.function} ran at {shown.ran_at:%H:%M:%S}", f"took {words.seconds(report.seconds.total)}"]
    if report.environment:
        facts.append(f"torch {report.environment.torch or 'not found'} on {report.environment.device}")
    if report.mode == "structural":
        facts.append("structure only")
    facts.append(words.STALE if shown.stale else "up to date")
    return Paragraph([", ".join(facts)])
