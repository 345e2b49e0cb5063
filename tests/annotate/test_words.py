import pytest

from gradflow_lsp.annotate import words

from .reports import failed_report, finding, parameter, report


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0839868, "0.083987"), (0.1421098, "0.142110"), (7.0710678, "7.07107"), (1234.5678, "1234.57"),
        (3.21e-12, "3.2100e-12"), (4.5e8, "4.5000e+08"), (0.0, "0"), (float("nan"), "nan"), (float("inf"), "inf"),
        (None, "none"),
    ],
)  # fmt: skip
def test_numbers_have_at_least_four_digits_and_no_false_zero(value, text):
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.0, "0 %"), (1.0, "100 %"), (0.9999, "> 99.9 %"), (0.0001, "< 0.1 %"), (0.5, "50 %")]
)
def test_only_exact_shares_are_called_nothing_or_all(fraction, text):
    assert words.share(fraction) == text


def test_more_than_two_causes_are_counted():
    from .reports import DETACH, cut_report

    cause = cut_report().causes[0]
    text = words.because([(cause, DETACH)] * 4, DETACH.path)
    assert text.count("Cause at line 12") == 2
    assert text.endswith("And 2 more causes.")


def test_one_parameter_that_vanishes_is_told_with_its_norm():
    text = words.what_is_wrong([parameter("first.weight", "vanishing", grad_norm=2e-14)])
    assert text == "The gradient of first.weight is too small to learn from (norm 2.0000e-14)."


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (report(parameters=[parameter("a.weight")]), "all 1 parameter healthy"),
        (report(parameters=[parameter("a.weight"), parameter("b.weight", "zero")]), "1 zero, 1 healthy"),
        (report(findings=[finding("nonfinite-loss")], parameters=[parameter("a.weight")]), "1 healthy; nonfinite-loss"),
        (failed_report(), "could not run"),
    ],
)
def test_the_outcome_of_a_run_in_a_few_words(of, text):
    assert words.outcome(of) == text
