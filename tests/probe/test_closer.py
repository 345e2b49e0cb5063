"""The closer look: the probe called once more where something is suspicious, and what if it is not the same then."""

import pytest

from .reading import only_cause, text_at, verdicts

STUCK = """
calls = []

def gradflow_probe():
    calls.append(0)
    again = len(calls) > 1
    {first}
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
    nn.init.constant_(model[0].bias, -1e4)
    {then}
    return model, model(torch.ones(2, 3)).square().sum()
"""


def stuck(first="pass", then="pass"):
    """A model file whose first layer is dead; the statements may do something else when it is called `again`."""
    return STUCK.format(first=first, then=then)


def test_a_suspicious_probe_is_called_again_for_its_cause(run_probe):
    report = run_probe(stuck())
    assert verdicts(report)["0.weight"] == "zero"
    assert "dead-activation" in {cause.kind for cause in report.causes}
    assert report.findings == []


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ({"first": 'if again: raise RuntimeError("no more data")'}, "raised RuntimeError"),
        ({"then": "if again: model.append(nn.Linear(1, 1))"}, "a model with other parameters"),
        ({"then": "if again: nn.init.constant_(model[0].bias, 1.0)"}, "other verdicts"),
    ],
)
def test_where_it_is_not_the_same_again_the_verdicts_of_the_first_call_stand(run_probe, statements, reason):
    report = run_probe(stuck(**statements))
    assert {name: v for name, v in verdicts(report).items() if v == "zero"} == {
        "0.weight": "zero",
        "0.bias": "zero",
        "2.weight": "zero",
    }
    (finding,) = report.findings
    assert (finding.code, finding.severity) == ("not-confirmed", "information")
    assert reason in finding.message
    assert {(cause.kind, text_at(cause.location)) for cause in report.causes} == {
        ("unknown", "nn.Linear(3, 3)"),
        ("unknown", "nn.Linear(3, 1)"),
    }


def test_a_missing_gradient_that_is_not_there_to_be_traced_again_has_no_cause(run_probe):
    report = run_probe("""
        calls = []

        def gradflow_probe():
            calls.append(0)
            if len(calls) > 1:
                raise StopIteration
            model = nn.ModuleDict({"first": nn.Linear(3, 3), "last": nn.Linear(3, 1)})
            return model, model["last"](model["first"](torch.ones(2, 3)).detach()).sum()
    """)
    assert verdicts(report)["first.weight"] == "missing"
    assert [finding.code for finding in report.findings] == ["not-confirmed"]
    assert (only_cause(report).kind, text_at(only_cause(report).location)) == ("unknown", "nn.Linear(3, 3)")


def test_what_was_frozen_is_known_without_a_second_call(run_probe):
    report = run_probe(stuck('if again: raise RuntimeError("no more data")', "model[2].bias.requires_grad_(False)"))
    assert "model[2].bias.requires_grad_(False)" in {text_at(c.location) for c in report.causes if c.kind == "frozen"}


def test_the_gradients_reported_are_those_of_the_first_call(run_probe):
    report = run_probe(stuck(then="if again: nn.init.constant_(model[2].bias, 99.0)"))
    assert next(p.grad_norm for p in report.parameters if p.name == "2.bias") < 99


def test_the_loss_reported_is_that_of_the_first_call(run_probe):
    report = run_probe(stuck(then="if again: nn.init.constant_(model[2].bias, 99.0)"))
    assert report.losses["loss"] < 99


def test_another_loss_is_no_matter_where_the_verdicts_are_the_same(run_probe):
    report = run_probe(stuck(then="if again: nn.init.constant_(model[2].bias, 99.0)"))
    assert "dead-activation" in {cause.kind for cause in report.causes}
    assert report.findings == []


def test_without_leave_to_call_it_again_the_graph_of_the_first_call_is_looked_at(run_probe):
    report = run_probe(stuck("assert not again"), replay=False)
    assert "dead-activation" in {cause.kind for cause in report.causes}
    assert report.findings == []


