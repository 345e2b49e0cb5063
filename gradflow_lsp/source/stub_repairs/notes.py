"""The notes in a probe's text that say what its author has to look at."""

from __future__ import annotations

import re
import textwrap

_NOTE = re.compile(r"^[ \t]*# TODO: [^\r\n]*(?:\r\n|\r|\n)", re.MULTILINE)
_HEAD = re.compile(r"^def [^\r\n]*:(?P<newline>\r\n|\r|\n)(?P<indent>[ \t]+)", re.MULTILINE)
_LONGEST = 200


def without_notes(text: str) -> str:
    """Return a probe without its notes: it was tried, and runs."""
    return _NOTE.sub("", text)


def with_note(text: str, sentence: str) -> str:
    """Return a probe with one note in place of those it has: what came of trying it."""
    plain = without_notes(text)
    head = _HEAD.search(plain)
    if head is None:
        return text
    note = textwrap.shorten(sentence, _LONGEST, placeholder=" …")
    return (
        f"{plain[: head.start('indent')]}{head['indent']}# TODO: {note}{head['newline']}{plain[head.start('indent') :]}"
    )
