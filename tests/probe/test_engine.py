"""A whole run: its stages, its failures, what it leaves behind, and what it does without."""

import pytest

from .reading import causes, text_at, verdicts, wired

HEALTHY = wired("pass")
CUT = wired("h = h.detach()")
STUCK = wired("h = h * 0")


def stages_of(request):
    """The stages that a run tells of, in order."""
    from gradflow_lsp.probe.engine import run

    stages = []
    run(request, stages.append)
    return stages


@pytest.fixture
def request_for(tmp_path):
    from gradflow_lsp.probe.protocol import RunRequest

    def request_for(source):
        path = tmp_path / "model.py"
        path.write_text(f"import torch\nfrom torch import nn\n{source}")
        return RunRequest(str(path), "gradflow_probe", roots=(str(tmp_path),))

    return request_for


def test_a_healthy_run_is_the_probe_and_one_backward(in_child, request_for):
    assert in_child(stages_of, request_for(HEALTHY)) == ["import", "probe", "backward"]


@pytest.mark.parametrize("source", [CUT, STUCK], ids=["missing", "zero"])
def test_what_is_suspicious_is_explained_afterwards(in_child, request_for, source):
    assert in_child(stages_of, request_for(source)) == ["import", "probe", "backward", "explain"]


MODES = "torch.overrides._get_current_function_mode_stack()"


def test_the_first_call_of_a_probe_runs_without_a_tracer(run_probe):
    report = run_probe(f"""
        def gradflow_probe():
            assert not {MODES}
            model = nn.Linear(3, 1)
            return model, model(torch.ones(2, 3)).sum()
    """)
    assert (report.status, report.findings, report.causes) == ("ok", [], [])


def test_the_second_call_of_a_suspicious_probe_is_traced(run_probe):
    report = run_probe(f"""
        traced = []

        def gradflow_probe():
            traced.append(bool({MODES}))
            assert traced in ([False], [False, True])
            model = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 1)])
            return model, model[1](model[0](torch.ones(2, 3)).detach()).sum()
    """)
    assert {cause.kind for cause in report.causes} == {"detach"}
    assert report.findings == []


def test_a_probe_that_may_be_called_only_once_is_traced_at_once(run_probe):
    report = run_probe(
        f"""
        def gradflow_probe():
            assert {MODES}
            model = nn.Linear(3, 1)
            return model, model(torch.ones(2, 3)).sum()
        """,
        replay=False,
    )
    assert report.status == "ok"


def test_without_leave_to_explain_the_probe_is_called_once_and_the_verdicts_stand_alone(run_probe):
    report = run_probe(
        f"""
        called = []

        def gradflow_probe():
            assert not called and not {MODES}
            called.append(True)
            model = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 1)])
            return model, model[1](model[0](torch.ones(2, 3)).detach()).sum()
        """,
        explain=False,
    )
    assert [one.verdict for one in report.parameters] == ["missing", "missing", "healthy", "healthy"]
    assert report.causes == []


@pytest.mark.parametrize(
    ("source", "kind", "at"),
    [
        ("import no_such_package", "import-error", "import no_such_package"),
        ("def gradflow_probe():\n    return (", "syntax-error", "("),
        ("def gradflow_probe():\n    return 1 / 0", "probe-raised", "1 / 0"),
        ("def gradflow_probe():\n    raise SystemExit(3)", "system-exit", "raise SystemExit(3)"),
        ("def gradflow_probe():\n    return None", "wrong-return", "return None"),
        (
            "def gradflow_probe():\n    m = nn.Linear(1, 2)\n    return m, m.weight",
            "non-scalar-loss",
            "return m, m.weight",
        ),
    ],
)
def test_what_the_users_code_does_wrong_ends_in_a_report(run_probe, source, kind, at):
    report = run_probe(source)
    assert (report.status, report.error.kind) == ("failed", kind)
    assert text_at(report.error.location) == at
    assert report.parameters == []


