"""Lines, columns and byte offsets: the three ways in which a place in a text is counted."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradflow_lsp.source.spans import Lines, Span, split_lines

# Every code point, lone surrogates too, with many line ends and characters of each length in UTF-8.
TEXTS = st.text(st.one_of(st.sampled_from("a \t\r\n\f\x85\u2028é€🔥"), st.characters()), max_size=40)


def places(text: str) -> list[tuple[int, int, int]]:
    """Return (byte offset, line, column) of every character, counted one by one."""
    found, offset, line, column = [], 0, 1, 0
    for index, character in enumerate(text):
        found.append((offset, line, column))
        offset += len(character.encode("utf-8", "surrogatepass"))
        ends = character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n")
        line, column = (line + 1, 0) if ends else (line, column + 1)
    return [*found, (offset, line, column)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\nb\n", ["a\n", "b\n"]),
        ("a\r\nb\rc", ["a\r\n", "b\r", "c"]),
        ("\n\r\r\n", ["\n", "\r", "\r\n"]),
    ],
)
def test_lines_end_at_each_of_the_three_line_ends(text, lines):
    assert split_lines(text) == lines


@pytest.mark.parametrize("separator", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_other_separators_are_ordinary_characters(separator):
    assert split_lines(f"a{separator}b\n") == [f"a{separator}b\n"]


@given(TEXTS)
def test_the_lines_joined_are_the_text(text):
    assert "".join(split_lines(text)) == text


def test_columns_count_characters_not_bytes():
    lines = Lines("loss = 'é🔥' + x")
    assert lines.position("loss = 'é🔥' + x".encode().index(b"x")) == (1, 14)


@given(TEXTS)
@example("🔥\r\n🔥\r🔥\n🔥")
@settings(deadline=None)
def test_every_offset_has_its_position(text):
    lines = Lines(text)
    for offset, line, column in places(text):
        assert lines.position(offset) == (line, column)


@given(TEXTS)
@example("🔥\r\n🔥\r🔥\n🔥")
@settings(deadline=None)
def test_a_position_leads_back_to_its_offset(text):
    lines = Lines(text)
    for offset, line, column in places(text):
        if lines.data[offset - 1 : offset + 1] != b"\r\n":  # no cursor stands between the two
            assert lines.offset(line, column) == offset


def test_an_offset_inside_a_character_is_that_characters_start():
    assert {Lines("a🔥b").position(offset) for offset in (1, 2, 3, 4)} == {(1, 1)}


@pytest.mark.parametrize(("line", "column", "offset"), [(1, 99, 2), (2, 99, 5), (3, 0, 5), (0, 7, 0), (1, -1, 0)])
def test_a_position_outside_the_text_is_moved_into_it(line, column, offset):
    assert Lines("ab\ncd").offset(line, column) == offset


def test_a_cut_out_text_keeps_the_numbers_of_its_lines():
    piece = Lines("b = 1\nc = 2\n", first_line=41)
    assert piece.position(6) == (42, 0)
    assert piece.offset(42, 0) == 6


def test_a_span_ends_before_its_end():
    assert Lines("x = 'é'\ny").span(4, 8) == Span(1, 4, 1, 7)


@pytest.mark.parametrize(
    ("position", "inside"),
    [((1, 3), False), ((1, 4), True), ((2, 0), True), ((3, 2), True), ((3, 3), False)],
)
def test_a_span_contains_the_cursor_up_to_right_behind_it(position, inside):
    assert Span(1, 4, 3, 2).contains(*position) is inside
