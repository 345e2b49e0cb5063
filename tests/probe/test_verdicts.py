"""From sizes of gradients to verdicts, on facts made by hand."""

import math

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.backward import ParameterFacts
from gradflow_lsp.probe.cancelling import Cancellation
from gradflow_lsp.probe.explaining import Explained
from gradflow_lsp.probe.measuring import Gradient
from gradflow_lsp.probe.outcome import NamedParameter
from gradflow_lsp.probe.verdicts import judge, suspicious


def gradient(size):
    """A gradient whose entries all have this size; None for none."""
    if size is None:
        return None
    return Gradient(norm=size, rms=size, zero_fraction=float(size == 0), finite=math.isfinite(size))


def fact(name, size, *, weight=1.0, trainable=True, dtype=torch.float32, **by_loss):
    """A parameter with a gradient of one `size`, or of one for each loss; a `bias` has one dimension."""
    tensor = nn.Parameter(torch.ones(2 if name.endswith("bias") else (2, 2), dtype=dtype), requires_grad=trainable)
    module = name.rpartition(".")[0]
    sizes = by_loss or {"loss": size}
    return ParameterFacts(
        NamedParameter(name, tensor, module, nn.Identity()),
        gradient=gradient(size),
        by_loss={loss: gradient(s) for loss, s in sizes.items()},
        weight_rms=weight,
    )


def verdicts(*facts, explained=None):
    return [judgement.verdict for judgement in judge(facts, explained).values()]


@pytest.mark.parametrize(
    ("size", "verdict"),
    [(1.0, "healthy"), (None, "missing"), (0.0, "zero"), (math.nan, "nonfinite"), (math.inf, "nonfinite")],
)
def test_the_plain_verdicts(size, verdict):
    assert verdicts(fact("a.weight", 1.0), fact("b.weight", size)) == ["healthy", verdict]


def test_what_does_not_require_grad_is_frozen_whatever_else():
    assert verdicts(fact("a.weight", None, trainable=False)) == ["frozen"]


def test_healthy_sizes_may_differ_by_many_decades():
    assert verdicts(fact("a.weight", 1e-6), fact("b.weight", 1.0), fact("c.weight", 1e2)) == ["healthy"] * 3


def test_a_tiny_share_of_the_largest_gradient_vanishes():
    assert verdicts(fact("a.weight", 1e-9), fact("b.weight", 1.0)) == ["vanishing", "healthy"]


def test_a_tiny_share_that_still_moves_its_own_parameter_is_healthy():
    assert verdicts(fact("a.weight", 1e-3), fact("b.weight", 1e6, weight=1e6)) == ["healthy", "healthy"]


def test_a_model_in_which_nothing_moves_at_all_vanishes():
    assert verdicts(fact("a.weight", 1e-10), fact("b.weight", 1e-10)) == ["vanishing", "vanishing"]


def test_absurd_steps_explode_and_their_neighbours_with_them():
    assert verdicts(fact("a.weight", 1e7), fact("b.weight", 1e5), fact("c.weight", 1.0)) == [
        "exploding",
        "exploding",
        "healthy",
    ]


def test_large_gradients_alone_do_not_explode():
    assert verdicts(fact("a.weight", 1e5)) == ["healthy"]


def test_a_parameter_at_zero_is_not_judged_by_its_own_size():
    assert verdicts(fact("a.weight", 1.0, weight=0.0)) == ["healthy"]


def test_missing_needs_every_loss_and_zero_every_loss_that_reaches():
    assert verdicts(fact("a.weight", 1.0, fit=None, penalty=1.0)) == ["healthy"]
    assert verdicts(fact("a.weight", 0.0, fit=None, penalty=0.0), fact("b.weight", 1.0, fit=1.0, penalty=1.0)) == [
        "zero",
        "healthy",
    ]


def test_sizes_are_judged_within_each_loss_and_the_worst_counts():
    large, small = fact("a.weight", 1.0, fit=1.0, penalty=None), fact("b.weight", 1e-12, fit=None, penalty=1e-12)
    assert verdicts(large, small)[0] == "healthy"
    both = fact("b.weight", 1.0, fit=1e-12, penalty=1.0)
    assert verdicts(fact("a.weight", 1.0, fit=1.0, penalty=1.0), both) == ["healthy", "vanishing"]


def test_a_small_loss_beside_a_large_one_is_no_fault():
    assert verdicts(fact("a.weight", 1e4, fit=1e4, penalty=None), fact("b.weight", 1e-7, fit=None, penalty=1e-7)) == [
        "healthy",
        "healthy",
    ]


