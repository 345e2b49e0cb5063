from hypothesis import example, given
from hypothesis import strategies as st

from gradflow_lsp.annotate.positions import ClientPoint, Lines, Point, column_of, count_units, split_lines

PIECES = ["a", "é", "字", "😀", "𝔾", "e\u0301", "👩\u200d🚀", "\t", "\x0c", "\x85", "\u2028", "\r\n", "\n", "\r", ""]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join)
encodings = st.sampled_from(["utf-8", "utf-16", "utf-32"])
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def units_by_codec(text: str, encoding: str) -> int:
    codec, size = CODECS[encoding]
    return len(text.encode(codec, "surrogatepass")) // size


@given(texts, encodings)
def test_units_are_those_of_the_encoding(text, encoding):
    assert count_units(text, encoding) == units_by_codec(text, encoding)


@given(texts, encodings, st.data())
def test_a_place_survives_the_way_to_the_editor_and_back(text, encoding, data):
    lines = Lines(text)
    line = data.draw(st.integers(1, len(lines)))
    point = Point(line, data.draw(st.integers(0, len(lines.line(line)))))
    assert lines.from_client(lines.to_client(point, encoding), encoding) == point


@given(texts, encodings, st.integers(0, 30), st.integers(0, 30))
def test_whatever_an_editor_sends_is_a_place_in_the_text(text, encoding, line, character):
    lines = Lines(text)
    point = lines.from_client(ClientPoint(line, character), encoding)
    assert 1 <= point.line <= len(lines)
    assert 0 <= lines.offset(point) <= len(text)


@given(texts)
@example("one\x0ctwo\u2028three\x85")
def test_lines_end_at_line_feeds_and_carriage_returns_only(text):
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == 1 + text.replace("\r\n", "\n").count("\n") + text.replace("\r\n", "\n").count("\r")


def test_an_editor_counts_an_emoji_in_its_own_units():
    line = 'x = "😀" + y'
    assert [count_units(line[:6], e) for e in ("utf-8", "utf-16", "utf-32")] == [9, 7, 6]


def test_a_position_inside_a_character_means_that_character():
    assert column_of("a😀b", 2, "utf-16") == 1
    assert column_of("a😀b", 3, "utf-16") == 2


def test_a_position_behind_the_end_of_a_line_means_its_end():
    lines = Lines("ab\r\ncd")
    assert lines.from_client(ClientPoint(0, 99), "utf-16") == Point(1, 2)
    assert lines.from_client(ClientPoint(9, 0), "utf-16") == Point(2, 2)
