"""Why a cause has no quick fix, as far as its source shows: one of a few reasons."""

from __future__ import annotations

import re

from gradflow_lsp.probe.report import Cause
from gradflow_lsp.source.fixes.activations import is_loss_term
from gradflow_lsp.source.fixes.code import Code
from gradflow_lsp.source.fixes.syntax import around, function_of
from gradflow_lsp.source.parsing import text_of
from gradflow_lsp.source.spans import Span

REASONS = {
    "meant": "a margin of a loss, an estimator, or a switch that the program sets: it may be right as it is",
    "values": "the line is right; what reaches it is too large or too small for it",
    "this run": "what would use the layer is written, but this run's data or arguments do not lead there",
    "in use": "the layer is used for something else, so it cannot go, and where it should be called is not written",
    "no slope": "a count, an index or a decision has no derivative",
    "no twin": "torch has no function that does the same",
    "structure": "the value would have to be kept, or handed on, in another way",
    "unclear": "none of these, as far as the source shows",
}
"""The reasons, each with what it means."""

_COUNTS = re.compile(r"through (?:int|bool|len|index)\(\)")
_STORES = re.compile(r"\w_\(|\bout=|vector_to_parameters|\]\s*=|\.data\s*=")


def reason(cause: Cause, text: str) -> str:
    """Return why a cause without a fix has none: a key of `REASONS`."""
    at = cause.location
    code = Code.at(text, Span(at.line, at.column, at.end_line, at.end_column))
    if code is None:
        return "unclear"
    source = code.data[code.start : code.end].decode()
    if cause.kind == "unregistered":
        return "structure"
    if cause.kind == "dead-activation":
        is_of_a_loss = "loss" in cause.message or (code.node is not None and is_loss_term(code.node))
        return "meant" if is_of_a_loss else "values"
    if cause.kind == "left-autograd":
        return _left(code, cause, source)
    if cause.kind == "not-called":
        return _not_called(code, cause)
    line = text.splitlines()[at.line - 1]
    if cause.kind == "no-grad":
        return "structure" if _STORES.search(source) else "meant"
    return "structure" if _STORES.search(line) or _STORES.search(source) else "meant" if "- z)" in line else "unclear"


def _left(code: Code, cause: Cause, source: str) -> str:
    if _COUNTS.search(cause.message):
        return "no slope"
    if "Parameter(" in source:
        return "structure"
    scope = function_of(code.node) if code.node is not None else None
    return "no slope" if "np.arg" in text_of(scope) else "no twin"


def _not_called(code: Code, cause: Cause) -> str:
    """Tell a layer whose call is written from one that is only mentioned: by what stands behind its mentions."""
    node = code.node
    if node is None or "register_parameter" in text_of(node.parent and node.parent.parent):
        return "structure"
    assignment = next(around(node, "assignment"), None)
    target = text_of(assignment.child_by_field_name("left") if assignment is not None else None).removeprefix("self.")
    parts = [part for part in cause.parameters[0].split(".")[:-1] if not part.isdigit()]
    is_kept_whole = target in parts and assignment is not None and assignment.child_by_field_name("right") == node
    parts = parts[parts.index(target) :] if target in parts else parts
    if not parts:
        return "this run"  # a model that is a plain stack
    if is_kept_whole and len(parts) > 1:
        return "in use"  # a part of a layer that a package made
    name = re.escape(parts[0])
    if re.search(rf"(?:deepcopy|state_dict)\([^)]*\.{name}\b|\.{name}\.state_dict", code.text):
        return "in use"
    is_written = re.search(rf"\.{name}(?:[(\[,)\]:]|\.(?:pick|items|values)\()", re.sub(r"#.*", "", code.text))
    return "this run" if is_written else "in use"
