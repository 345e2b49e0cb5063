from dataclasses import replace

import pytest

from gradflow_lsp.annotate.board import Board
from gradflow_lsp.annotate.edits import edits_between
from gradflow_lsp.annotate.sources import OnDisk
from gradflow_lsp.probe.report import Cause

from .reports import (
    DETACH,
    NOON,
    PATH,
    TEXT,
    board_with,
    cut_report,
    failed_report,
    location,
    parameter,
    report,
    shown,
)

OTHER = PATH.replace("model.py", "blocks.py")


def edit(board: Board, old: str, new: str) -> str:
    """Replace a piece of the model's text and tell the board."""
    after = TEXT.replace(old, new, 1)
    board.edited(PATH, edits_between(TEXT, after), TEXT, after)
    return after


def codes(board: Board) -> set[str]:
    return {a.code for a in board.annotations(PATH)}


def test_a_new_report_takes_the_place_of_the_last_one():
    board = board_with(cut_report())
    assert codes(board) == {"missing-gradient", "detach"}
    assert board.show(report(parameters=[parameter("first.weight")]), {PATH: TEXT}, NOON) == {PATH}
    assert board.annotations(PATH) == []


def test_reports_of_two_probes_stand_side_by_side():
    board = board_with(cut_report())
    other = report(parameters=[parameter("last.weight", "zero")])
    other.function = "gradflow_probe_small"
    board.show(other, {PATH: TEXT}, NOON)
    assert codes(board) == {"missing-gradient", "detach", "zero-gradient"}


def test_annotations_move_with_their_lines_and_are_marked_stale():
    board = board_with(cut_report())
    after = edit(board, "import torch\n", "import math\nimport torch\n")
    layer, cause = board.annotations(PATH)
    assert layer.location == location("nn.Linear(4, 8)", after)
    assert "at line 13" in layer.message
    assert cause.location == location("self.first(x).relu().detach()", after)
    assert "stale" in layer.message and "stale" in cause.message


def test_a_run_on_an_older_text_moves_no_other_report_twice():
    board = board_with(cut_report())
    after = edit(board, "import torch\n", "import math\nimport torch\n")
    other = report(parameters=[parameter("last.weight", "zero")])
    other.function = "gradflow_probe_small"
    board.show(other, {PATH: TEXT}, NOON)
    board.read(PATH, after)
    found = {a.code: a.location for a in board.annotations(PATH)}
    assert found["missing-gradient"] == location("nn.Linear(4, 8)", after)
    assert found["zero-gradient"] == location("nn.Linear(8, 2)", after)


def test_an_annotation_goes_when_its_own_expression_is_changed():
    board = board_with(cut_report())
    edit(board, ".relu().detach()", ".relu()")
    assert codes(board) == {"missing-gradient"}


def test_the_report_itself_never_changes():
    board = board_with(cut_report())
    edit(board, "import torch\n", "import math\nimport torch\n")
    assert board.of(PATH, "gradflow_probe").report == cut_report()


def test_a_change_that_nobody_followed_is_found_by_comparing_texts():
    board = board_with(cut_report())
    after = TEXT.replace("import torch\n", "import torch\n\n\n", 1)
    assert board.read(PATH, after) == {PATH}
    assert board.annotations(PATH)[0].location == location("nn.Linear(4, 8)", after)
    assert board.read(PATH, after) == set()


def test_an_edit_of_a_file_that_the_run_did_not_load_changes_nothing():
    board = board_with(cut_report())
    assert board.edited(OTHER, edits_between("a", "b"), "a", "b") == set()
    assert not board.of(PATH, "gradflow_probe").stale


def test_an_edit_of_a_file_that_the_run_loaded_makes_its_findings_stale_elsewhere():
    board = board_with(report(parameters=[parameter("first.weight", "zero")], sources={PATH: "", OTHER: ""}))
    assert board.edited(OTHER, edits_between("a", "b"), "a", "b") == {PATH, OTHER}
    assert "stale" in board.annotations(PATH)[0].message


def test_an_edit_that_is_undone_brings_everything_back_as_it_was():
    board = board_with(cut_report())
    before = board.annotations(PATH)
    after = edit(board, ".relu().detach()", ".relu()")
    assert board.edited(PATH, edits_between(after, TEXT), after, TEXT) == {PATH}
    assert not board.of(PATH, "gradflow_probe").stale
    assert board.annotations(PATH) == before


