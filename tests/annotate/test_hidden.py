from dataclasses import replace

import pytest

from gradflow_lsp.annotate.annotations import annotate
from gradflow_lsp.annotate.hidden import UNUSED, hidden_by_comments
from gradflow_lsp.annotate.places import unmoved
from gradflow_lsp.annotate.view import View
from gradflow_lsp.probe.report import Cause
from gradflow_lsp.severities import reaches

from .reports import DETACH, FIRST, LAST, PATH, TEXT, cut_report, failed_report, finding, location, parameter, report

FORWARD = "h = self.first(x).relu().detach()"
LAYER = "self.first = nn.Linear(4, 8)"


def commented(*pairs, text: str = TEXT) -> str:
    """Return the model with comments at the end of lines."""
    for line, comment in pairs:
        text = text.replace(line, f"{line}  # gradflow: {comment}", 1)
    return text


def view(of, text, **severities):
    (hidden,) = hidden_by_comments([(of, unmoved)], {PATH: text}.get)
    return View.of(of, hidden, {code.replace("_", "-"): level for code, level in severities.items()})


def shown(of, text) -> set[tuple[str, int]]:
    """Return the codes that stand in the model's file, each with its line."""
    (hidden,) = hidden_by_comments([(of, unmoved)], {PATH: text}.get)
    return {(a.code, a.location.line) for a in annotate(of, hidden=hidden)}


def complaints(of, text) -> list[str]:
    return [f.message for f in view(of, text).report.findings if f.code == UNUSED]


def test_an_ignored_verdict_goes_from_its_layer_and_the_cause_goes_with_the_last_of_them():
    text = commented((LAYER, "ignore[missing-gradient]"))
    assert shown(cut_report(), text) == set()
    assert {p.severity for p in view(cut_report(), text).report.parameters} == {None}
    assert [p.verdict for p in view(cut_report(), text).report.parameters[:2]] == ["missing", "missing"]


def test_a_cause_still_says_what_it_starves_elsewhere():
    cut = cut_report()
    cut.parameters.append(parameter("last.scale", "missing", causes=[0]))
    cut.causes[0].parameters.append("last.scale")
    assert shown(cut, commented((LAYER, "ignore[missing-gradient]"))) == {("detach", 12), ("missing-gradient", 9)}


def test_an_ignored_cause_goes_from_its_line_and_the_layers_keep_their_verdict():
    text = commented((FORWARD, "ignore[detach]"))
    assert shown(cut_report(), text) == {("missing-gradient", 8)}
    assert reaches(view(cut_report(), text).report, "warning")


def test_a_cause_that_is_intended_takes_all_that_it_explains_with_it():
    text = commented((FORWARD, "intended"))
    assert shown(cut_report(), text) == set()
    assert not reaches(view(cut_report(), text).report, "information")


def test_an_ignore_without_names_takes_whatever_stands_on_its_line():
    assert shown(cut_report(), commented((FORWARD, "ignore"))) == {("missing-gradient", 8)}
    assert shown(cut_report(), commented((LAYER, "ignore"))) == set()


def test_an_intended_layer_is_hidden_whatever_the_cause():
    assert shown(cut_report(), commented((LAYER, "intended"))) == set()


def two_causes():
    cut = cut_report()
    cut.causes.append(Cause("no-grad", "Off.", ["first.weight", "first.bias"], location("self.last(h)")))
    for p in cut.parameters[:2]:
        p.causes.append(1)
    return cut


def test_what_another_cause_explains_too_stays_until_that_is_meant_as_well():
    one = commented((FORWARD, "intended"))
    assert shown(two_causes(), one) == {("missing-gradient", 8), ("no-grad", 13)}
    assert complaints(two_causes(), one) == []
    assert shown(two_causes(), commented(("return self.last(h)", "intended"), text=one)) == set()


def nan():
    broken = Cause("nonfinite-op", "log(0)", ["first.weight"], DETACH)
    return report(parameters=[parameter("first.weight", "nonfinite", causes=[0])], causes=[broken])


