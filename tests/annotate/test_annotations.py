from dataclasses import replace

import pytest

from gradflow_lsp.annotate.annotations import annotate, merged
from gradflow_lsp.probe.report import Cause, Related

from .reports import DETACH, FIRST, LAST, PATH, cut_report, failed_report, finding, location, parameter, report


def by_code(annotations):
    assert len({(a.location, a.code) for a in annotations}) == len(annotations)
    return {a.code: a for a in annotations}


def test_a_layer_says_what_is_wrong_and_where_the_cause_is():
    layer = by_code(annotate(cut_report()))["missing-gradient"]
    assert (layer.location, layer.severity) == (FIRST, "warning")
    assert layer.message == "first: no gradient reaches weight, bias. Cut by .detach() at line 12."
    assert layer.related == (Related("`.detach()` cuts the graph here.", DETACH),)


def test_a_cause_says_what_it_starves_and_leads_to_those_layers():
    cause = by_code(annotate(cut_report()))["detach"]
    assert (cause.location, cause.severity, cause.parameters) == (DETACH, "warning", ("first.weight", "first.bias"))
    assert cause.message == "`.detach()` cuts the graph here. Starves first.* (2 parameters)."
    assert Related("first.weight, first.bias", FIRST) in cause.related


def test_a_cause_in_another_file_is_named_with_its_file():
    cut = cut_report()
    cut.causes[0].location = replace(DETACH, path=PATH.replace("model.py", "blocks.py"))
    assert "Cut by .detach() at line 12 of blocks.py." in by_code(annotate(cut))["missing-gradient"].message


def test_healthy_layers_have_no_annotation():
    assert annotate(report(parameters=[parameter("first.weight"), parameter("last.weight")])) == []


def test_one_range_has_one_annotation_for_each_code():
    parameters = [parameter(f"blocks.{i}.weight", "zero" if i else "missing", location=FIRST) for i in range(5)]
    annotations = by_code(annotate(report(parameters=parameters)))
    assert annotations.keys() == {"missing-gradient", "zero-gradient"}
    assert annotations["missing-gradient"].message == "blocks.0: no gradient reaches weight."
    assert annotations["zero-gradient"].message == (
        "blocks: the gradient of 4 of 5 parameters (1.weight, 2.weight, 3.weight, …) is exactly 0."
    )


def test_the_worst_severity_of_a_range_counts():
    parameters = [parameter("a.weight", "zero", severity="information"), parameter("b.weight", "zero")]
    assert by_code(annotate(report(parameters=parameters)))["zero-gradient"].severity == "warning"


@pytest.mark.parametrize(("kind", "verdict"), [("frozen", "frozen"), ("not-called", "missing")])
def test_frozen_and_not_called_stand_only_on_the_line_of_their_cause(kind, verdict):
    at = FIRST if kind == "not-called" else location("super().__init__()")
    frozen = report(
        parameters=[parameter("first.weight", verdict, causes=[0]), parameter("first.bias", verdict, causes=[0])],
        causes=[Cause(kind, "This is why.", ["first.weight", "first.bias"], at)],
    )
    (only,) = annotate(frozen)
    assert (only.code, only.location) == (kind, at)
    assert only.severity == ("information" if kind == "frozen" else "warning")


def test_a_layer_that_is_its_own_cause_is_shown_once_and_says_why():
    small = Cause("small-scale", "The values set here are too small.", ["first.weight"], FIRST)
    (only,) = annotate(report(parameters=[parameter("first.weight", "vanishing", causes=[0])], causes=[small]))
    assert (only.code, only.location, only.related) == ("vanishing-gradient", FIRST, ())
    assert only.message.endswith("(norm 0.083987). The values set here are too small.")


def test_an_unregistered_layer_is_shown_once_and_does_not_repeat_itself():
    made = Cause("unregistered", "The loss reaches it.", ["first.weight"], FIRST)
    (only,) = annotate(report(parameters=[parameter("first.weight", "unregistered", causes=[0])], causes=[made]))
    assert only.code == "unregistered-parameter"
    assert only.message == "first: no optimizer will update weight: parameters() does not list it."


