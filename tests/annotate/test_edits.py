from hypothesis import given
from hypothesis import strategies as st

from gradflow_lsp.annotate.edits import Edit, applied, edits_between, moved
from gradflow_lsp.annotate.positions import Point

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
