import re

import pytest

from gradflow_lsp.annotate.card import card_at, file_link, probe_card, report_page
from gradflow_lsp.annotate.edits import edits_between
from gradflow_lsp.annotate.hidden import By, Hidden
from gradflow_lsp.annotate.positions import Point
from gradflow_lsp.annotate.render import Paragraph, markdown, plain
from gradflow_lsp.probe.report import Cause
from gradflow_lsp.source.outline import outline

from .reports import (
    DETACH,
    FIRST,
    LAST,
    PATH,
    TEXT,
    cut_report,
    failed_report,
    finding,
    location,
    parameter,
    report,
    shown,
)

ZEROES = (("dead-activation", "first"), ("zero-input", "last"))


def markdown_link(to) -> str:
    return markdown([Paragraph([file_link(to, PATH)])])


def card(needle: str, of=None, text: str = TEXT):
    at = location(needle, text)
    return card_at([of or shown(cut_report())], outline(text), PATH, Point(at.line, at.column + 1))


def rows(text: str) -> list[list[str]]:
    """Return the cells of a card's table, its header first."""
    table = text.partition("```text\n")[2].partition("\n```")[0]
    return [re.split(r"  +", line) for line in table.splitlines()]


def row(text: str, name: str) -> list[str]:
    return next(cells for cells in rows(text) if cells[0] == name)


def test_the_card_of_a_layer_has_a_row_for_each_parameter():
    found = card("nn.Linear(8, 2)")
    assert found.at == LAST
    text = markdown(found.blocks)
    assert text.startswith("```text\nlast: Linear  verdict")
    assert rows(text) == [
        ["last: Linear", "verdict", "grad norm", "weight norm", "ratio"],
        ["last.weight", "healthy", "0.083987", "2.5", "0.033595"],
        ["last.bias", "healthy", "7.07107", "2.5", "2.82843"],
    ]


def test_columns_in_which_nothing_has_a_number_are_left_out():
    assert rows(markdown(card("nn.Linear(4, 8)").blocks))[0] == ["first: Linear", "verdict", "grad norm", "weight norm"]
    zeros = shown(report(parameters=[parameter("first.weight", "zero", zero_fraction=1.0)]))
    assert rows(markdown(card("nn.Linear(4, 8)", zeros).blocks))[0][-2:] == ["ratio", "zeros"]


def test_a_mention_in_forward_has_the_card_of_its_layer():
    assert markdown(card("self.last(h)").blocks) == markdown(card("nn.Linear(8, 2)").blocks)


def test_a_missing_gradient_is_told_from_a_zero_one():
    zeros = shown(report(parameters=[parameter("first.weight", "zero"), parameter("first.bias", "missing")]))
    text = markdown(card("nn.Linear(4, 8)", zeros).blocks)
    assert row(text, "first.weight")[2] == "0"
    assert row(text, "first.bias")[2] == "none"


def test_the_cause_is_named_with_a_link_to_its_line():
    text = markdown(card("nn.Linear(4, 8)").blocks)
    assert f"Cause (`detach`) at {markdown_link(DETACH)}: `.detach()` cuts the graph here." in text


def test_the_flow_marks_the_layer():
    assert "Flow: `loss → last ✓ · [first ✗] → input` (✗ no gradient)" in markdown(card("nn.Linear(4, 8)").blocks)


def test_the_card_of_a_cause_has_what_its_diagnostic_does_not_say():
    text = markdown(card(".detach()").blocks)
    assert rows(text)[0][0] == "cause: detach"
    assert row(text, "first.weight")[1] == "missing"
    assert f"Defined at {markdown_link(FIRST)}\n" in text
    assert f"See {markdown_link(location('model(torch.randn(5, 4))'))}: called here." in text
    assert "cuts the graph" not in text


def test_a_cause_without_a_diagnostic_has_its_sentence_on_the_card():
    benign = Cause("invariant", "The mean is subtracted after it.", ["first.bias"], DETACH)
    found = card(".detach()", shown(report(parameters=[parameter("first.bias", causes=[0])], causes=[benign])))
    assert "The mean is subtracted after it." in markdown(found.blocks)


def test_two_causes_on_one_expression_are_both_on_its_card():
    both = [Cause(kind, "x", [f"{module}.weight"], DETACH) for kind, module in ZEROES]
    parameters = [parameter(f"{module}.weight", "zero", causes=[i]) for i, (_, module) in enumerate(ZEROES)]
    text = plain(card(".detach()", shown(report(parameters=parameters, causes=both))).blocks)
    assert "cause: dead-activation" in text and "cause: zero-input" in text
    assert text.count("ran at") == 1


