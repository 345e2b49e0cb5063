"""A gradient that is mathematically zero is said to be harmless, where a normalisation takes out what it adds."""

from ..reading import only_cause, text_at, verdicts, wired

NORMALISED = wired("h = self.norm(h) ** 3", layers="self.norm = nn.BatchNorm1d(3)", data="torch.randn(16, 3)")


def test_a_bias_before_a_normalisation_is_harmless(run_probe):
    report = run_probe(NORMALISED)
    assert set(verdicts(report).values()) == {"healthy"}
    cause = only_cause(report)
    assert (cause.kind, cause.parameters, text_at(cause.location)) == ("invariant", ["first.bias"], "nn.Linear(3, 3)")
    assert "batch_norm takes out what it adds" in cause.message


def test_the_operation_is_named_where_the_probe_was_traced(run_probe):
    report = run_probe(NORMALISED, replay=False)
    assert text_at(only_cause(report).location) == "self.norm(h)"


def test_nothing_is_said_of_what_learns(run_probe):
    assert run_probe(wired("pass")).causes == []
