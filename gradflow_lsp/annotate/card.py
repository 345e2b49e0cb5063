"""The hover card: what one run found about the layer, the cause or the probe under the cursor, and why.

A card is a list of blocks; `render` writes it as Markdown or as plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gradflow_lsp.annotate import words
from gradflow_lsp.annotate.annotations import placed, placed_causes
from gradflow_lsp.annotate.board import Shown, file_key
from gradflow_lsp.annotate.flow import flow_line, flow_of
from gradflow_lsp.annotate.hidden import By
from gradflow_lsp.annotate.layers import Layer, covers, layer_at, size
from gradflow_lsp.annotate.picture import flow_picture
from gradflow_lsp.annotate.places import probe_location
from gradflow_lsp.annotate.positions import Point
from gradflow_lsp.annotate.render import Block, Code, Link, Paragraph, Picture, Title
from gradflow_lsp.annotate.tables import full_table, short_table
from gradflow_lsp.annotate.view import View, explained
from gradflow_lsp.probe.report import Cause, Location, ParameterReport
from gradflow_lsp.source.outline import Outline

_MOST_OUTPUT = 2000
_MOST_LINKS = 10

LinkTo = Callable[[Location, str], Link | str]
"""Writes a place down, as a link where it can be one, for a card in the file that is named second."""


def file_link(location: Location, seen_from: str) -> Link:
    """Return a link to a `file:` address with the line as its fragment."""
    return Link(words.place(location, seen_from), f"{Path(location.path).as_uri()}#L{location.line}")


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
    return (Title(_outcome(shown)), *_about_run(shown, link_to), _footer(shown))


def report_page(shown: Shown, link_to: LinkTo) -> tuple[Block, ...]:
    """Return the whole report as a page for people: the summary, and a row for every parameter."""
    report = shown.report
    blocks: list[Block] = [Title(_outcome(shown), heading=True)]
    name = shown.place(probe_location(report))
    if name is not None:
        blocks.append(Paragraph(["The probe is at ", link_to(name, report.path), "."]))
    blocks += _about_run(shown, link_to)
    if report.parameters:
        table = full_table("parameter", shown, report.parameters)
        blocks.append(replace(table, wide=True))
    return (*blocks, _footer(shown))


def _parts(shown: Shown, outline: Outline, path: str, point: Point, link_to: LinkTo) -> Iterator[Card]:
    name = shown.place(probe_location(shown.report))
    if name and file_key(name.path) == file_key(path) and name.line == point.line:
        yield Card(probe_card(shown, link_to), name)
        return
    layer = layer_at(shown, outline, path, point)
    if layer is not None:
        yield Card((*_about_layer(shown, layer, link_to), _footer(shown)), layer.at)
    told = {p.name for p in layer.parameters} if layer else set()
    causes = [(cause, at) for cause, at in _causes_at(shown, path, point) if not told.issuperset(cause.parameters)]
    if causes:
        blocks = [block for cause, at in causes for block in _about_cause(shown, cause, at, link_to)]
        yield Card((*blocks, _footer(shown)), causes[0][1])


def _causes_at(shown: Shown, path: str, point: Point) -> list[tuple[Cause, Location]]:
    """Return the causes that have the innermost range around a point."""
    placed_at = [(cause, shown.place(cause.location)) for cause in shown.report.causes]
    found = [(c, at) for c, at in placed_at if at and file_key(at.path) == file_key(path) and covers(at, point)]
    innermost = min((at for _, at in found), key=size, default=None)
    return [(cause, at) for cause, at in found if at == innermost]


def _about_layer(shown: Shown, layer: Layer, link_to: LinkTo) -> Iterator[Block]:
    report, parameters = shown.report, layer.parameters
    yield from short_table(_layer_title(parameters), shown, parameters)
    if only := words.only_loss_of_layer(tuple(report.losses), parameters):
        yield Paragraph([only])
    for cause, at in placed_causes(report, parameters, shown.place):
        yield _cause_paragraph(cause, link_to(at, layer.at.path))
    yield from _hidden_by([shown.hidden.parameters.get(p.name) for p in parameters], layer.at.path, link_to)
    yield from _since_before(shown, parameters)
    yield _flow(report.parameters, {p.name for p in parameters})


def _layer_title(parameters: Sequence[ParameterReport]) -> str:
    modules = list(dict.fromkeys((p.module, p.type) for p in parameters))
    types = ", ".join(dict.fromkeys(type_ for _, type_ in modules))
    if len(modules) > 1:
        return f"{words.counted(len(modules), 'layer')}: {types}"
    module, type_ = modules[0]
    return f"{module}: {type_}" if module else type_


def _hidden_by(comments: Iterable[By | None], path: str, link_to: LinkTo) -> Iterator[Block]:
    """Yield that something is not shown as a problem, and by which comments."""
    for by in dict.fromkeys(filter(None, comments)):
        yield Paragraph([f"{by.word.capitalize()} by the comment at ", link_to(by.location, path), "."])


def _since_before(shown: Shown, parameters: Sequence[ParameterReport]) -> Iterator[Block]:
    """Yield what became of verdicts since the run before."""
    if shown.before and (change := words.changed_verdicts(shown.before.parameters, parameters)):
        yield Paragraph([f"Since the run before: {change}."])


def _cause_paragraph(cause: Cause, where: Link | str) -> Paragraph:
    return Paragraph([f"Cause (`{cause.kind}`) at ", where, f": {words.sentence(cause.message)}"])


def _flow(parameters: Sequence[ParameterReport], marked: set[str]) -> Picture:
    flow = flow_of(parameters, marked)
    return Picture(partial(flow_picture, flow), Paragraph([f"Flow: {flow_line(flow)}"]))


def _about_cause(shown: Shown, cause: Cause, at: Location, link_to: LinkTo) -> Iterator[Block]:
    """Yield what a diagnostic on the cause does not say: each parameter that it explains, and where those are."""
    parameters = explained(shown.report, cause)
    yield from short_table(f"cause: {cause.kind}", shown, parameters, with_losses=False)
    view = View.of(shown.report, shown.hidden)
    index = shown.report.causes.index(cause)
    if view.causes[index] is None:  # then there is no diagnostic
        yield Paragraph([words.sentence(cause.message)])
    yield from _hidden_by([shown.hidden.causes.get(index)], at.path, link_to)
    yield from _since_before(shown, parameters)
    definitions = dict.fromkeys(shown.place(p.location) for p in parameters if p.location)
    lines = [link_to(line, at.path) for line in definitions if line is not None and line != at][:_MOST_LINKS]
    if lines:
        yield Paragraph(["Defined at ", *(word for line in lines for word in (line, ", "))][:-1])
    for related in placed(cause.related, shown.place):
        yield Paragraph(["See ", link_to(related.location, at.path), f": {words.sentence(related.message)}"])


def _outcome(shown: Shown) -> str:
    return f"{shown.report.function}: {shown.outcome()}"


def _about_run(shown: Shown, link_to: LinkTo) -> Iterator[Block]:
    report = shown.report
    if report.losses:
        before = shown.before.losses if shown.before else {}
        yield Paragraph([", ".join(words.loss(name, now, before.get(name)) for name, now in report.losses.items())])
    for index, finding in enumerate(report.findings):
        by = shown.hidden.findings.get(index)
        mark = f" ({by.word})" if by else ""
        yield Paragraph([f"`{finding.code}`{mark}: {words.sentence(finding.message)}"])
    if report.error:
        yield Paragraph([f"`{report.error.kind}`: {words.sentence(report.error.message)}"])
        if report.error.output and report.error.output.strip():
            yield Code(report.error.output.strip()[-_MOST_OUTPUT:])
    for cause, at in placed_causes(report, report.parameters, shown.place):
        yield _cause_paragraph(cause, link_to(at, report.path))
    yield from _since_before(shown, report.parameters)
    if report.parameters:
        yield _flow(report.parameters, set())


def _footer(shown: Shown) -> Paragraph:
    report = shown.report
    facts = [f"{report.function} ran at {shown.ran_at:%H:%M:%S}", f"took {words.seconds(report.seconds.total)}"]
    if report.environment:
        facts.append(f"torch {report.environment.torch or 'not found'} on {report.environment.device}")
    if report.mode == "structural":
        facts.append("structure only")
    facts.append(words.STALE if shown.stale else "up to date")
    return Paragraph([", ".join(facts)])