def test_a_dropped_finding_stays_away_while_anything_else_differs():
    board = board_with(cut_report())
    after = edit(board, ".relu().detach()", ".relu()")
    other = TEXT.replace("import torch\n", "import torch\n\n", 1)
    board.edited(PATH, edits_between(after, other), after, other)
    assert codes(board) == {"missing-gradient"}


def test_edits_of_another_text_than_the_known_one_are_found_by_comparing():
    board = board_with(cut_report())
    shorter, after = TEXT.replace("import torch\n", "", 1), "\n\n" + TEXT
    board.edited(PATH, edits_between(shorter, after), shorter, after)
    assert board.annotations(PATH)[0].location == location("nn.Linear(4, 8)", after)


def test_other_line_ends_move_nothing():
    board = board_with(cut_report())
    before = board.annotations(PATH)
    assert board.read(PATH, TEXT.replace("\n", "\r\n")) == set()
    edit(board, "import torch\n", "import math\nimport torch\n")
    moved = board.annotations(PATH)
    text = board.text(PATH)
    board.edited(PATH, edits_between(text, text.replace("\n", "\r\n")), text, text.replace("\n", "\r\n"))
    assert board.annotations(PATH) == moved != before


def test_a_file_that_comes_to_be_where_the_run_looked_in_vain_makes_it_stale():
    board = board_with(report(looked_for=[OTHER, PATH.replace("model.py", "net")]))
    assert board.found(OTHER, OnDisk.of(b"size = 3\n")) == {OTHER, PATH}
    assert board.of(PATH, "gradflow_probe").stale
    assert board.found(OTHER, OnDisk.of(None)) == {OTHER, PATH}
    assert not board.of(PATH, "gradflow_probe").stale
    assert board.read(PATH.replace("model.py", "net/layers.py"), "") != set()
    assert board.of(PATH, "gradflow_probe").stale


def test_a_file_that_was_looked_for_in_vain_was_not_read():
    pinned = shown(report(sources={PATH: "abc"}, looked_for=[OTHER]))
    assert pinned.read() == {PATH: "abc"}
    assert pinned.files() == {PATH, OTHER}


def test_a_report_that_comes_late_leaves_the_places_of_others_alone():
    board = board_with(cut_report())
    after = edit(board, "import torch\n", "import math\nimport torch\n")
    late = cut_report()
    late.function = "gradflow_probe_late"
    board.show(late, {PATH: TEXT}, NOON)
    assert {a.location for a in board.annotations(PATH)} == {
        location("nn.Linear(4, 8)", after),
        location("self.first(x).relu().detach()", after),
    }


def test_nothing_is_left_of_a_file_that_is_gone():
    board = board_with(cut_report())
    assert board.forget(PATH) == {PATH}
    assert board.annotations(PATH) == []
    assert board.of(PATH, "gradflow_probe") is None


def test_when_the_file_of_a_cause_is_gone_the_layers_keep_their_finding():
    cut = cut_report()
    cut.causes[0] = Cause("detach", "Cut.", cut.causes[0].parameters, location(DETACH_TEXT, TEXT, OTHER))
    board = board_with(cut)
    assert board.forget(OTHER) == {PATH, OTHER}
    assert board.annotations(OTHER) == []
    (layer,) = board.annotations(PATH)
    assert "Cause" not in layer.message and "stale" in layer.message


def test_clearing_takes_one_probe_one_file_or_all():
    board = board_with(cut_report())
    assert board.clear(PATH, "gradflow_probe_other") == set()
    assert board.clear(OTHER) == set()
    assert board.clear(PATH, "gradflow_probe") == {PATH}
    assert board.all() == []


INTENDED = "  # gradflow: intended"


def test_a_comment_hides_its_findings_as_soon_as_it_is_there_and_no_longer():
    board = board_with(cut_report())
    after = edit(board, ".detach()\n", f".detach(){INTENDED}\n")
    assert codes(board) == set()
    board.read(PATH, after.replace(INTENDED, ""))
    assert codes(board) == {"missing-gradient", "detach"}


def test_a_comment_is_read_where_its_line_is_by_now():
    board = board_with(cut_report())
    edit(board, ".detach()\n", f".detach(){INTENDED}\n")
    moved = board.text(PATH).replace("import torch\n", "import math\nimport torch\n", 1)
    board.read(PATH, moved)
    assert codes(board) == set()
    assert board.of(PATH, "gradflow_probe").hidden.causes[0].location.line == DETACH.line + 1


def test_a_comment_that_is_there_when_the_run_ends_counts():
    board = Board()
    text = TEXT.replace(".detach()\n", f".detach(){INTENDED}\n")
    board.show(cut_report(), {PATH: text}, NOON)
    assert board.annotations(PATH) == []


