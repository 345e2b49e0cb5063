"""What is said of comments that do nothing: that they do nothing, why, and what would do something."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from gradflow_lsp.codes import ERROR_KINDS, SHOWN_CODES, VERDICT_CODES
from gradflow_lsp.source.suppressions import Suppression


def why_in_vain(comment: Suppression, names: Sequence[str], on_line: Sequence[str]) -> str:
    """Return why a comment hides nothing, one with brackets by those of its `names` that do not.

    `on_line` are the codes and kinds that it could name.
    """
    if comment.word == "wrong":
        examples = "`gradflow: ignore[zero-gradient]`, `gradflow: ignore` or `gradflow: intended`"
        return f"`{comment.text}` cannot be read. Write {examples}."
    unknown = [name for name in names if name not in SHOWN_CODES]
    sentences = [_unknown(name, on_line) for name in unknown]
    known = [name for name in names if name in SHOWN_CODES]
    if known or not unknown:
        said = f"`ignore[{', '.join(known)}]`" if known else f"`{comment.word}`"
        sentences.append(_known(said, comment, on_line))
    return " ".join(sentences)


def _known(said: str, comment: Suppression, on_line: Sequence[str]) -> str:
    if comment.whole_file:
        return f"{said} hides nothing in this file. Remove it."
    if comment.alone:
        return (
            f"{said} stands alone, so it hides nothing. Move it to the end of the line that it is about; "
            "an ignore for the whole file goes above the first statement."
        )
    others = [name for name in on_line if name not in (comment.names or ())]
    if others:
        return (
            f"{said} hides nothing on this line. What stands here is {', '.join(others)}: ignore[{others[0]}] hides it."
        )
    return f"{said} hides nothing on this line. Remove it, or move it to the end of the line that it is about."


def _unknown(name: str, on_line: Sequence[str]) -> str:
    if name in ERROR_KINDS:
        return f"`{name}` says that the probe could not run, which no comment hides."
    close = difflib.get_close_matches(name, SHOWN_CODES, n=1)
    meant = f"; did you mean {close[0]}?" if close else "."
    allowed = f"On this line it could be {', '.join(on_line)}" if on_line else f"Codes are {', '.join(VERDICT_CODES)}"
    return f"`{name}` is no code or cause{meant} {allowed}; `gradflow-lsp explain` lists all."