def test_a_frozen_layer_without_a_known_line_stands_on_its_definition():
    (only,) = annotate(report(parameters=[parameter("first.weight", "frozen")]))
    assert (only.code, only.location, only.severity) == ("frozen-parameter", FIRST, "information")


def test_a_cause_is_as_loud_as_the_worst_that_it_explains():
    parameters = [parameter("first.weight", "nonfinite", causes=[0]), parameter("last.weight", "zero", causes=[0])]
    mixed = report(parameters=parameters, causes=[Cause("nonfinite-op", "x", ["first.weight", "last.weight"], DETACH)])
    assert by_code(annotate(mixed))["nonfinite-op"].severity == "error"


def test_a_cause_of_nothing_that_is_shown_is_not_shown():
    healthy = report(
        parameters=[parameter("first.bias", causes=[0])], causes=[Cause("invariant", "x", ["first.bias"], DETACH)]
    )
    assert annotate(healthy) == []


def test_a_setting_turns_a_code_off_and_its_causes_with_it():
    assert annotate(cut_report(), {"missing-gradient": "off"}) == []
    assert by_code(annotate(cut_report(), {"detach": "off"})).keys() == {"missing-gradient"}


def test_a_setting_makes_a_code_louder():
    assert {a.severity for a in annotate(cut_report(), {"missing-gradient": "error"})} == {"error"}


def test_no_setting_makes_louder_what_the_report_lowers():
    planned = report(parameters=[parameter("first.weight", "zero", severity="information")])
    assert by_code(annotate(planned, {"zero-gradient": "error"}))["zero-gradient"].severity == "information"
    assert by_code(annotate(planned, {"zero-gradient": "hint"}))["zero-gradient"].severity == "hint"


def test_a_parameter_without_a_definition_stands_on_the_probe():
    (only,) = annotate(report(parameters=[parameter("0.weight", "missing", location=None)]))
    assert only.location == location("gradflow_probe")


def test_a_finding_stands_on_its_place_or_else_on_the_probe():
    returns = location("return model, model(torch.randn(5, 4)).sum()")
    found = report(findings=[finding("loss-without-graph", where=returns), finding("backward-in-probe", "information")])
    annotations = by_code(annotate(found))
    assert annotations["loss-without-graph"].location == returns
    assert annotations["backward-in-probe"].location == location("gradflow_probe")


def test_an_error_stands_on_the_probe_and_on_the_line_that_failed():
    where = location("model = Net()")
    annotations = annotate(failed_report(location=where))
    assert {(a.location, a.code, a.severity) for a in annotations} == {
        (where, "probe-raised", "error"),
        (location("gradflow_probe"), "probe-raised", "error"),
    }
    assert "It stopped at line 17." in annotations[0].message


def test_a_cancelled_run_leaves_nothing_on_the_lines():
    assert annotate(replace(failed_report(kind="cancelled"), status="cancelled")) == []


def test_stale_annotations_say_so():
    assert all("(stale: edited since the run)" in a.message for a in annotate(cut_report(), stale=True))


def test_a_place_that_was_changed_is_left_out_everywhere():
    annotations = annotate(cut_report(), place=lambda at: None if at == DETACH else at)
    (layer,) = annotations
    assert layer.location == FIRST
    assert layer.message == "first: no gradient reaches weight, bias."
    assert layer.related == ()


def test_of_two_reports_the_louder_annotation_stays():
    quiet = annotate(report(parameters=[parameter("first.weight", "zero", severity="information")]))
    loud = annotate(report(parameters=[parameter("first.weight", "zero")]))
    assert merged([*quiet, *loud]) == loud


def test_annotations_come_in_the_order_of_the_file():
    both = report(parameters=[parameter("last.weight", "zero"), parameter("first.weight", "zero")])
    assert [a.location for a in annotate(both)] == [FIRST, LAST]
