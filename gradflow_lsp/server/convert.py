"""From the product's types to the protocol's. Positions are counted in the client's units from here on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types as lsp

from gradflow_lsp.annotate.annotations import Annotation
from gradflow_lsp.annotate.edits import Edit
from gradflow_lsp.annotate.hidden import UNUSED
from gradflow_lsp.annotate.positions import ClientPoint, Encoding, Lines, Point
from gradflow_lsp.output.explanations import address
from gradflow_lsp.probe.report import Location
from gradflow_lsp.server.capabilities import Capabilities
from gradflow_lsp.server.offers import SOURCE
from gradflow_lsp.source.spans import Span

_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "information": lsp.DiagnosticSeverity.Information,
    "hint": lsp.DiagnosticSeverity.Hint,
}


def to_point(position: lsp.Position, lines: Lines, encoding: Encoding) -> Point:
    """Return the place that a client's position means."""
    return lines.from_client(ClientPoint(position.line, position.character), encoding)


def to_position(point: Point, lines: Lines, encoding: Encoding) -> lsp.Position:
    """Return a place as the client counts it."""
    return lsp.Position(*lines.to_client(point, encoding))


def to_range(span: Location | Span, lines: Lines, encoding: Encoding) -> lsp.Range:
    """Return a range as the client counts it."""
    start, end = Point(span.line, span.column), Point(span.end_line, span.end_column)
    return lsp.Range(to_position(start, lines, encoding), to_position(end, lines, encoding))


def to_text_edits(edits: Iterable[Edit], lines: Lines, encoding: Encoding) -> list[lsp.TextEdit]:
    """Return edits of a text as the protocol writes them."""
    return [
        lsp.TextEdit(
            lsp.Range(to_position(edit.start, lines, encoding), to_position(edit.end, lines, encoding)), edit.text
        )
        for edit in edits
    ]


def to_diagnostic(
    annotation: Annotation, locate: Callable[[Location], lsp.Location], client: Capabilities
) -> lsp.Diagnostic:
    """Return an annotation as a diagnostic with what the client can take of it; its code leads to its explanation.

    Only a comment that does nothing is ever marked as unnecessary: a layer that does not learn is not.
    """
    page = address(annotation.code) if client.code_description else None
    return lsp.Diagnostic(
        range=locate(annotation.location).range,
        message=annotation.message,
        severity=_SEVERITIES[annotation.severity],
        code=annotation.code,
        code_description=None if page is None else lsp.CodeDescription(page),
        source=SOURCE,
        related_information=[
            lsp.DiagnosticRelatedInformation(location=locate(item.location), message=item.message)
            for item in annotation.related
        ]
        if client.related_information
        else None,
        data={"parameters": [*annotation.parameters]} if client.diagnostic_data else None,
        tags=[lsp.DiagnosticTag.Unnecessary] if annotation.code == UNUSED and client.faded_text else None,
    )
