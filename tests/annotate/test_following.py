"""Documents and the board through edits, undo, runs, saves and what others do to the disk, against naive models.

The models know nothing but whole texts: whether a report is stale, and where an untouched layer is, is worked out anew
each time. Layers are words that occur once in a file, so a finding that lies anywhere else is seen at once.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule
from lsprotocol import types as lsp

from gradflow_lsp.annotate.board import Board, Shown
from gradflow_lsp.annotate.edits import applied, moved
from gradflow_lsp.annotate.sources import OnDisk, texts_that_ran
from gradflow_lsp.probe.report import Location, ParameterReport, ProbeReport
from gradflow_lsp.server.documents import Documents

from .reports import NOON

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
PIECES = ["a", "é", "字", "😀", " ", "\x0c", "\u2028", "\x85", "\n", "\r\n", "\r"]
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def lines_of(text: str) -> list[tuple[int, int]]:
    """Return where each line begins and where its end begins."""
    ends = [match.span() for match in re.finditer("\r\n|\r|\n", text)]
    return list(zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)], strict=True))


def offset_of(text: str, line: int, units: int, encoding: str) -> int:
    """Return the index that an editor means by a line and a number of units."""
    spans = lines_of(text)
    if line >= len(spans):
        return len(text)
    start, end = spans[line]
    codec, size = CODECS[encoding]
    fitting = [i for i in range(start, end + 1) if len(text[start:i].encode(codec)) // size <= units]
    return max(fitting)


def position_of(text: str, offset: int, encoding: str = "utf-32") -> tuple[int, int]:
    """Return the line, from 0, and the units before an index that lies inside no line's end."""
    line, (start, _) = max((number, span) for number, span in enumerate(lines_of(text)) if span[0] <= offset)
    codec, size = CODECS[encoding]
    return line, len(text[start:offset].encode(codec)) // size


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[int, int, int, int, str] | str]:
    """Return changes as positions and a text, many of them beyond the lines' and the text's end; or as whole texts."""
    small = st.integers(0, 7)
    partial = st.tuples(small, small, small, small, texts).map(
        lambda c: (*min(c[:2], c[2:4]), *max(c[:2], c[2:4]), c[4])
    )
    return draw(st.lists(st.one_of(partial, texts), min_size=1, max_size=4))


def as_lsp(change: tuple[int, int, int, int, str] | str) -> lsp.TextDocumentContentChangeEvent:
    if isinstance(change, str):
        return lsp.TextDocumentContentChangeWholeDocument(change)
    line, column, end_line, end_column, text = change
    span = lsp.Range(lsp.Position(line, column), lsp.Position(end_line, end_column))
    return lsp.TextDocumentContentChangePartial(range=span, text=text)


@settings(max_examples=300)
@given(texts, changes(), st.sampled_from(list(CODECS)))
def test_a_document_is_what_the_editor_has(text, changes, encoding):
    documents = Documents(encoding)
    documents.opened("file:///m.py", 0, text)
    expected = text
    for change in changes:
        if isinstance(change, str):
            expected = change
        else:
            start = offset_of(expected, *change[:2], encoding)
            end = max(start, offset_of(expected, *change[2:4], encoding))
            expected = expected[:start] + change[4] + expected[end:]
    document, before, edits = documents.changed("file:///m.py", 1, [as_lsp(change) for change in changes])
    assert (before, document.text) == (text, expected)
    assert applied(text, edits) == expected


@settings(max_examples=300)
@given(texts, changes(), st.sampled_from(list(CODECS)), st.data())
def test_a_location_keeps_its_very_characters_or_is_dropped(text, changes, encoding, data):
    inside = [i for start, end in lines_of(text) for i in range(start, end + 1)]
    begin, stop = sorted(data.draw(st.tuples(st.sampled_from(inside), st.sampled_from(inside))))
    at = moved(_location("/m.py", text, begin, stop), _edits(text, changes, encoding))
    tagged = [(character, number) for number, character in enumerate(text)]
    whole = [begin < stop]  # after each edit: what a later one puts back counts as new
    for edit in _edits(text, changes, encoding):
        now = "".join(character for character, _ in tagged)
        start = offset_of(now, edit.start.line - 1, edit.start.column, "utf-32")
        end = offset_of(now, edit.end.line - 1, edit.end.column, "utf-32")
        tagged[start:end] = [(character, -1) for character in edit.text]
        whole.append(_first(tagged, begin, stop) is not None)
    if begin < stop:
        assert (at is not None) == all(whole)
    if begin < stop and at is not None:
        first = _first(tagged, begin, stop)
        assert at == _location("/m.py", "".join(c for c, _ in tagged), first, first + stop - begin)


