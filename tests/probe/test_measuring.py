"""What is read off a gradient."""

import math

import pytest
import torch

from gradflow_lsp.probe.measuring import norms, norms_side_by_side, read_gradients


def read(gradient):
    """What is read off one gradient."""
    return read_gradients([gradient])[0]


def test_a_gradient_has_a_norm_a_mean_size_and_a_share_of_zeros():
    gradient = read(torch.tensor([3.0, 0.0, 4.0, 0.0]))
    assert (gradient.norm, gradient.rms, gradient.zero_fraction) == (5.0, 2.5, 0.5)
    assert gradient.finite
    assert not gradient.is_zero


def test_zero_means_every_entry():
    assert read(torch.zeros(3)).is_zero
    assert not read(torch.tensor([0.0, 1e-44])).is_zero


def test_a_gradient_whose_squares_leave_the_range_of_float_still_has_its_norm():
    assert read(torch.tensor([3e-30, 4e-30])).norm == pytest.approx(5e-30)
    assert read(torch.tensor([3e30, 4e30])).norm == pytest.approx(5e30)
    assert read(torch.tensor([3e30, 4e30])).finite


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_one_bad_entry_makes_it_not_finite(bad):
    assert not read(torch.tensor([1.0, bad])).finite


def test_half_precision_is_summed_in_single():
    assert read(torch.full((70000,), 1.0, dtype=torch.float16)).norm == pytest.approx(math.sqrt(70000))


def test_complex_and_sparse_gradients_are_read_as_well():
    assert read(torch.tensor([3 + 4j, 0])).norm == pytest.approx(5)
    sparse = torch.sparse_coo_tensor([[0, 0, 1]], [[3.0], [0.0], [4.0]], (4, 1), check_invariants=True)
    assert (read(sparse).norm, read(sparse).zero_fraction) == (5.0, 0.5)


def test_many_are_read_at_once_and_in_order_and_none_stays_none():
    gradients = [torch.full((n,), float(n)) for n in (1, 2, 1, 5000, 2)]
    read = read_gradients([None, *gradients, torch.zeros(2), None])
    assert read[0] is read[-1] is None
    assert [g.rms for g in read[1:-1]] == pytest.approx([1, 2, 1, 5000, 2, 0], rel=1e-5)


def test_norms_of_tensors_of_many_kinds_side_by_side():
    tensors = [torch.tensor([3.0, 4.0]), torch.ones(2).half(), torch.tensor([[3 + 4j]]), torch.zeros(0), torch.ones(2)]
    assert norms(tensors) == pytest.approx([5.0, math.sqrt(2), 5.0, 0.0, math.sqrt(2)], rel=1e-3)


LARGE = 300_000
"""More entries than are read in one go."""


def test_a_large_gradient_is_read_as_a_small_one_is():
    values = torch.zeros(LARGE)
    values[::3] = 2.0
    gradient = read(values)
    assert gradient.norm == pytest.approx(2 * math.sqrt(LARGE / 3))
    assert gradient.zero_fraction == pytest.approx(2 / 3)


def test_the_norm_of_a_large_tensor_keeps_its_digits():
    values = torch.randn(20 * LARGE, generator=torch.Generator().manual_seed(0))
    assert norms([values])[0] == pytest.approx(float(values.double().norm()), rel=1e-6)


def test_minus_zero_is_zero_in_a_large_gradient_too():
    assert read(torch.full((LARGE,), -0.0)).is_zero
    assert read(torch.cat([torch.ones(LARGE), torch.tensor([-0.0])])).zero_fraction == pytest.approx(1 / (LARGE + 1))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_one_bad_entry_of_a_large_gradient_is_found(bad):
    values = torch.ones(LARGE)
    values[-1] = bad
    assert not read(values).finite


def test_a_large_gradient_need_not_lie_in_one_piece():
    values = torch.arange(2.0 * LARGE).view(LARGE, 2).t()
    assert read(values).norm == pytest.approx(float(values.double().norm()), rel=1e-5)


def test_a_tensor_without_entries_has_no_norm():
    assert norms([torch.zeros(0)]) == [0.0]


def test_the_smallest_number_is_not_zero_in_a_large_gradient_either():
    assert read(torch.cat([torch.ones(LARGE), torch.tensor([1e-44])])).zero_fraction == 0.0


def test_measuring_side_by_side_changes_nothing():
    values = torch.tensor([3.0, -4.0], dtype=torch.float64)
    assert norms_side_by_side(values, [values]) == [5.0]
    assert values.tolist() == [3.0, -4.0]
    gradient = torch.tensor([2.0, 0.0])
    assert read(gradient).norm == 2.0
    assert gradient.tolist() == [2.0, 0.0]