def test_a_comment_in_one_file_changes_what_another_shows():
    cut = cut_report()
    cut.causes[0].location = location(DETACH_TEXT, TEXT, OTHER)
    board = Board()
    board.show(cut, {PATH: TEXT, OTHER: TEXT}, NOON)
    board.read(OTHER, TEXT + "\n")  # stale from here on
    assert board.read(OTHER, TEXT.replace(".detach()\n", f".detach(){INTENDED}\n")) == {PATH, OTHER}
    assert board.annotations(PATH) == []
    assert board.read(OTHER, TEXT) == {PATH, OTHER}


def test_a_comment_in_vain_is_shown_where_it_is_by_now_and_goes_with_its_report():
    board = board_with(cut_report())
    edit(board, "super().__init__()\n", f"super().__init__(){INTENDED}\n")
    (unused,) = [a for a in board.annotations(PATH) if a.code == "unused-suppression"]
    assert unused.location == location(INTENDED.strip(), board.text(PATH))
    board.clear()
    assert board.annotations(PATH) == []


def test_a_file_that_was_loaded_and_has_only_a_comment_in_vain_looks_different_too():
    board = Board()
    of = report(parameters=[parameter("first.weight")], sources={PATH: "", OTHER: ""})
    assert board.show(of, {PATH: TEXT, OTHER: f"x = 1{INTENDED}\n"}, NOON) == {PATH, OTHER}
    assert [a.code for a in board.annotations(OTHER)] == ["unused-suppression"]


MULTI_LINE = TEXT.replace("nn.Linear(4, 8)", "nn.Linear(\n            4,\n            8,\n        )")


def multi_line_board() -> Board:
    at = location("nn.Linear(", MULTI_LINE)
    layer = replace(at, end_line=at.line + 3, end_column=9)
    board = Board()
    board.show(report(parameters=[parameter("first.weight", "missing", location=layer)]), {PATH: MULTI_LINE}, NOON)
    return board


@pytest.mark.parametrize(
    "after",
    [
        MULTI_LINE.replace("nn.Linear(\n", "nn.Linear(  # the first\n"),
        MULTI_LINE.replace("4,\n            8", "4,  # in\n\n            8"),
        MULTI_LINE.replace("nn.Linear(\n            4,\n            8,\n        )", "nn.Linear(4, 8,)"),
    ],
)
def test_comments_and_space_within_an_expression_do_not_change_it(after):
    board = multi_line_board()
    board.read(PATH, after)
    (layer,) = board.annotations(PATH)
    line = after.splitlines()[layer.location.end_line - 1]
    assert line[: layer.location.end_column].endswith(")") and line[layer.location.end_column :] == ""
    assert codes(board) == {"missing-gradient"}


def test_a_comment_on_the_first_line_of_a_long_expression_hides_and_shows_again():
    board = multi_line_board()
    text = "nn.Linear(  # gradflow: ignore[missing-gradient]\n"
    board.read(PATH, MULTI_LINE.replace("nn.Linear(\n", text))
    assert codes(board) == set()
    board.read(PATH, MULTI_LINE)
    assert codes(board) == {"missing-gradient"}


def test_a_changed_argument_within_a_long_expression_takes_the_annotation_away():
    board = multi_line_board()
    board.read(PATH, MULTI_LINE.replace("            8,\n", "            9,\n"))
    assert codes(board) == set()


def test_the_last_run_that_has_numbers_is_kept_beside_the_present_one():
    board = board_with(cut_report())
    board.show(failed_report(), {PATH: TEXT}, NOON)
    board.show(report(parameters=[parameter("first.weight")]), {PATH: TEXT}, NOON)
    assert board.of(PATH, "gradflow_probe").before == cut_report()


DETACH_TEXT = TEXT.splitlines()[DETACH.line - 1][DETACH.column : DETACH.end_column]


def test_a_comment_in_vain_is_told_where_it_lies_by_now_though_nothing_else_has_moved():
    board = Board()
    text = TEXT + "\n\nEND = 1  # gradflow: ignore[zero-gradient]\n"
    board.show(cut_report(), {PATH: text}, NOON)
    before = [a.location for a in board.annotations(PATH) if a.code == "unused-suppression"]
    after = text.replace("END = 1", "\n\nEND = 1")
    board.edited(PATH, edits_between(text, after), text, after)
    moved = [a.location for a in board.annotations(PATH) if a.code == "unused-suppression"]
    assert before
    assert [at.line for at in moved] == [at.line + 2 for at in before]
