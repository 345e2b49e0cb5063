"""The open documents: their text as the client holds it, each with the URI that the client calls it by.

The server keeps its own copies, because edits have to be known in terms of the text before them, and because lines
must end where editors and Python end them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types as lsp
from pygls.uris import to_fs_path

from gradflow_lsp.annotate.board import file_key
from gradflow_lsp.annotate.edits import Edit, applied, edits_between, minimal
from gradflow_lsp.annotate.positions import ClientPoint, Encoding, Lines
from gradflow_lsp.source.outline import Outline, outline


def path_of(uri: str) -> str | None:
    """Return the absolute path that a `file:` URI names; `None` for a document that lies on no disk."""
    try:
        path = to_fs_path(uri)
    except ValueError:  # it is no URI at all
        return None
    return os.path.normpath(path) if path else None


class Document:
    """One open document at one version."""

    def __init__(self, uri: str, version: int, text: str) -> None:
        self.uri = uri
        self.path = path_of(uri)
        self.version = version
        self.text = text

    @cached_property
    def lines(self) -> Lines:
        """The text, split."""
        return Lines(self.text)

    @cached_property
    def outline(self) -> Outline:
        """The probes and classes in the text."""
        return outline(self.text)


class Change(NamedTuple):
    """A document as a notification left it, the text before, and the edits that made one of the other."""

    document: Document
    before: str
    edits: list[Edit]


class Documents:
    """All open documents, and every URI that the client has ever used for a file.

    A file that is open under two paths, one of them a link, is two documents to the client, each with its own text. The
    file then has the one that was opened or edited last.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self._open: dict[str, Document] = {}
        self._of_file: dict[str, Document] = {}
        """The document of each file that is open, by the file's key."""
        self._uris: dict[str, str] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """Return an open document by its URI, however that is spelled."""
        return self._open.get(_key(uri))

    def at(self, path: str) -> Document | None:
        """Return the open document of a file."""
        return self._of_file.get(file_key(path))

    def files(self) -> set[str]:
        """Return the keys of the files that are open."""
        return {*self._of_file}

    def uri(self, path: str) -> str:
        """Return a file's URI: as the client wrote it, if it ever did."""
        return self._uris.get(file_key(path)) or Path(path).as_uri()

    def uris(self, path: str) -> list[str]:
        """Return the URIs by which a file is open; the one that is last known where it is not."""
        key = file_key(path)
        return [one.uri for one in self if one.path and file_key(one.path) == key] or [self.uri(path)]

    def opened(self, uri: str, version: int, text: str) -> Document:
        """Take a document in."""
        return self._take(Document(uri, version, text))

    def changed(self, uri: str, version: int, changes: Sequence[lsp.TextDocumentContentChangeEvent]) -> Change | None:
        """Apply changes, one after the other; return the document as it is now and what they were."""
        document = self.get(uri)
        if document is None:
            return None
        text, edits = document.text, list[Edit]()
        for change in changes:
            step = self._edits(text, change)
            text = applied(text, step)
            edits += step
        return Change(self._take(Document(document.uri, version, text)), document.text, edits)

    def closed(self, uri: str) -> Document | None:
        """Let a document go."""
        document = self._open.pop(_key(uri), None)
        if document is not None and document.path:
            key = file_key(document.path)
            others = [one for one in self if one.path and file_key(one.path) == key]
            if others:
                self._of_file[key] = others[-1]
            else:
                self._of_file.pop(key, None)
        return document

    def _take(self, document: Document) -> Document:
        self._open.pop(_key(document.uri), None)  # so that the latest comes last
        self._open[_key(document.uri)] = document
        if document.path:
            key = file_key(document.path)
            self._uris[key], self._of_file[key] = document.uri, document
        return document

    def _edits(self, text: str, change: lsp.TextDocumentContentChangeEvent) -> list[Edit]:
        if not isinstance(change, lsp.TextDocumentContentChangePartial):
            return edits_between(text, change.text)
        lines = Lines(text)
        start, end = sorted(
            lines.from_client(ClientPoint(position.line, position.character), self.encoding)
            for position in (change.range.start, change.range.end)
        )
        return minimal(lines, Edit(start, end, change.text))


def _key(uri: str) -> str:
    return path_of(uri) or uri