def test_a_bias_that_cancels_itself_beside_a_weight_that_learns_is_healthy():
    judged = judge([fact("a.weight", 1.0), fact("a.bias", 1e-12), fact("b.weight", 1.0)])
    assert (judged["a.bias"].verdict, judged["a.bias"].invariant) == ("healthy", True)
    assert not judged["a.weight"].invariant


def test_a_bias_beside_a_weight_that_does_not_learn_is_not_forgiven():
    judged = judge([fact("a.weight", 1e-12), fact("a.bias", 1e-12), fact("b.weight", 1.0)])
    assert (judged["a.bias"].verdict, judged["a.bias"].invariant) == ("vanishing", False)


def test_a_bias_beside_a_weight_that_vanishes_is_not_invariant():
    assert verdicts(fact("a.weight", 1e-9), fact("a.bias", 1e-14), fact("b.weight", 1.0))[:2] == ["vanishing"] * 2


def test_a_bias_beside_a_weight_that_explodes_is_not_invariant():
    assert not judge([fact("a.weight", 1e9), fact("a.bias", 1.0)])["a.bias"].invariant


def test_noise_that_cancels_is_invariant_and_noise_that_arrives_is_vanishing():
    facts = [fact("a.weight", 1.0), fact("b.weight", 1e-7), fact("c.weight", 1e-7)]
    explained = Explained(
        changes={"b.weight": 0.7, "c.weight": 0.7}, cancellation={"b.weight": Cancellation(1e-7, 1.2e-7)}
    )
    judged = judge(facts, explained)
    assert (judged["b.weight"].verdict, judged["b.weight"].invariant) == ("healthy", True)
    assert (judged["c.weight"].verdict, judged["c.weight"].noise) == ("vanishing", True)


@pytest.mark.parametrize(("size", "verdict"), [(1e-6, "vanishing"), (1e-3, "healthy")])
def test_a_small_bias_beside_a_weight_that_gets_noise_gets_noise_too(size, verdict):
    facts = [fact("a.weight", 1.0), fact("b.weight", 1e-7), fact("b.bias", size)]
    explained = Explained(changes={"b.weight": 0.7, "b.bias": 0.05})
    assert verdicts(*facts, explained=explained) == ["healthy", "vanishing", verdict]


def test_half_precision_is_allowed_to_round_coarsely():
    explained = Explained(changes={"b.weight": 0.02})
    facts = [fact("a.weight", 1.0, dtype=torch.bfloat16), fact("b.weight", 0.05, dtype=torch.bfloat16)]
    assert verdicts(*facts, explained=explained) == ["healthy", "healthy"]


def test_an_exact_zero_that_cancels_itself_while_its_layer_learns_is_invariant():
    facts = [fact("a.weight", 1.0), fact("a.bias", 0.0), fact("b.weight", 1.0), fact("b.bias", 0.0)]
    judged = judge(facts, Explained(cancellation={"a.bias": Cancellation(0.0, 1.2e-7)}))
    assert (judged["a.bias"].verdict, judged["a.bias"].invariant) == ("healthy", True)
    assert judged["b.bias"].verdict == "zero"


def test_an_exact_zero_of_a_parameter_alone_in_its_module_cancels_itself_too():
    facts = [fact("a.weight", 1.0), fact("shift.value", 0.0)]
    assert judge(facts, Explained(cancellation={"shift.value": Cancellation(0.0, 1.2e-7)}))["shift.value"].invariant


def test_what_is_left_of_a_sum_is_held_against_the_format_of_its_terms():
    facts = [fact("a.weight", 1.0), fact("b.weight", 1e-7)]
    changes = {"b.weight": 0.7}
    fine, coarse = Cancellation(1e-3, 1.2e-7), Cancellation(1e-3, 7.8e-3)
    assert judge(facts, Explained(changes=changes, cancellation={"b.weight": fine}))["b.weight"].verdict == "vanishing"
    assert judge(facts, Explained(changes=changes, cancellation={"b.weight": coarse}))["b.weight"].invariant


def test_nothing_is_suspicious_in_a_healthy_model():
    facts = [fact("a.weight", 1.0), fact("a.bias", 1.0), fact("b.weight", 1e-3)]
    assert suspicious(facts, judge(facts)) == []


def test_what_is_bad_or_very_small_is_worth_a_second_look_but_only_where_a_gradient_is():
    facts = [fact("a.weight", 1.0), fact("b.weight", 1e-6), fact("c.weight", 0.0), fact("d.weight", None)]
    assert [f.name for f in suspicious(facts, judge(facts))] == ["b.weight", "c.weight"]
