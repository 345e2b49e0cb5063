"""What a run does without names that torch keeps to itself or may move: each is taken away, and the verdicts stand."""

import ctypes
import gc
import importlib
import sys
from functools import partial
from types import SimpleNamespace

import pytest

from .conftest import HEADER
from .reading import causes, only_cause, text_at, verdicts, wired

FIRST = ["first.weight", "first.bias"]
CUT = wired("h = h.detach()")
STUCK = wired("h = h * 0")
TINY = wired("h = x + 1e-12 * h")
WITHOUT_GRAD = wired("\n        with torch.no_grad(): h = h * 2")
STARTING_AT_ZERO = """
def gradflow_probe():
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    nn.init.zeros_(model[1].weight)
    return model, (model(torch.ones(2, 3)) - 1).square().sum()
"""


def without(*paths):
    """Take away what the dotted paths name. The engine is then imported anew, as it would be with such a torch."""
    for path in paths:
        *modules, name = path.split(".")
        owner = importlib.import_module(modules[0])
        for module in modules[1:]:
            owner = getattr(owner, module)
        take(owner, name)
    for module in [name for name in sys.modules if name.startswith("gradflow_lsp.probe")]:
        del sys.modules[module]


def take(owner, name):
    """Take an attribute away, even from a class that was written in C."""
    try:
        delattr(owner, name)
    except TypeError:
        gc.get_referents(vars(owner))[0].pop(name)
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))


def without_on_nodes(prefix):
    """Take away the attributes of all of autograd's nodes that begin so."""
    import torch

    for kind in vars(torch._C._functions).values():
        for name in [name for name in vars(kind) if name.startswith(prefix)] if isinstance(kind, type) else ():
            take(kind, name)


def gone(*paths):
    return partial(without, *paths)


def cause_of(report, name):
    """The kind of a parameter's cause and the first line that it points at."""
    (found,) = (cause for cause in report.causes if name in cause.parameters)
    return found.kind, text_at(found.location).splitlines()[0]


def test_what_is_taken_away_is_gone(in_child):
    assert in_child(names_after_taking) == [False, False, False]


def names_after_taking():
    import torch

    without("torch.segment_reduce", "torch._C.TensorBase._base")
    without_on_nodes("_saved_")
    y = torch.ones(2, requires_grad=True).exp()
    return [hasattr(torch, "segment_reduce"), hasattr(y, "_base"), hasattr(y.grad_fn, "_saved_result")]


# The numbers that tell which operation made a node


NUMBERLESS = [gone("torch._C._autograd._get_sequence_nr"), partial(without_on_nodes, "_sequence_nr")]


@pytest.mark.parametrize("prepare", NUMBERLESS, ids=["of threads", "of nodes"])
@pytest.mark.parametrize(
    ("source", "verdict", "kind"), [(STUCK, "zero", "zero-multiply"), (TINY, "vanishing", "small-scale")]
)
def test_without_sequence_numbers_a_cause_is_placed_at_the_probe(run_probe, prepare, source, verdict, kind):
    line = source.splitlines().index("def gradflow_probe():") + 1 + HEADER.count("\n")
    report = run_probe(source, prepare=prepare, line=line)
    assert [verdicts(report)[name] for name in FIRST] == [verdict] * 2
    assert cause_of(report, "first.weight") == (kind, "def gradflow_probe():")


@pytest.mark.parametrize("prepare", NUMBERLESS, ids=["of threads", "of nodes"])
def test_without_sequence_numbers_what_explodes_has_no_known_reason(run_probe, prepare):
    report = run_probe(wired("h = h / 1e-9"), prepare=prepare)
    assert verdicts(report)["first.weight"] == "exploding"
    assert cause_of(report, "first.weight") == ("unknown", "nn.Linear(3, 3)")


@pytest.mark.parametrize("prepare", NUMBERLESS, ids=["of threads", "of nodes"])
def test_without_sequence_numbers_cuts_are_found_all_the_same(run_probe, prepare):
    assert causes(run_probe(CUT, prepare=prepare)) == {("detach", ".detach()"): FIRST}


# What autograd's nodes tell of themselves


def test_without_saved_values_a_dead_activation_is_told_by_its_inputs(run_probe):
    report = run_probe(wired("h = torch.relu(h - 100)"), prepare=partial(without_on_nodes, "_saved_"))
    assert verdicts(report)["first.weight"] == "zero"
    assert cause_of(report, "first.weight") == ("dead-activation", "torch.relu(h - 100)")
    assert "outputs" not in report.causes[0].message