def test_a_gradient_that_is_nan_is_never_meant_but_can_be_ignored():
    meant = commented((FORWARD, "intended"), (LAYER, "intended"))
    assert {("nonfinite-gradient", 8), ("nonfinite-op", 12)} < shown(nan(), meant)
    assert len(complaints(nan(), meant)) == 2
    assert shown(nan(), commented((LAYER, "ignore[nonfinite-gradient]"))) == set()


@pytest.mark.parametrize("kind", ["frozen", "not-called"])
@pytest.mark.parametrize("comment", ["ignore[{kind}]", "ignore", "intended"])
def test_a_cause_that_stands_for_its_layers_takes_them_with_it(kind, comment):
    verdict = "frozen" if kind == "frozen" else "missing"
    at = FIRST if kind == "not-called" else location("super().__init__()")
    quiet = report(
        parameters=[parameter("first.weight", verdict, causes=[0])], causes=[Cause(kind, "x", ["first.weight"], at)]
    )
    line = LAYER if kind == "not-called" else "super().__init__()"
    text = commented((line, comment.format(kind=kind)))
    assert shown(quiet, text) == set()
    assert not reaches(view(quiet, text).report, "hint")


def test_a_layer_that_is_its_own_cause_answers_to_both_names():
    small = Cause("small-scale", "Too small.", ["first.weight"], FIRST)
    of = report(parameters=[parameter("first.weight", "vanishing", causes=[0])], causes=[small])
    for name in ("small-scale", "vanishing-gradient"):
        assert shown(of, commented((LAYER, f"ignore[{name}]"))) == set()


def test_an_ignored_finding_of_the_probe_goes():
    at = location("return model, model(torch.randn(5, 4)).sum()")
    of = report(findings=[finding("loss-without-graph", where=at), finding("backward-in-probe")])
    text = commented((TEXT.splitlines()[17].strip(), "ignore[loss-without-graph]"))
    assert {code for code, _ in shown(of, text)} == {"backward-in-probe"}
    both = commented(("def gradflow_probe():", "ignore[backward-in-probe]"), text=text)
    assert shown(of, both) == set()


def test_an_ignore_for_the_whole_file_hides_in_this_file_alone():
    text = TEXT.replace("import torch\n", "# gradflow: ignore[missing-gradient]\n", 1)
    assert shown(cut_report(), text) == set()
    elsewhere = replace(cut_report())
    for p in elsewhere.parameters:
        p.location = replace(p.location, path=PATH.replace("model.py", "blocks.py"))
    assert ("missing-gradient", 8) in shown(elsewhere, text)


def test_a_comment_in_vain_is_reported_on_its_own_range():
    text = commented(("self.last = nn.Linear(8, 2)", "ignore[zero-gradient]"))
    (unused,) = (f for f in view(cut_report(), text).report.findings)
    assert (unused.code, unused.severity) == (UNUSED, "information")
    assert text.splitlines()[unused.location.line - 1][unused.location.column :] == "# gradflow: ignore[zero-gradient]"
    assert unused.message == (
        "`ignore[zero-gradient]` hides nothing on this line. "
        "Remove it, or move it to the end of the line that it is about."
    )


def test_of_several_names_those_in_vain_are_named():
    (message,) = complaints(cut_report(), commented((LAYER, "ignore[missing-gradient, zero-gradient, detach]")))
    assert message.startswith("`ignore[zero-gradient, detach]` hides nothing on this line. Remove it")


def test_a_name_in_vain_is_told_what_stands_on_the_line():
    (message,) = complaints(cut_report(), commented((FORWARD, "ignore[missing-gradient]")))
    assert message.endswith("What stands here is detach: ignore[detach] hides it.")


def test_an_unknown_name_is_reported_with_the_one_that_is_meant():
    (message,) = complaints(cut_report(), commented((LAYER, "ignore[mising-gradient]")))
    assert message == (
        "`mising-gradient` is no code or cause; did you mean missing-gradient? On this line it could be "
        "missing-gradient; `gradflow-lsp explain` lists all."
    )
    (message,) = complaints(cut_report(), commented(("self.last = nn.Linear(8, 2)", "ignore[x]")))
    assert "Codes are missing-gradient, zero-gradient," in message


