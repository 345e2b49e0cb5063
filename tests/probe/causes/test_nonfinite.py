"""Where NaN or Inf was first made, and in which pass."""

import pytest

from ..reading import only_cause, text_at, verdicts, wired

FIRST = ["first.weight", "first.bias"]


@pytest.mark.parametrize(
    ("statement", "expression"),
    [
        ("h = 1 + (h * 0).sqrt()", "(h * 0).sqrt()"),
        ("h = 1 + (h - 2 * h / 2).abs().pow(0.5)", ".pow(0.5)"),
        ("h = torch.where(h > 99, (h * 0).sqrt(), x)", "(h * 0).sqrt()"),
    ],
)
def test_a_derivative_that_is_infinite_is_made_in_the_backward(run_probe, statement, expression):
    report = run_probe(wired(statement))
    assert [verdicts(report)[name] for name in FIRST] == ["nonfinite", "nonfinite"]
    cause = only_cause(report)
    assert cause.kind == "nonfinite-op"
    assert text_at(cause.location).endswith(expression)
    assert "Going back" in cause.message
    assert cause.parameters == FIRST


@pytest.mark.parametrize(
    ("statement", "expression", "made"),
    [
        ("h = (h - h - 1).sqrt()", "(h - h - 1).sqrt()", "NaN"),
        ("h = torch.log(1 + torch.exp(h + 1000))", "torch.exp(h + 1000)", "infinity"),
        ("h = h / (h - h)", "h / (h - h)", "infinity"),
        ("h = h.masked_fill(x == x, -torch.inf).softmax(-1)", "h.masked_fill(x == x, -torch.inf).softmax(-1)", "NaN"),
    ],
)
def test_what_the_forward_pass_made_is_told_so(run_probe, statement, expression, made):
    report = run_probe(wired(statement))
    finding = next(f for f in report.findings if f.code == "nonfinite-loss")
    assert text_at(finding.location) == expression
    assert f"makes {made} in the forward pass" in finding.message
    for cause in report.causes:
        assert cause.kind != "nonfinite-op" or text_at(cause.location) == expression


def test_it_is_found_in_a_file_that_computes_something_at_its_top_level(run_probe):
    report = run_probe("SCALE = torch.ones(3) * 2 + 1\n" + wired("h = torch.exp(h + 1000) * SCALE"))
    finding = next(f for f in report.findings if f.code == "nonfinite-loss")
    assert text_at(finding.location) == "torch.exp(h + 1000)"


def test_infinities_that_a_mask_writes_on_purpose_are_no_cause(run_probe):
    report = run_probe(wired("mask = torch.eye(3)[:1] > 0; h = h.masked_fill(mask, -torch.inf).softmax(-1)"))
    assert set(verdicts(report).values()) == {"healthy"}
    assert report.causes == []
    assert report.findings == []