def _first(tagged, begin, stop):
    """Where the characters that had the numbers from `begin` to `stop` now stand in a row, if they still do."""
    numbers = [number for _, number in tagged]
    first = numbers.index(begin) if begin in numbers else 0
    return first if numbers[first : first + stop - begin] == list(range(begin, stop)) else None


def _edits(text, changes, encoding):
    documents = Documents(encoding)
    documents.opened("file:///m.py", 0, text)
    return documents.changed("file:///m.py", 1, [as_lsp(change) for change in changes]).edits


def _location(path: str, text: str, start: int, end: int) -> Location:
    line, column = position_of(text, start)
    end_line, end_column = position_of(text, end)
    return Location(path, line + 1, column, end_line + 1, end_column)


FOLDER = str(Path("/project").absolute())
FILES = [f"{FOLDER}/{name}.py" for name in ("probe", "layers", "other")]
OPEN = st.sampled_from(FILES[:2])
WORD = re.compile(r"L\d+")


def plain(text: str | None) -> str | None:
    return None if text is None else text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@dataclass
class Read:
    """What a run read of each file, and the report that it came to."""

    texts: dict[str, str | None]
    in_editor: dict[str, str]
    report: ProbeReport


class Machine(RuleBasedStateMachine):
    """A user, others, and the server's own dealings with them."""

    going_on = Bundle("going_on")

    def __init__(self) -> None:
        super().__init__()
        self.documents = Documents("utf-16")
        self.board = Board()
        self.disk: dict[str, str | None] = dict.fromkeys(FILES)
        self.undo: dict[str, list[str]] = {}
        self.ran: dict[str, Read] = {}
        self.words = 0
        for path in FILES:
            self.disk[path] = "".join(f"{self._word()} = {self._word()}\n" for _ in range(3))

    # The models

    def now(self, path: str) -> str | None:
        """Return what a run would read of a file."""
        document = self.documents.at(path)
        return document.text if document else self.disk[path]

    def shown(self) -> list[tuple[Shown, Read]]:
        return [(self.board.of(FILES[0], function), read) for function, read in self.ran.items()]

    def placed(self, path: str) -> list[tuple[Shown, Location, Location]]:
        """Return the locations of all reports that still have a place in a file."""
        return [
            (shown, location, at)
            for shown, _ in self.shown()
            for location in (parameter.location for parameter in shown.report.parameters)
            if location.path == path and (at := shown.place(location))
        ]

    @invariant()
    def stale_is_what_differs_from_what_ran(self) -> None:
        for shown, read in self.shown():
            assert shown.stale == any(plain(self.now(path)) != plain(text) for path, text in read.texts.items())

    @invariant()
    def a_finding_lies_on_its_own_word_or_nowhere(self) -> None:
        for shown, read in self.shown():
            for location in (parameter.location for parameter in shown.report.parameters):
                at = shown.place(location)
                ran, now = read.texts[location.path], self.now(location.path)
                if plain(ran) == plain(now):
                    assert at == location
                if at is not None:
                    assert now is not None
                    assert self._text_at(plain(now), at) == self._text_at(plain(ran), location)

    @staticmethod
    def _text_at(text: str, at: Location) -> str:
        start, end = lines_of(text)[at.line - 1]
        assert at.end_column <= end - start
        return text[start + at.column : start + at.end_column]

    # What a user does

    @rule(path=st.sampled_from(FILES[:2]), end=st.sampled_from(["\n", "\r\n"]))
    def open(self, path: str, end: str) -> None:
        if self.documents.at(path) is None:
            text = (plain(self.disk[path]) or "").replace("\n", end)
            self.documents.opened(Path(path).as_uri(), 0, text)
            self.undo[path] = []
            self.board.read(path, text)

    @precondition(lambda self: [*self.documents])
    @rule(path=OPEN, data=st.data())
    def type(self, path: str, data: st.DataObject) -> None:
        document = self.documents.at(path)
        if document is not None:
            inside = [i for start, end in lines_of(document.text) for i in range(start, end + 1)]
            start, end = sorted(data.draw(st.tuples(st.sampled_from(inside), st.sampled_from(inside))))
            if data.draw(st.booleans()):
                end = start
            self._change(path, start, end, data.draw(texts) + data.draw(st.sampled_from(["", self._word()])))

    @precondition(lambda self: [*self.documents])
    @rule(path=OPEN)
    def undo_one(self, path: str) -> None:
        document = self.documents.at(path)
        if document is not None and self.undo[path]:
            text = self.undo[path].pop()
            whole = lsp.TextDocumentContentChangeWholeDocument(text)
            document, before, edits = self.documents.changed(document.uri, 1, [whole])
            self.board.edited(path, edits, before, text)

    @precondition(lambda self: [*self.documents])
    @rule(path=OPEN, data=st.data())
    def reformat(self, path: str, data: st.DataObject) -> None:
        """Replace the whole text by one change in which some lines are moved or taken out."""
        document = self.documents.at(path)
        if document is not None:
            lines = document.text.splitlines(keepends=True)
            kept = data.draw(st.permutations(lines)) if data.draw(st.booleans()) else lines[1:]
            self._change(path, 0, len(document.text), "".join(kept))

    def _change(self, path: str, start: int, end: int, text: str) -> None:
        document = self.documents.at(path)
        before = document.text
        after = before[:start] + text + before[end:]
        if len(WORD.findall(after)) != len(set(WORD.findall(after))):
            return
        span = lsp.Range(
            lsp.Position(*position_of(before, start, "utf-16")), lsp.Position(*position_of(before, end, "utf-16"))
        )
        placed = self.placed(path)
        change = lsp.TextDocumentContentChangePartial(range=span, text=text)
        document, _, edits = self.documents.changed(document.uri, 1, [change])
        assert document.text == after
        self.undo[path].append(before)
        self.board.edited(path, edits, before, after)
        for shown, location, at in placed:  # what was not touched is still there
            first = lines_of(before)[at.line - 1][0] + at.column
            last = first + at.end_column - at.column
            if last <= start:
                assert shown.place(location) == _location(path, after, first, last)
            elif first >= end:
                longer = len(after) - len(before)
                assert shown.place(location) == _location(path, after, first + longer, last + longer)

    @precondition(lambda self: [*self.documents])
    @rule(path=OPEN, bom=st.booleans())
    def save(self, path: str, bom: bool) -> None:
        document = self.documents.at(path)
        if document is not None:
            self.disk[path] = "\ufeff" * bom + document.text

    @precondition(lambda self: [*self.documents])
    @rule(path=OPEN)
    def close(self, path: str) -> None:
        document = self.documents.at(path)
        if document is not None:
            self.documents.closed(document.uri)
            self._look(path)

    # What others do

    @rule(path=st.sampled_from(FILES), data=st.data())
    def write(self, path: str, data: st.DataObject) -> None:
        lines = (self.disk[path] or "").splitlines(keepends=True)
        at = data.draw(st.integers(0, len(lines)))
        text = "".join([*lines[:at], f"{self._word()} = {self._word()}\n", *lines[at + data.draw(st.integers(0, 1)) :]])
        if len(WORD.findall(text)) == len(set(WORD.findall(text))):
            self.disk[path] = text
        self._look(path)

    @rule(path=st.sampled_from(FILES[1:]))
    def delete(self, path: str) -> None:
        self.disk[path] = None
        self._look(path)

    def _look(self, path: str) -> None:
        if self.documents.at(path) is None:
            self.board.found(path, self._on_disk(path))

    def _on_disk(self, path: str) -> OnDisk:
        text = self.disk[path]
        return OnDisk.of(None if text is None else text.encode("utf-8"))

    def _word(self) -> str:
        self.words += 1
        return f"L{self.words}"

    # Runs

    @rule(target=going_on, name=st.sampled_from(["", "_b"]))
    def begin(self, name: str) -> Read:
        """Read all files as they are now; a file that is not there was looked for in vain."""
        in_editor = {document.path: document.text for document in self.documents}
        read = {path: self.now(path) for path in FILES[:2]}
        function = f"gradflow_probe{name}"
        report = ProbeReport(FILES[0], function, 1, "ok")
        for path, text in read.items():
            if text is None:
                report.looked_for.append(path)
                continue
            text = text if path in in_editor else text.removeprefix("\ufeff")
            data = in_editor.get(path, self.disk[path]).encode("utf-8")
            report.sources[path] = hashlib.sha256(data).hexdigest()
            for found in WORD.finditer(text):
                at = _location(path, text, *found.span())
                report.parameters.append(ParameterReport(found[0], "", "Linear", [1], "float32", "zero", location=at))
        if read[FILES[0]] is None:
            report.looked_for.remove(FILES[0])
        return Read(read, in_editor, report)

    @rule(name=st.sampled_from(["", "_b"]))
    def run(self, name: str) -> None:
        self.end(self.begin(name))

    @rule(read=consumes(going_on))
    def end(self, read: Read) -> None:
        """Pin a report, perhaps after the files have changed, as the session does."""
        report, on_disk = read.report, {path: self._on_disk(path) for path in FILES[:2]}
        texts = texts_that_ran(Shown(report, NOON).read(), read.in_editor, on_disk)
        unknown = [path for path in report.sources if path not in texts]
        if unknown or FILES[0] not in report.sources:  # then nobody knows where its findings belong
            return
        self.board.show(report, texts, NOON)
        self.ran[report.function] = read
        for document in self.documents:
            self.board.read(document.path, document.text)
        for path in FILES[:2]:
            self._look(path)

    @precondition(lambda self: self.ran)
    @rule()
    def clear(self) -> None:
        self.board.clear()
        self.ran.clear()


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
