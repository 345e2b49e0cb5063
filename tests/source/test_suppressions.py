import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradflow_lsp.source.suppressions import suppressions


def read(line: str):
    """Return what the comments at the end of a line say."""
    return [(comment.word, comment.names) for comment in suppressions(f"import torch\nx = 1  {line}\n").all]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("# gradflow: ignore[zero-gradient, detach]", [("ignore", ("zero-gradient", "detach"))]),
        ("# gradflow: ignore", [("ignore", None)]),
        ("# gradflow: ignore - a head that is never trained", [("ignore", None)]),
        ("# gradflow: intended", [("intended", None)]),
        ("# gradflow: intended, the backbone is pretrained", [("intended", None)]),
        ("#GradFlow:IGNORE [ Zero-Gradient  detach ] as in the paper", [("ignore", ("zero-gradient", "detach"))]),
        ("# noqa  # gradflow: ignore[detach]  # type: ignore", [("ignore", ("detach",))]),
        ("# gradflow: ignore[detach]  # gradflow: intended", [("ignore", ("detach",)), ("intended", None)]),
        ("# gradflow: ignore[]", [("ignore", ())]),
        ("# gradflow: ignore zero-gradient", [("wrong", None)]),
        ("# gradflow: ingore[zero-gradient]", [("wrong", None)]),
        ("# gradflow: is a nice tool", []),
        ("# see gradflow", []),
        ("; y = '# gradflow: ignore'", []),
    ],
)
def test_what_a_comment_says(line, said):
    assert read(line) == said


def test_a_comment_has_its_own_range():
    (comment,) = suppressions("é = 1  # noqa # gradflow: intended  \n").all
    assert comment.span.line == 1
    assert (comment.span.column, comment.span.end_column) == (14, 34)


MULTI_LINE = """\
import torch
a = nn.Linear(  # gradflow: ignore[zero-gradient]
    4,  # gradflow: ignore[detach]
    8,
)  # gradflow: intended
# gradflow: ignore
b = (
    x.relu()
    .detach()
)  # gradflow: intended
"""


def test_a_comment_counts_on_the_first_and_on_the_last_line_of_an_expression():
    at = suppressions(MULTI_LINE).at(2, 4, 5, 1)
    assert [comment.span.line for comment in at] == [2, 5]


def test_parentheses_right_around_an_expression_belong_to_it():
    (comment,) = suppressions(MULTI_LINE).at(8, 4, 9, 13)
    assert comment.span.line == 10


def test_a_line_that_goes_on_behind_a_backslash_has_its_comment_at_its_end():
    text = "a = x.detach() + \\\n    y.sum() + \\\n    1  # gradflow: intended\nb = 1\n"
    assert [comment.word for comment in suppressions(text).at(1, 4, 1, 14)] == ["intended"]
    assert suppressions(text).at(4, 4, 4, 5) == ()


def test_a_comment_alone_on_its_line_counts_for_no_expression():
    text = suppressions(MULTI_LINE)
    assert any(comment.alone and not comment.whole_file for comment in text.all)
    assert all(comment.span.line != 6 for line in range(1, 11) for comment in text.at(line, 0, line, 1))


@pytest.mark.parametrize("before", ["", '"""A model."""\n', "# A model.\n\n"])
def test_an_ignore_above_the_first_statement_counts_for_the_whole_file(before):
    text = f"{before}# gradflow: ignore[zero-gradient]\nimport torch\n\nx = 1\n"
    (comment,) = suppressions(text).at(text.count("\n"), 0, text.count("\n"), 5)
    assert comment.whole_file


def test_an_intended_above_the_first_statement_counts_for_nothing():
    assert suppressions("# gradflow: intended\nimport torch\n").at(2, 0, 2, 12) == ()


def test_half_typed_text_has_its_comments_too():
    assert [c.word for c in suppressions("def f(:\n    x = nn.Linear(4,  # gradflow: intended\n").all] == ["intended"]


@given(st.text("gradflow: ignore[]ntd#,'\"\n (", max_size=60))
def test_no_text_is_too_odd_to_read(text):
    for comment in suppressions(text).all:
        assert comment.span.end_column > comment.span.column
