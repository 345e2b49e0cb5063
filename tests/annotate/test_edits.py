from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradflow_lsp.annotate.edits import Edit, applied, edits_between, minimal, moved
from gradflow_lsp.annotate.positions import Lines, Point

from .reports import FIRST, LAST, TEXT, location

lines = st.lists(st.sampled_from(["a", "b", "ab😀", "", "\x0c", "x = 1"]), max_size=6)
texts = st.builds(lambda ls, end: end.join(ls), lines, st.sampled_from(["\n", "\r\n", "\r"]))


@given(texts, texts)
def test_edits_turn_one_text_into_the_other(old, new):
    assert applied(old, edits_between(old, new)) == new


def replaced(old: str, new: str, needle: str = FIRST):
    after = TEXT.replace(old, new, 1)
    assert after != TEXT
    return moved(needle, edits_between(TEXT, after)), after


def test_a_line_above_moves_a_location_down():
    at, after = replaced("import torch\n", "import torch\nimport math\n")
    assert at == location("nn.Linear(4, 8)", after)


def test_text_before_it_on_its_line_moves_a_location_to_the_right():
    at, after = replaced("self.first = nn.Linear(4, 8)", "self.first_😀 = nn.Linear(4, 8)")
    assert at == location("nn.Linear(4, 8)", after)


def test_joining_its_line_to_the_one_above_moves_a_location_there():
    edit = Edit(Point(7, 26), Point(8, 8), "; ")
    assert moved(FIRST, [edit]) == location("nn.Linear(4, 8)", applied(TEXT, [edit]))


def test_an_edit_right_behind_a_location_leaves_it():
    at, _ = replaced("nn.Linear(4, 8)", "nn.Linear(4, 8)  # wide")
    assert at == FIRST


def test_an_edit_inside_a_location_drops_it():
    at, _ = replaced("nn.Linear(4, 8)", "nn.Linear(4, 16)")
    assert at is None


def test_two_edits_far_apart_leave_what_lies_between():
    after = TEXT.replace("import torch\n", "import torch\n\n", 1).replace("return self.last(h)", "return h")
    assert moved(LAST, edits_between(TEXT, after)) == location("nn.Linear(8, 2)", after)


def test_a_change_of_many_lines_touches_only_those_that_differ():
    whole = Edit(Point(1, 0), Lines(TEXT).end, TEXT.replace("nn.Linear(8, 2)", "nn.Linear(8, 3)"))
    edits = minimal(Lines(TEXT), whole)
    assert moved(FIRST, edits) == FIRST
    assert moved(LAST, edits) is None


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("a\rb", Edit(Point(2, 0), Point(2, 0), "\n")),
        ("a\nb", Edit(Point(1, 1), Point(1, 1), "\r")),
        ("a\rx\nb", Edit(Point(2, 0), Point(2, 1), "")),
    ],
)
def test_carriage_return_and_line_feed_that_come_together_end_one_line(text, edit):
    end = Lines(text).end
    b = replace(FIRST, line=end.line, column=0, end_line=end.line, end_column=1)
    assert applied(text, minimal(Lines(text), edit)) == "a\r\nb"
    at = moved(b, minimal(Lines(text), edit))
    assert (at.line, at.column) == (2, 0)


def test_a_change_of_nothing_is_no_edit():
    assert minimal(Lines(TEXT), Edit(Point(8, 25), Point(8, 25), "")) == []
