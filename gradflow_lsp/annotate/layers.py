"""Which parameters of a report a place in the text speaks of: as a layer's definition, or by `self.<layer>`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gradflow_lsp.annotate.board import Shown, file_key
from gradflow_lsp.annotate.positions import Point
from gradflow_lsp.probe.report import Location, ParameterReport
from gradflow_lsp.source.outline import Outline
from gradflow_lsp.source.spans import Span

_NAME_PARTS = re.compile(r"[^.\[\]'\"]+")


@dataclass(frozen=True)
class Layer:
    """The parameters that a place speaks of, and the range of text that does."""

    parameters: tuple[ParameterReport, ...]
    at: Location


def layer_at(shown: Shown, outline: Outline, path: str, point: Point) -> Layer | None:
    """Return the layer that the text at a point defines or mentions, if the report knows it."""
    return _defined_at(shown, path, point) or _mentioned_at(shown, outline, path, point)


def defined_layers(shown: Shown, path: str) -> Iterator[Layer]:
    """Yield each range of a file that defines parameters, with them."""
    groups: dict[Location, list[ParameterReport]] = {}
    for parameter in shown.report.parameters:
        at = shown.place(parameter.location) if parameter.location else None
        if at is not None and file_key(at.path) == file_key(path):
            groups.setdefault(at, []).append(parameter)
    for at, parameters in groups.items():
        yield Layer(tuple(parameters), at)


def covers(location: Location | Span, point: Point) -> bool:
    """Tell whether a point lies in a range; right behind its last character counts."""
    return (location.line, location.column) <= point <= (location.end_line, location.end_column)


def size(location: Location) -> tuple[int, int]:
    """Return what orders ranges that cover one point from the innermost outwards."""
    return location.end_line - location.line, location.end_column - location.column


def _defined_at(shown: Shown, path: str, point: Point) -> Layer | None:
    layers = [layer for layer in defined_layers(shown, path) if covers(layer.at, point)]
    return min(layers, key=lambda layer: size(layer.at), default=None)


def _mentioned_at(shown: Shown, outline: Outline, path: str, point: Point) -> Layer | None:
    mention = outline.mention_at(*point)
    if mention is None:
        return None
    named = [p for p in shown.report.parameters if _names(mention.path, _NAME_PARTS.findall(p.name))]
    definition = next((c.layers.get(mention.attribute) for c in outline.classes if c.name == mention.class_name), None)
    built = list(_built_in(shown, path, definition)) if definition else []
    both = [p for p in named if p in built]
    span = mention.span
    at = Location(path, span.line, span.column, span.end_line, span.end_column)
    parameters = both or built or named
    return Layer(tuple(parameters), at) if parameters else None


def _names(mentioned: Sequence[str], parts: Sequence[str]) -> bool:
    """Tell whether the parts of a parameter's name have the mentioned attributes and keys in a row; `*` is any key."""
    return any(
        all(wanted in ("*", part) for wanted, part in zip(mentioned, parts[start:], strict=False))
        for start in range(len(parts) - len(mentioned) + 1)
    )


def _built_in(shown: Shown, path: str, definition: Span) -> Iterable[ParameterReport]:
    """Yield the parameters that a call made: written in it, or, for a factory's, with the call as a related place."""
    for parameter in shown.report.parameters:
        locations = [parameter.location, *(related.location for related in parameter.related)]
        for location in filter(None, locations):
            at = shown.place(location)
            if at and file_key(at.path) == file_key(path) and covers(definition, Point(at.line, at.column)):
                yield parameter
                break