def test_a_probe_that_ends_the_program_the_second_time_is_reported_all_the_same(run_probe):
    report = run_probe(stuck("if again: raise SystemExit(1)"))
    assert verdicts(report)["0.weight"] == "zero"


def test_a_model_that_is_there_for_all_calls_is_looked_at_as_well(run_probe):
    report = run_probe("""
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        nn.init.zeros_(model[1].weight)

        def gradflow_probe():
            return model, (model(torch.ones(2, 3)) - 1).square().sum()
    """)
    assert verdicts(report)["0.weight"] == "zero"
    assert report.parameters[0].severity == "information"
    assert only_cause(report).kind == "zero-init"


@pytest.mark.parametrize("replay", [False, True])
def test_a_number_printed_in_the_first_call_does_not_come_back_in_the_second(run_probe, replay):
    report = run_probe(
        """
        model = nn.ModuleDict({"spare": nn.Linear(3, 3), "first": nn.Linear(3, 3), "last": nn.Linear(3, 1)})

        def gradflow_probe():
            x = torch.tensor([[1.0, 2.0, 3.0]])
            loss = model["last"](torch.relu(model["first"](x) - 100)).sum()
            print(model["spare"](x).mean().item())
            return model, loss
        """,
        replay=replay,
    )
    assert next(c.kind for c in report.causes if "spare.weight" in c.parameters) == "unused-output"


def test_a_healthy_probe_is_called_once(run_probe):
    report = run_probe("""
        calls = []

        def gradflow_probe():
            calls.append(0)
            assert len(calls) == 1
            model = nn.Linear(3, 1)
            return model, model(torch.ones(2, 3)).sum()
    """)
    assert (report.status, report.causes, report.findings) == ("ok", [], [])


def test_where_gradients_are_only_missing_no_second_backward_is_run(run_probe):
    report = run_probe("""
        backwards = []

        def gradflow_probe():
            model = nn.ModuleDict({"first": nn.Linear(3, 3), "last": nn.Linear(3, 1)})
            out = model["last"](model["first"](torch.ones(2, 3)).detach())
            out.register_hook(lambda gradient: backwards.append(0) or gradient / (len(backwards) == 1))
            return model, out.sum()
    """)
    assert verdicts(report) == {
        "first.weight": "missing",
        "first.bias": "missing",
        "last.weight": "healthy",
        "last.bias": "healthy",
    }
    assert only_cause(report).kind == "detach"


def test_a_call_that_reaches_other_parameters_than_the_first_confirms_nothing(run_probe):
    report = run_probe("""
        calls = []

        def gradflow_probe():
            calls.append(0)
            model = nn.ModuleDict({"first": nn.Linear(3, 3), "last": nn.Linear(3, 3)})
            used, other = ("first", "last") if len(calls) == 1 else ("last", "first")
            return model, model[used](torch.ones(2, 3)).sum() + model[other](torch.ones(2, 3)).detach().sum()
    """)
    assert verdicts(report)["last.weight"] == "missing"
    assert [finding.code for finding in report.findings] == ["not-confirmed"]


def test_a_second_backward_may_overflow_in_more_places_than_the_first(run_probe):
    report = run_probe("""
        class Gains(nn.Module):
            def __init__(self):
                super().__init__()
                self.over = nn.Parameter(torch.ones(2, dtype=torch.half))
                self.nearly = nn.Parameter(torch.ones(2, dtype=torch.half))

            def forward(self):
                return (self.over.float() * 7e4 + self.nearly.float() * 6e4).sum()

        def gradflow_probe():
            model = Gains()
            return model, model()
    """)
    assert verdicts(report) == {"over": "nonfinite", "nearly": "healthy"}
    assert (only_cause(report).kind, text_at(only_cause(report).location)) == ("nonfinite-op", "self.over.float()")
    assert not report.findings
