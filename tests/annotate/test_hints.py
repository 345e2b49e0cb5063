from gradflow_lsp.annotate.hidden import By, Hidden
from gradflow_lsp.annotate.hints import hints

from .reports import FIRST, LAST, PATH, cut_report, parameter, report, shown


def labels(of, show: str) -> dict[int, str]:
    return {hint.line: hint.label for hint in hints([of], PATH, show)}


def test_each_defining_line_has_its_verdict():
    assert labels(shown(cut_report()), "verdict") == {FIRST.line: "missing", LAST.line: "healthy"}


def test_each_defining_line_has_its_norm():
    assert labels(shown(cut_report()), "norm") == {FIRST.line: "no grad", LAST.line: "grad 7.07157"}


def test_mixed_verdicts_are_counted():
    mixed = report(parameters=[parameter("first.weight"), parameter("first.bias", "zero")])
    assert labels(shown(mixed), "verdict") == {FIRST.line: "1 of 2 zero"}


def test_stale_hints_say_so():
    pinned = shown(cut_report())
    pinned.differing.add(PATH)
    assert labels(pinned, "verdict")[FIRST.line] == "missing (stale)"


def hidden(pinned, *names):
    by = By(LAST, intended=True)
    pinned.hidden = Hidden(parameters=dict.fromkeys(names, by))
    return pinned


def test_what_a_comment_hides_is_marked_and_yields_to_what_is_shown():
    meant = hidden(shown(cut_report()), "first.weight", "first.bias")
    assert labels(meant, "verdict")[FIRST.line] == "missing (intended)"
    mixed = report(parameters=[parameter("first.weight", "missing"), parameter("first.bias", "zero")])
    assert labels(hidden(shown(mixed), "first.weight"), "verdict") == {FIRST.line: "1 of 2 zero"}
    rest = report(parameters=[parameter("first.weight", "missing"), parameter("first.bias")])
    assert labels(hidden(shown(rest), "first.weight"), "verdict") == {FIRST.line: "1 of 2 missing (intended)"}


def test_off_means_none():
    assert hints([shown(cut_report())], PATH, "off") == []


def test_whoever_points_at_a_hint_sees_every_parameter():
    (hint, _) = hints([shown(cut_report())], PATH, "verdict")
    assert hint.tooltip == "first.weight: missing, norm none\nfirst.bias: missing, norm none"
