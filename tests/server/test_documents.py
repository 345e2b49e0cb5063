import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from gradflow_lsp.annotate.edits import applied
from gradflow_lsp.server.documents import Documents, path_of

URI = "file:///project/mo%64el.py"
texts = st.lists(st.sampled_from(["a", "😀", "é", "\x0c", "\u2028", "\n", "\r\n", "字"]), max_size=8).map("".join)


def change(line: int, start: int, end: int, text: str, end_line: int | None = None):
    last = line if end_line is None else end_line
    span = lsp.Range(lsp.Position(line, start), lsp.Position(last, end))
    return lsp.TextDocumentContentChangePartial(range=span, text=text)


def opened(text: str, encoding="utf-16") -> Documents:
    documents = Documents(encoding)
    documents.opened(URI, 0, text)
    return documents


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_a_change_is_read_in_the_units_of_the_client(encoding, column):
    document, _, _ = opened("x😀y\n", encoding).changed(URI, 1, [change(0, column, column, "!")])
    assert document.text == "x😀!y\n"


def test_a_form_feed_ends_no_line():
    document, _, _ = opened("a\n\x0cb\nc\n").changed(URI, 1, [change(2, 0, 1, "C")])
    assert document.text == "a\n\x0cb\nC\n"


def test_changes_of_one_message_build_on_each_other():
    document, _, edits = opened("ab\n").changed(URI, 1, [change(0, 0, 0, "x\n"), change(1, 0, 1, "A")])
    assert document.text == "x\nAb\n"
    assert applied("ab\n", edits) == document.text


def test_an_insertion_behind_the_last_line_is_kept():
    document, _, _ = opened("a\nb").changed(URI, 1, [change(1, 1, 1, "!"), change(1, 2, 2, "\nc")])
    assert document.text == "a\nb!\nc"


@given(texts, texts)
def test_a_whole_new_text_is_understood_as_edits(old, new):
    whole = lsp.TextDocumentContentChangeWholeDocument(new)
    document, _, edits = opened(old).changed(URI, 1, [whole])
    assert document.text == new
    assert applied(old, edits) == new


def test_the_uri_stays_as_the_client_wrote_it_also_after_closing():
    documents = opened("")
    assert documents.uri("/project/model.py") == URI
    documents.closed(URI)
    assert documents.uri("/project/model.py") == URI


def test_a_document_is_found_however_its_uri_is_spelled():
    assert opened("a").get("file:///project/model.py").uri == URI


def test_version_zero_is_a_version():
    assert opened("a").get(URI).version == 0


def test_only_files_have_paths():
    assert path_of("untitled:Untitled-1") is None
    assert path_of("file:///a/../b%20c.py") == "/b c.py"


def test_a_file_under_two_names_has_the_text_that_was_typed_last_until_that_is_closed(tmp_path):
    (tmp_path / "model.py").touch()
    (tmp_path / "link.py").symlink_to(tmp_path / "model.py")
    documents = Documents("utf-16")
    path, link = str(tmp_path / "model.py"), (tmp_path / "link.py").as_uri()
    documents.opened((tmp_path / "model.py").as_uri(), 1, "a")
    documents.opened(link, 1, "b")
    assert documents.at(path).text == "b"
    documents.closed(link)
    assert documents.at(path).text == "a" and len(documents.files()) == 1
    documents.closed((tmp_path / "model.py").as_uri())
    assert documents.at(path) is None and documents.files() == set()
