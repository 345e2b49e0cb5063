"""What is said of a probe and its losses as a whole."""

import pytest

from gradflow_lsp.probe.findings import slow_import
from gradflow_lsp.probe.report import Seconds

from .reading import text_at, verdicts, wired


def found(report):
    assert report.status == "ok", report.error
    return {f.code: f for f in report.findings}


def test_a_healthy_probe_has_no_findings(run_probe):
    assert run_probe(wired("pass")).findings == []


def test_a_loss_without_a_graph_names_the_cut(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Linear(3, 1)
            loss = model(torch.ones(2, 3)).detach().sum()
            return model, loss
    """)
    finding = found(report)["loss-without-graph"]
    assert finding.severity == "warning"
    assert text_at(finding.location) == "return model, loss"
    assert f"line {finding.location.line - 1}" in finding.message
    assert verdicts(report) == {"weight": "missing", "bias": "missing"}
    assert {p.severity for p in report.parameters} == {None}


def test_a_loss_without_a_graph_for_no_known_reason_says_what_to_do(run_probe):
    report = run_probe("""
        def gradflow_probe():
            return nn.Linear(3, 1), torch.ones(())
    """)
    assert "differentiable operations" in found(report)["loss-without-graph"].message


def test_of_several_losses_the_one_is_named(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Linear(3, 1)
            loss = model(torch.ones(2, 3)).sum()
            return model, {"fit": loss, "penalty": loss.detach()}
    """)
    assert found(report)["loss-without-graph"].message.startswith("The loss penalty has no graph")
    assert report.losses["fit"] == report.losses["penalty"]


@pytest.mark.parametrize(
    ("loss", "value", "operation"),
    [
        ("(x - x.detach()).log().sum() * 0", "NaN", "(x - x.detach()).log()"),
        ("(x * 1000).square().exp().sum()", "infinite", "(x * 1000).square().exp()"),
        ("(x - x.detach() - 1).sqrt().mean()", "NaN", "(x - x.detach() - 1).sqrt()"),
        ("x.masked_fill(x == x, -torch.inf).softmax(-1).sum()", "NaN", "x.masked_fill(x == x, -torch.inf).softmax(-1)"),
    ],
)
def test_a_loss_that_is_not_finite_names_the_operation_that_first_made_it_so(run_probe, loss, value, operation):
    report = run_probe(f"""
        def gradflow_probe():
            model = nn.Linear(3, 2)
            x = model(torch.ones(2, 3))
            return model, {loss}
    """)
    finding = found(report)["nonfinite-loss"]
    assert finding.severity == "error"
    assert value in finding.message
    assert text_at(finding.location) == operation


def test_a_backward_of_the_probes_own_is_read_and_said(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Linear(3, 1)
            loss = model(torch.ones(2, 3)).sum()
            loss.backward()
            return model, loss
    """)
    finding = found(report)["backward-in-probe"]
    assert (finding.severity, text_at(finding.location)) == ("information", "loss.backward()")
    assert set(verdicts(report).values()) == {"healthy"}
    assert report.parameters[1].grad_norm == 2.0


def test_gradients_summed_over_several_backwards_are_warned_of(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Linear(3, 1)
            for _ in range(3):
                loss = model(torch.ones(2, 3)).sum()
                loss.backward()
            return model, loss
    """)
    finding = found(report)["accumulated-gradients"]
    assert finding.severity == "warning"
    assert "3 times" in finding.message
    assert report.parameters[1].grad_norm == 6.0


def test_steps_of_training_before_the_loss_do_not_hide_its_gradients(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Linear(3, 1)
            for _ in range(2):
                model(torch.ones(2, 3)).sum().backward()
                for parameter in model.parameters():
                    parameter.data -= 0.1 * parameter.grad
                model.zero_grad()
            return model, model(torch.ones(2, 3)).sum()
    """)
    assert list(found(report)) == ["backward-in-probe"]
    assert set(verdicts(report).values()) == {"healthy"}
    assert report.parameters[1].grad_norm == 2.0


def test_a_zero_start_that_could_not_be_tested_again_is_said_to_be_unconfirmed(run_probe):
    report = run_probe("""
        calls = []

        def gradflow_probe():
            calls.append(0)
            if len(calls) > 1:
                raise RuntimeError("no more data")
            model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
            nn.init.zeros_(model[1].weight)
            return model, (model(torch.ones(2, 3)) - 1).square().sum()
    """)
    finding = found(report)["not-confirmed"]
    assert finding.severity == "information"
    assert "raised RuntimeError" in finding.message
    assert verdicts(report)["0.weight"] == "zero"


@pytest.mark.parametrize(
    ("importing", "total", "codes"), [(6.0, 7.0, ["slow-import"]), (6.0, 20.0, []), (0.9, 1.0, [])]
)
def test_an_import_is_slow_where_it_takes_most_of_a_long_run(importing, total, codes):
    assert [finding.code for finding in slow_import("model.py", Seconds(total, importing))] == codes