def test_without_saved_values_a_product_multiplies_with_zeros(run_probe):
    report = run_probe(STUCK, prepare=partial(without_on_nodes, "_saved_"))
    assert verdicts(report)["first.weight"] == "zero"
    assert cause_of(report, "first.weight") == ("zero-multiply", "h * 0")


def test_without_saved_values_a_saturated_softmax_is_called_constant(run_probe):
    at = "torch.stack([h, h + 500], -1).softmax(-1)"
    report = run_probe(wired(f"h = x + {at}[..., 0]"), prepare=partial(without_on_nodes, "_saved_"))
    assert verdicts(report)["first.weight"] == "zero"
    assert cause_of(report, "first.weight") == ("constant-output", at)


def test_without_saved_values_what_makes_nan_is_found_in_the_backward(run_probe):
    report = run_probe(wired("h = (h - h.detach()).sqrt()"), prepare=partial(without_on_nodes, "_saved_"))
    assert verdicts(report)["first.weight"] == "nonfinite"
    assert cause_of(report, "first.weight") == ("nonfinite-op", "(h - h.detach()).sqrt()")


def without_leaves_on_nodes():
    without_on_nodes("variable")


@pytest.mark.parametrize(("source", "verdict"), [(STUCK, "zero"), (TINY, "vanishing")])
def test_where_no_node_tells_its_leaf_the_reason_is_not_found(run_probe, source, verdict):
    report = run_probe(source, prepare=without_leaves_on_nodes)
    assert verdicts(report)["first.weight"] == verdict
    assert cause_of(report, "first.weight") == ("unknown", "nn.Linear(3, 3)")


def test_where_no_node_tells_its_leaf_a_model_must_be_returned(run_probe):
    report = run_probe(
        "def gradflow_probe():\n    return nn.Linear(3, 1)(torch.ones(3)).sum()", prepare=without_leaves_on_nodes
    )
    assert (report.status, report.error.kind) == ("failed", "wrong-return")


def with_other_names_of_nodes():
    import gradflow_lsp.probe.engine  # noqa: F401
    from gradflow_lsp.probe import graph

    kind = graph.kind
    for module in [m for name, m in sys.modules.items() if name.startswith("gradflow_lsp.probe")]:
        if getattr(module, "kind", None) is kind:
            module.kind = lambda node: f"Torch{kind(node)}"


@pytest.mark.parametrize("operation", ["h * 0", "torch.relu(h - 100)", "h.round()"])
def test_a_node_of_another_name_is_the_place_and_no_reason(run_probe, operation):
    report = run_probe(wired(f"h = {operation}"), prepare=with_other_names_of_nodes)
    assert verdicts(report)["first.weight"] == "zero"
    assert cause_of(report, "first.weight") == ("unknown", operation)


# How grad is switched


def with_a_silent_switch():
    import torch

    switch = torch._C._set_grad_enabled

    def silent(enabled):
        with torch._C.DisableTorchFunction():
            switch(enabled)

    torch._C._set_grad_enabled = silent


def with_a_decorator_of_another_file():
    from gradflow_lsp.probe import grad_mode

    grad_mode._TORCH_CONTEXTS = "_elsewhere.py"


DECORATED = f"""
@torch.no_grad()
def twice(h):
    return h * 2

{wired("h = twice(h)")}
"""


def test_a_switch_that_no_mode_sees_is_placed_at_what_ran_without_grad(run_probe):
    report = run_probe(WITHOUT_GRAD, prepare=with_a_silent_switch)
    assert causes(report) == {("no-grad", "h * 2"): FIRST}


@pytest.mark.parametrize(
    ("prepare", "at"), [(with_a_silent_switch, "h * 2"), (with_a_decorator_of_another_file, "twice(h)")]
)
def test_a_decorator_that_cannot_be_told_is_placed_at_what_runs_below_it(run_probe, prepare, at):
    assert causes(run_probe(DECORATED, prepare=prepare)) == {("no-grad", at): FIRST}


def with_a_plain_no_grad():
    import torch

    take(torch.no_grad, "__init__")
    torch.no_grad.prev = False


def test_contexts_need_no_init_of_their_own(run_probe):
    report = run_probe(WITHOUT_GRAD, prepare=with_a_plain_no_grad)
    assert verdicts(report)["first.weight"] == "missing"
    assert cause_of(report, "first.weight")[0] == "no-grad"