def test_a_backward_that_fails_ends_in_a_report(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Linear(3, 1)
            y = model(torch.ones(2, 3)).exp()
            loss = y.sum()
            y.zero_()
            return model, loss
    """)
    assert (report.status, report.error.kind) == ("failed", "backward-failed")


def test_unsaved_text_is_what_runs(run_probe, tmp_path):
    path = str(tmp_path / "model.py")
    text = "import torch\nfrom torch import nn\n" + CUT
    report = run_probe(HEALTHY, overlays={path: text})
    assert verdicts(report)["first.weight"] == "missing"


def test_a_model_built_at_import_time_is_as_good(run_probe):
    report = run_probe("""
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        for parameter in model[0].parameters():
            parameter.requires_grad = False

        def gradflow_probe():
            return model, model(torch.ones(2, 3)).sum()
    """)
    assert verdicts(report) == {"0.weight": "frozen", "0.bias": "frozen", "1.weight": "healthy", "1.bias": "healthy"}
    assert text_at(report.parameters[2].location) == "nn.Linear(3, 1)"


def test_lazy_layers_are_no_obstacle(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d(), nn.LazyLinear(1))
            return model, model(torch.randn(5, 3)).square().mean()
    """)
    assert set(verdicts(report).values()) == {"healthy"}
    assert [text_at(report.parameters[i].location) for i in (0, 2)] == ["nn.LazyLinear(4)", "nn.LazyBatchNorm1d()"]


def hooked_places():
    """Everything of torch that a run may put its hands on, as it is now."""
    import torch
    from torch import nn
    from torch.nn.modules import module
    from torch.nn.utils import stateless

    return {
        "parameter": (nn.Parameter.__new__, sorted(vars(nn.Parameter))),
        "backward": torch.autograd.backward,
        "functional call": stateless._functional_call,
        "module": nn.Module.__init__,
        "function": torch.autograd.Function.__dict__.get("apply"),
        "inference": (torch.inference_mode.__enter__, torch.inference_mode.__exit__),
        "modes": torch.overrides._get_current_function_mode_stack(),
        "global hooks": [
            len(hooks)
            for name, hooks in sorted(vars(module).items())
            if name.startswith("_global_") and hasattr(hooks, "__len__")
        ],
        "grad": torch.is_grad_enabled(),
    }


def changes_by(request):
    """Which places differ after a run from what they were before."""
    from gradflow_lsp.probe.engine import run

    before = hooked_places()
    report = run(request, lambda stage: None)
    after = hooked_places()
    return report.status, [name for name in before if before[name] != after[name]]


@pytest.mark.parametrize(
    ("source", "status"),
    [(HEALTHY, "ok"), (STUCK, "ok"), ("1 / 0", "failed"), ("def gradflow_probe():\n    1 / 0", "failed")],
    ids=["healthy", "explained and replayed", "failing at import", "failing in the probe"],
)
def test_a_run_leaves_torch_as_it_was(in_child, request_for, source, status):
    assert in_child(changes_by, request_for(source)) == (status, [])


def calls_of_hooks_after(request):
    """How often node hooks of a run are still called by a later backward of the same graph."""
    from gradflow_lsp.probe import closer, engine

    seen = []
    explain = closer.explain

    def spying(explained, graph, parameters, losses, *others, **more):
        facts = explain(explained, graph, parameters, losses, *others, **more)
        seen.append((explained, len(explained.passages), losses))
        return facts

    closer.explain = spying
    engine.run(request, lambda stage: None)
    ((explained, passages, losses),) = seen
    assert passages
    explained.passages.clear()
    losses["loss"].backward(retain_graph=True)
    return len(explained.passages)


def test_no_hook_stays_on_the_graph(in_child, request_for):
    assert in_child(calls_of_hooks_after, request_for(STUCK)) == 0


def with_failing_searches():
    from gradflow_lsp.probe import causes

    def fail(evidence):
        raise ZeroDivisionError

    causes.FAMILIES = tuple([fail] * len(causes.FAMILIES))


def with_a_failing_second_backward():
    from gradflow_lsp.probe import closer

    def fail(*arguments, **more):
        raise ZeroDivisionError

    closer.explain = fail


@pytest.mark.parametrize("prepare", [with_failing_searches, with_a_failing_second_backward])
@pytest.mark.parametrize(("source", "verdict"), [(HEALTHY, "healthy"), (CUT, "missing"), (STUCK, "zero")])
def test_verdicts_stand_whatever_of_the_explaining_fails(run_probe, prepare, source, verdict):
    report = run_probe(source, prepare=prepare)
    assert verdicts(report)["first.weight"] == verdict


def test_one_failing_search_costs_only_its_own_causes(run_probe):
    report = run_probe(
        wired("h = h.detach()", layers="self.spare = nn.Linear(3, 3).requires_grad_(False)"),
        prepare=with_a_failing_search_for_missing,
    )
    assert causes(report) == {
        ("frozen", "nn.Linear(3, 3).requires_grad_(False)"): ["spare.weight", "spare.bias"],
        ("unknown", "nn.Linear(3, 3)"): ["first.weight", "first.bias"],
    }


def with_a_failing_search_for_missing():
    from gradflow_lsp.probe import causes

    def fail(evidence):
        raise ZeroDivisionError

    causes.FAMILIES = (fail, *causes.FAMILIES[1:])
