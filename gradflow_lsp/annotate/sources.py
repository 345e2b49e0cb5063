"""Whether a file is still what a run read, by digests: on disk or in an editor, whatever ends its lines.

A report has the SHA-256 of the bytes that were on disk, or of the editor's text as UTF-8. One text can have several of
these, for an editor may hold it with other line ends, and keeps BOM and encoding to itself. None of that moves a line
or changes what Python makes of it, so a version is the set of all digests that a text goes by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from gradflow_lsp.source.folders import decode

Version = frozenset[str]

ABSENT: Version = frozenset({"absent"})
"""The version of a file that is not there."""


@dataclass(frozen=True)
class OnDisk:
    """What is on disk under a path: its text, and the version of that; `None` where there is nothing."""

    text: str | None
    version: Version

    @classmethod
    def of(cls, data: bytes | None) -> OnDisk:
        """Return what the bytes of a file are; `None` for a file that is not there."""
        if data is None:
            return cls(None, ABSENT)
        text = decode(data)
        return cls(text, version_of(text) | {_digest(data)})


def version_of(text: str) -> Version:
    """Return the version of a text in an editor."""
    text = text.removeprefix("\ufeff")
    return frozenset(_digest(one.encode("utf-8", "surrogatepass")) for one in {text, with_plain_ends(text)})


def with_plain_ends(text: str) -> str:
    """Return the text with a line feed at the end of each line: every character stays at its line and column."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def texts_that_ran(
    digests: Mapping[str, str | None], in_editor: Mapping[str, str], on_disk: Mapping[str, OnDisk]
) -> dict[str, str]:
    """Return what a run read of some files, by path, for those of which the text is still known.

    `digests` are the report's for each file, `in_editor` are texts that an editor holds or held, `on_disk` is what is
    there now. The digest says which of them ran; where there is none, the editor's did.
    """
    texts: dict[str, str] = {}
    for path, digest in digests.items():
        text, file = in_editor.get(path), on_disk.get(path)
        if text is not None and (digest is None or digest in version_of(text)):
            texts[path] = text.removeprefix("\ufeff")
        elif file is not None and file.text is not None and (digest is None or digest in file.version):
            texts[path] = file.text
    return texts


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