def test_a_layer_that_is_its_own_cause_has_one_card():
    made = Cause("unregistered", "The loss reaches it.", ["first.weight"], FIRST)
    text = plain(card("nn.Linear(4, 8)", shown(report(parameters=[parameter("first.weight")], causes=[made]))).blocks)
    assert text.count("first.weight") == 1


def test_the_card_of_a_probe_sums_the_run_up():
    text = markdown(card("gradflow_probe").blocks)
    assert text.startswith("**gradflow_probe: 2 missing, 2 healthy**")
    assert "loss = -0.250000" in text
    assert "Cause (`detach`)" in text


def test_the_card_of_a_failed_probe_has_its_error_and_what_it_printed():
    text = markdown(probe_card(shown(failed_report(output="loading *data*\n"))))
    assert "`probe-raised`: The probe raised ValueError: no data." in text
    assert "```text\nloading *data*\n```" in text


def test_the_page_has_a_heading_and_a_straight_table_of_all_parameters():
    text = markdown(report_page(shown(cut_report()), file_link))
    assert text.startswith("# gradflow_probe: 2 missing, 2 healthy\n\nThe probe is at [line 16](")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 4 and len({len(line) for line in table}) == 1
    assert table[2].startswith("| `first.weight` | missing |      none |")


def test_a_finding_is_on_the_card_of_the_probe():
    assert "`nonfinite-loss`: Something" in markdown(probe_card(shown(report(findings=[finding("nonfinite-loss")]))))


def test_a_finding_that_a_comment_hides_is_marked_on_the_card():
    pinned = shown(report(findings=[finding("backward-in-probe")]))
    pinned.hidden = Hidden(findings={0: By(location("def"), intended=False)})
    assert "`backward-in-probe` (ignored): Something" in markdown(probe_card(pinned))


def test_a_card_says_when_it_was_true():
    pinned = shown(cut_report())
    assert "gradflow_probe ran at 12:00:00, took 0.214 s, torch 2.9.0 on cpu, up to date" in markdown(
        card("nn.Linear(8, 2)").blocks
    )
    pinned.differing.add(PATH)
    assert "stale: edited since the run" in markdown(card("nn.Linear(8, 2)", pinned).blocks)


def test_a_card_moves_with_its_layer():
    pinned = shown(cut_report())
    after = TEXT.replace("import torch\n", "import torch\n\n", 1)
    pinned.take(PATH, frozenset(), edits_between(TEXT, after), TEXT, after)
    assert card("nn.Linear(8, 2)", pinned, after).at == location("nn.Linear(8, 2)", after)


def test_other_places_have_no_card():
    assert card("import torch") is None
    assert card("relu") is not None  # a part of the cause's expression
    assert card("return model") is None


def test_nothing_from_a_report_is_taken_for_markup():
    text = markdown(probe_card(shown(failed_report(message="<b>*no*</b> __init__ [x](y) `code_*`"))))
    assert r"\<b\>\*no\*\</b\> \__init_\_ \[x\](y) `code_*`" in text


def test_a_plain_card_says_the_same_without_markup():
    text = plain(card("nn.Linear(4, 8)").blocks)
    assert text.startswith("first: Linear  verdict  grad norm  weight norm\nfirst.weight   missing ")
    assert "Cause (detach) at line 12: .detach() cuts the graph here." in text
    assert "](" not in text and "|" not in text


def test_a_long_table_is_cut_and_says_so():
    many = report(parameters=[parameter(f"first.{i}", location=FIRST) for i in range(20)])
    text = plain(card("nn.Linear(4, 8)", shown(many)).blocks)
    assert "first.15" in text and "first.16" not in text
    assert "and 4 more parameters" in text


def test_several_losses_have_a_column_each():
    both = {"adv": 0.5, "rec": None}
    two = report(losses={"adv": 1.0, "rec": 2.0}, parameters=[parameter("first.weight", grad_norms=both)])
    text = markdown(card("nn.Linear(4, 8)", shown(two)).blocks)
    assert rows(text)[0][3:5] == ["adv", "rec"]
    assert row(text, "first.weight")[3:5] == ["0.500000", "none"]


@pytest.mark.parametrize("mention", ["self.blocks[0].fc", "self.blocks[i].fc", "self.blocks"])
def test_a_chain_of_attributes_finds_the_layers_that_a_loop_built(mention):
    text = f"class Net(nn.Module):\n    def forward(self, x, i):\n        return {mention}(x)\n"
    loop = shown(report(parameters=[parameter("net.blocks.0.fc.weight"), parameter("net.head.weight")]))
    at = location(mention, text)
    end = Point(at.line, at.end_column)
    found = card_at([loop], outline(text), PATH, end)
    assert "net.blocks.0.fc.weight" in markdown(found.blocks)
    assert "net.head.weight" not in markdown(found.blocks)
