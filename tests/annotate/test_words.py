import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradflow_lsp.annotate import words
from gradflow_lsp.codes import CAUSE_KINDS
from gradflow_lsp.probe.report import Cause

from .reports import DETACH, FIRST, cut_report, failed_report, finding, parameter, report


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
    cause = cut_report().causes[0]
    text = words.because([(cause, DETACH)] * 4, FIRST)
    assert text == "Cut by .detach() at line 12. Cut by .detach() at line 12. And 2 more causes."


@pytest.mark.parametrize("kind", sorted({*CAUSE_KINDS} - {"frozen", "not-called", "invariant"}))
def test_every_kind_of_cause_has_its_own_words_on_the_layers_that_it_explains(kind):
    text = words.because([(Cause(kind, "", [], DETACH), DETACH)], FIRST)
    assert text.endswith(" at line 12.") and "Cause (" not in text


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a.weight", "a.bias"], "a.* (2 parameters)"),
        (["a.weight", "b.0.weight", "b.0.bias", "b.1.weight"], "a.weight, b.* (4 parameters)"),
        (["b.0.weight"], "b.0.weight"),
        (['m["x.y"].weight', 'm["x.y"].bias'], 'm["x.y"].* (2 parameters)'),
        (["c", "d", "e", "f"], "c, d, e, … (4 parameters)"),
    ],
)
def test_parameters_are_gathered_by_module_where_none_of_it_is_spared(names, text):
    everything = ["a.weight", "a.bias", "b.0.weight", "b.0.bias", "b.1.weight", 'm["x.y"].weight', 'm["x.y"].bias']
    assert words.gathered(names, [*everything, "c", "d", "e", "f"]) == text


def blocks(*numbers, layers=("attn", "mlp.0", "mlp.1")):
    return [f"blocks.{n}.{layer}.{leaf}" for n in numbers for layer in layers for leaf in ("weight", "bias")]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (blocks(*range(12)), "blocks.0-11.* (72 parameters)"),
        (blocks(0, 1, 2, 5), "blocks.0-2.*, blocks.5.* (24 parameters)"),
        (blocks(*range(9, 12)), "blocks.9-11.* (18 parameters)"),
        (blocks(*range(12), layers=["attn"]), "blocks.0-11.attn.* (24 parameters)"),
        (blocks(*range(12), layers=["mlp.0", "attn"]), "blocks.0-11.mlp.0.*, blocks.0-11.attn.* (48 parameters)"),
        ([f"blocks.{i}.attn.bias" for i in range(3)], "blocks.0-2.attn.bias (3 parameters)"),
    ],
)
def test_neighbours_in_a_list_are_gathered_by_their_numbers(names, text):
    assert words.gathered(names, blocks(*range(24))) == text


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), unique=True, min_size=1))
def test_gathering_counts_every_parameter(pairs):
    names = [f"a.{i}.b.{j}.weight" for i, j in pairs]
    text = words.gathered(names, [*names, "a.10.b.0.weight", *(f"a.{i}.c" for i in range(10))])
    assert text == names[0] if len(names) == 1 else text.endswith(f"({len(names)} parameters)")


def test_one_parameter_that_vanishes_is_told_with_its_norm():
    text = words.what_is_wrong([parameter("first.weight", "vanishing", grad_norm=2e-14)])
    assert text == "first: the gradient of weight is too small to learn from (norm 2.0000e-14)."


def test_a_parameter_of_the_model_itself_is_told_without_a_module():
    assert words.what_is_wrong([parameter("scale", "missing")]) == "No gradient reaches scale."


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


def by_loss(name, **norms):
    return parameter(name, grad_norms=norms)


def test_what_one_of_several_losses_alone_reaches_is_said():
    parameters = [by_loss("a.weight", d=1.0, g=None), by_loss("a.bias", d=0.0, g=None), by_loss("b.weight", d=1.0, g=2)]
    assert words.only_reached_by(["d", "g"], parameters) == ["Only d reaches a.* (2 parameters)."]


def test_a_layer_is_one_losss_own_only_where_all_of_it_is():
    weight, bias = by_loss("a.weight", d=1.0, g=None), by_loss("a.bias", d=1.0, g=1.0)
    assert words.only_loss_of_layer(["d", "g"], [weight]) == "Only d reaches this layer."
    assert words.only_loss_of_layer(["d", "g"], [weight, bias]) == ""


def test_a_single_loss_is_not_said_to_be_the_only_one():
    assert words.only_reached_by(["loss"], [by_loss("a.weight", loss=1.0)]) == []
