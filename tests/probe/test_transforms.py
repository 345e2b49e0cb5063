"""Values that go through the transforms of `torch.func` on their way to the loss."""

import pytest
import torch
from torch import nn
from torch.func import grad, vmap

from gradflow_lsp.probe.transforms import requires_grad_inside, watch_transforms

from .reading import causes, verdicts, wired

FIRST = ["first.weight", "first.bias"]


def test_what_goes_in_and_what_comes_out_is_told():
    seen = []
    undo = watch_transforms(lambda before, after, frame: seen.append((before.shape, after.shape)))
    vmap(torch.sin)(torch.ones(2, 3))
    undo()
    vmap(torch.sin)(torch.ones(2, 3))
    assert seen == [((2, 3), (3,)), ((3,), (2, 3))]


def test_a_wrapper_requires_grad_where_what_it_wraps_does():
    weight, seen = torch.ones(3, requires_grad=True), []

    def look(row):
        seen.extend([requires_grad_inside(row), requires_grad_inside(row * weight)])
        return row * weight

    vmap(look)(torch.ones(2, 3))
    assert seen == [False, True]
    assert requires_grad_inside(weight)


@pytest.mark.parametrize(
    "statement",
    [
        "h = torch.vmap(lambda row: torch.tanh(row).detach())(h)",
        "h = torch.vmap(torch.tanh)(h.detach())",
        "h = torch.func.vmap(torch.func.grad(lambda row: row.square().sum()))(h).detach()",
    ],
)
def test_cuts_inside_and_around_are_found(run_probe, statement):
    report = run_probe(wired(statement))
    assert verdicts(report)["first.weight"] == "missing"
    assert {kind: names for (kind, _), names in causes(report).items()} == {"detach": FIRST}


def test_derivatives_inside_are_followed():
    layer = nn.Linear(3, 1)
    seen = []
    undo = watch_transforms(lambda before, after, frame: seen.append(requires_grad_inside(after)))
    grad(lambda point: layer(point).sum())(torch.ones(3))
    undo()
    assert seen[-1]