def with_an_inference_mode_that_keeps_its_mode_to_itself():
    import torch

    def init(context, mode=True):
        context._enabled = mode

    def enter(context):
        context._inner = torch._C._InferenceMode(context._enabled)
        context._inner.__enter__()

    def leave(context, *error):
        context._inner.__exit__(*error)

    mode = torch.inference_mode
    mode.__init__, mode.__enter__, mode.__exit__ = init, enter, leave


def test_an_inference_mode_that_does_not_tell_its_mode_is_taken_to_be_on(run_probe):
    report = run_probe(
        wired("\n        with torch.inference_mode(): k = h * 2\n        h = k.clone()"),
        prepare=with_an_inference_mode_that_keeps_its_mode_to_itself,
    )
    assert verdicts(report)["first.weight"] == "missing"
    assert cause_of(report, "first.weight")[0] == "no-grad"


# How functions and modules are called


def with_another_functional_call():
    import torch
    from torch.nn.utils import stateless

    ours = SimpleNamespace(
        utils=SimpleNamespace(stateless=SimpleNamespace(_functional_call=stateless._functional_call))
    )
    importlib.import_module("torch._functorch.functional_call").nn = SimpleNamespace(**{**vars(torch.nn), **vars(ours)})
    without("torch.nn.utils.stateless._functional_call")


def without_stateless():
    with_another_functional_call()
    without("torch.nn.utils.stateless")
    sys.modules["torch.nn.utils.stateless"] = None


@pytest.mark.parametrize(
    "prepare",
    [
        with_another_functional_call,
        without_stateless,
    ],
)
def test_a_functional_call_that_is_not_seen_leaves_the_parameters_unused(run_probe, prepare):
    report = run_probe(
        """
        def gradflow_probe():
            model = nn.Linear(3, 1)
            own = {name: torch.ones(p.shape, requires_grad=True) for name, p in model.named_parameters()}
            return model, torch.func.functional_call(model, own, (torch.ones(2, 3),)).sum()
        """,
        prepare=prepare,
    )
    assert verdicts(report) == {"weight": "missing", "bias": "missing"}
    assert (only_cause(report).kind, text_at(only_cause(report).location)) == ("not-called", "nn.Linear(3, 1)")


def with_a_renamed_checkpoint():
    import torch.utils.checkpoint

    torch.utils.checkpoint.CheckpointFunction.__name__ = "Segment"


def test_a_reentrant_checkpoint_of_another_name_is_a_custom_function(run_probe):
    at = "torch.utils.checkpoint.checkpoint(self.first, x, use_reentrant=True)"
    report = run_probe(f"import torch.utils.checkpoint\n{wired(f'h = {at}')}", prepare=with_a_renamed_checkpoint)
    assert verdicts(report)["first.weight"] == "missing"
    assert cause_of(report, "first.weight") == ("custom-function", at)


CUSTOM = f"""
class Swallow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return None

{wired("h = Swallow.apply(h)")}
"""


def with_apply_of_another_kind():
    import torch

    apply = vars(torch.autograd.Function)["apply"].__func__

    class Bound:
        def __get__(self, function, kind):
            return partial(apply, kind)

    torch.autograd.Function.apply = Bound()


def test_a_custom_function_that_is_not_seen_leaves_the_reason_unknown(run_probe):
    report = run_probe(CUSTOM, prepare=with_apply_of_another_kind)
    assert verdicts(report)["first.weight"] == "missing"
    assert report.findings == []


def test_an_apply_that_is_inherited_is_no_obstacle(run_probe):
    report = run_probe(CUT, prepare=gone("torch.autograd.Function.apply"))
    assert causes(report) == {("detach", ".detach()"): FIRST}


def with_a_backward_of_tensors_own():
    import torch

    backward = torch.autograd.backward
    torch.Tensor.backward = lambda tensor, *args, **keywords: backward(tensor, *args, **keywords)


def test_the_runs_own_backward_may_come_by_another_way(run_probe):
    assert causes(run_probe(STUCK, prepare=with_a_backward_of_tensors_own)) == causes(run_probe(STUCK))


def test_after_a_backward_that_was_not_seen_what_it_left_is_read(run_probe):
    report = run_probe(
        """
        def gradflow_probe():
            model = nn.Linear(3, 1)
            loss = model(torch.ones(2, 3)).exp().sum()
            loss.backward()
            return model, loss
        """,
        prepare=with_a_backward_of_tensors_own,
    )
    assert verdicts(report) == {"weight": "healthy", "bias": "healthy"}


# What tensors, parameters and modules are asked for


