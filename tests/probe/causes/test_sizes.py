"""Why a gradient is far too small or far too large: one step on its way, or many of the same kind."""

import pytest

from ..reading import causes, only_cause, text_at, verdicts, wired

FIRST = ["first.weight", "first.bias"]


@pytest.mark.parametrize(
    ("statement", "kind", "expression"),
    [
        ("h = 1 + torch.sigmoid(h - 40)", "saturation", "torch.sigmoid(h - 40)"),
        (
            "h = x + torch.stack([h - 40, x], -1).softmax(-1)[..., 0]",
            "saturation",
            "torch.stack([h - 40, x], -1).softmax(-1)",
        ),
        ("h = x + 1e-12 * h", "small-scale", "1e-12 * h"),
        ("h = x + torch.atan(1e8 * h + 1e8)", "saturation", "torch.atan(1e8 * h + 1e8)"),
    ],
)
def test_one_operation_that_takes_nearly_all_is_to_blame(run_probe, statement, kind, expression):
    report = run_probe(wired(statement))
    assert [verdicts(report)[name] for name in FIRST] == ["vanishing", "vanishing"]
    cause = only_cause(report)
    assert (cause.kind, text_at(cause.location), cause.parameters) == (kind, expression, FIRST)


def test_the_share_that_is_passed_on_is_said(run_probe):
    assert "1.0e-12 of the gradient" in only_cause(run_probe(wired("h = x + 1e-12 * h"))).message


def test_a_weight_set_to_tiny_values_is_named_where_it_is_set(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
            nn.init.normal_(model[1].weight, std=1e-12)
            x = torch.ones(4, 3)
            return model, (x + model[1](model[0](x))).square().sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, text_at(cause.location)) == ("small-scale", "nn.init.normal_(model[1].weight, std=1e-12)")
    assert cause.parameters == ["0.weight", "0.bias"]


def test_many_small_losses_in_a_row_are_the_loop(run_probe):
    report = run_probe(
        wired("for _ in range(16): h = torch.sigmoid(self.cell(h))", layers="self.cell = nn.Linear(3, 3)")
    )
    cause = next(c for c in report.causes if "first.weight" in c.parameters)
    assert cause.kind == "compounding"
    assert text_at(cause.location) in ("torch.sigmoid(self.cell(h))", "self.cell(h)")


def test_a_division_by_next_to_nothing_explodes(run_probe):
    report = run_probe(wired("h = h / 1e-9"))
    assert verdicts(report)["first.weight"] == "exploding"
    cause = next(c for c in report.causes if "first.weight" in c.parameters)
    assert (cause.kind, text_at(cause.location)) == ("large-scale", "h / 1e-9")
    assert "e+09 times larger" in cause.message


def test_many_small_gains_in_a_row_compound(run_probe):
    report = run_probe(wired("for _ in range(30): h = h * 2.5"))
    cause = next(c for c in report.causes if "first.weight" in c.parameters)
    assert (cause.kind, text_at(cause.location)) == ("compounding", "h * 2.5")
    assert "30 applications" in cause.message
    assert "2.5 times larger" in cause.message


def test_noise_that_comes_back_from_a_constant_output_is_told_from_smallness(run_probe):
    report = run_probe(
        wired("h = self.norm(h[:, :1]).expand(-1, 3)", layers="self.norm = nn.LayerNorm(1)", data="torch.randn(8, 3)")
    )
    assert verdicts(report)["first.weight"] in ("zero", "vanishing")
    cause = next(c for c in report.causes if "first.weight" in c.parameters)
    assert (cause.kind, text_at(cause.location)) == ("constant-output", "self.norm(h[:, :1])")


def test_noise_that_comes_to_zero_the_second_time_is_followed_all_the_same(run_probe):
    report = run_probe("""
        import itertools
        calls = itertools.count()

        def gradflow_probe():
            first, last = nn.Linear(3, 3), nn.Linear(3, 3)
            x, noise = torch.ones(2, 3), 1e-9 * (next(calls) == 0)
            h = first(x) * noise
            return nn.ModuleList([first, last]), last(x).sum() + 1000 + h.sum()
    """)
    assert verdicts(report)["0.weight"] == verdicts(report)["0.bias"] == "vanishing"
    assert causes(report) == {("zero-multiply", "first(x) * noise"): ["0.weight", "0.bias"]}