def test_an_error_is_told_apart_from_a_name_that_does_not_exist():
    (message,) = complaints(cut_report(), commented((LAYER, "ignore[probe-raised]")))
    assert message == "`probe-raised` says that the probe could not run, which no comment hides."


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("intended", "`intended` hides nothing on this line."),
        ("ignore", "`ignore` hides nothing on this line."),
        ("ignore[]", "`ignore` hides nothing on this line."),
        ("ignore missing-gradient", "`gradflow: ignore missing-gradient` cannot be read."),
    ],
)
def test_every_other_comment_in_vain_is_reported(comment, message):
    (found,) = complaints(cut_report(), commented(("self.last = nn.Linear(8, 2)", comment)))
    assert found.startswith(message)


def test_a_comment_on_a_line_of_its_own_is_told_where_to_go():
    text = TEXT.replace("        self.first =", "        # gradflow: ignore[missing-gradient]\n        self.first =")
    (message,) = complaints(replace(cut_report(), parameters=[]), text)
    assert "stands alone, so it hides nothing" in message


def test_a_comment_that_another_probe_needs_is_not_in_vain():
    text = commented((LAYER, "ignore[missing-gradient]"))
    healthy = report(parameters=[parameter("first.weight")])
    both = hidden_by_comments([(healthy, unmoved), (cut_report(), unmoved)], {PATH: text}.get)
    assert [hidden.unused for hidden in both] == [(), ()]


def test_a_comment_in_vain_is_reported_once_for_all_probes():
    healthy = report(parameters=[parameter("first.weight")])
    text = commented((LAYER, "intended"))
    both = hidden_by_comments([(healthy, unmoved), (healthy, unmoved)], {PATH: text}.get)
    assert [len(hidden.unused) for hidden in both] == [1, 0]


def test_nobody_complains_of_a_comment_that_no_run_could_judge():
    text = commented((LAYER, "ignore[zero-gradient]"))
    assert complaints(failed_report(), text) == []
    assert (
        complaints(report(mode="structural", parameters=[parameter("first.weight", "reached", severity=None)]), text)
        == []
    )
    elsewhere = location("model = Net()")  # nothing of the class was built
    assert complaints(report(parameters=[parameter("first.weight", location=elsewhere)]), text) == []


def test_a_probe_that_could_not_run_may_need_the_comments_of_its_file():
    text = commented((LAYER, "ignore[zero-gradient]"))
    reports = [(report(parameters=[parameter("first.weight")]), unmoved), (failed_report(), unmoved)]
    assert [hidden.unused for hidden in hidden_by_comments(reports, {PATH: text}.get)] == [(), ()]


def test_once_an_expression_was_changed_its_file_is_not_judged_until_the_next_run():
    text = commented((FORWARD, "intended"))
    edited = (cut_report(), lambda at: None if at == DETACH else at)
    healthy = (report(parameters=[parameter("first.weight")]), unmoved)
    for reports in ([edited], [healthy, edited]):
        assert all(hidden.unused == () for hidden in hidden_by_comments(reports, {PATH: text}.get))


def test_a_setting_has_the_last_word_on_how_loud_an_unused_comment_is():
    text = commented(("self.last = nn.Linear(8, 2)", "intended"))
    healthy = report(parameters=[parameter("last.weight", location=LAST)])
    assert not reaches(view(healthy, text).report, "warning")
    assert reaches(view(healthy, text, unused_suppression="warning").report, "warning")
    assert view(healthy, text, unused_suppression="off").report.findings == []


def test_what_a_setting_turned_off_does_not_make_its_comment_unused():
    quiet = view(cut_report(), commented((LAYER, "ignore[missing-gradient]")), missing_gradient="off")
    assert quiet.report.findings == []