def test_without_bases_a_view_is_a_tensor_of_its_own(run_probe):
    report = run_probe(
        wired("self.memory = h.detach(); self.memory[0].add_(1); h = self.memory + x"),
        prepare=gone("torch._C.TensorBase._base"),
    )
    assert verdicts(report)["first.weight"] == "missing"
    assert cause_of(report, "first.weight") == ("detach", ".detach()")


def test_without_bases_a_file_that_changes_tensors_can_be_imported(run_probe):
    report = run_probe(
        """
        model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))

        def gradflow_probe():
            return model, model(torch.randn(8, 3)).square().sum()
        """,
        prepare=gone("torch._C.TensorBase._base"),
    )
    assert set(verdicts(report).values()) == {"healthy"}


def test_without_versions_a_zero_start_is_tested_all_the_same(run_probe):
    report = run_probe(STARTING_AT_ZERO, prepare=gone("torch._C.TensorBase._version"))
    assert verdicts(report)["0.weight"] == "zero"
    assert cause_of(report, "0.weight") == ("zero-init", "nn.init.zeros_(model[1].weight)")
    assert report.findings == []


def test_sums_of_small_gradients_need_no_segments(run_probe):
    report = run_probe(wired("pass"), prepare=gone("torch.segment_reduce"))
    assert set(verdicts(report).values()) == {"healthy"}
    assert report.parameters[-1].grad_norm == 4.0


def without_hooks_on_leaves():
    import torch

    take(torch._C.TensorBase, "_backward_hooks")


def test_where_leaves_do_not_tell_their_hooks_they_are_watched(run_probe):
    assert causes(run_probe(STUCK, prepare=without_hooks_on_leaves)) == causes(run_probe(STUCK))


def test_without_the_hook_parameters_are_known_by_their_creation(run_probe):
    report = run_probe(CUT, prepare=gone("torch.nn.modules.module.register_module_parameter_registration_hook"))
    assert causes(report) == {("detach", ".detach()"): FIRST}
    assert text_at(report.parameters[0].location) == "nn.Linear(3, 3)"


def test_lazy_parameters_are_told_without_torchs_own_test(run_probe):
    report = run_probe(
        """
        def gradflow_probe():
            model = nn.ModuleList([nn.Linear(3, 1), nn.LazyLinear(1)])
            return model, model[0](torch.ones(2, 3)).sum()
        """,
        prepare=gone("torch.nn.parameter.is_lazy"),
    )
    assert verdicts(report)["1.weight"] == "missing"
    assert report.parameters[2].shape == []


def test_where_torch_does_not_tell_the_mode_layers_are_built_in_sight(run_probe):
    report = run_probe(STARTING_AT_ZERO, prepare=gone("torch.overrides._get_current_function_mode"))
    assert cause_of(report, "0.weight") == ("zero-init", "nn.init.zeros_(model[1].weight)")
    assert causes(run_probe(CUT, prepare=gone("torch.overrides._get_current_function_mode"))) == {
        ("detach", ".detach()"): FIRST
    }


@pytest.mark.parametrize("name", ["torch.jit.ScriptModule", "torch.jit"])
def test_without_torchscript_no_module_is_a_script(run_probe, name):
    report = run_probe(wired("pass", layers="self.spare = nn.Linear(3, 3)"), prepare=gone(name))
    assert cause_of(report, "spare.weight") == ("not-called", "nn.Linear(3, 3)")


def test_autocast_that_cannot_be_switched_off_is_left_as_it_is(run_probe):
    report = run_probe(wired("pass"), prepare=gone("torch.set_autocast_enabled"))
    assert set(verdicts(report).values()) == {"healthy"}


@pytest.mark.parametrize("name", ["is_functorch_wrapped_tensor", "get_unwrapped"])
def test_where_nothing_is_unwrapped_cuts_around_a_transform_are_found(run_probe, name):
    inside = wired("h = torch.vmap(torch.relu)(h.detach())")
    assert causes(run_probe(inside, prepare=gone(f"torch._C._functorch.{name}"))) == {("detach", ".detach()"): FIRST}


@pytest.mark.parametrize("name", ["ScriptFunction", "ScriptMethod"])
def test_without_calls_of_torchscript_cuts_are_found(run_probe, name):
    assert causes(run_probe(CUT, prepare=gone(f"torch._C.{name}"))) == {("detach", ".detach()"): FIRST}


def test_where_leaves_do_not_show_their_late_hooks_gradients_are_read_all_the_same(run_probe):
    report = run_probe(wired("pass"), prepare=gone("torch._C.TensorBase._post_accumulate_grad_hooks"))
    assert set(verdicts(report).values()) == {"healthy"}
