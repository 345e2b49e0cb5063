"""The ways from values to the loss, and what cuts them: this file plays the user's code."""

import pytest
import torch

from gradflow_lsp.probe.flow import Flow
from gradflow_lsp.probe.sites import SiteRecorder
from gradflow_lsp.probe.tracing import Tracer


@pytest.fixture
def ways():
    """The kinds of the cuts on each way from a tensor that requires grad to what `run` makes of it."""

    def ways(run):
        with Tracer(SiteRecorder(lambda path: path == __file__)) as tracer:
            x = torch.ones(2, requires_grad=True) * 1.0
            loss = run(x)
        flow = Flow(tracer.ops, [tracer.tokens.find(loss)], [])
        return [[cut.kind for cut in way.cuts] for way in flow.ways(tracer.tokens.find(x))]

    return ways


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda x: x.sum(), [[]]),
        (lambda x: x.detach().sum(), [["detach"]]),
        (lambda x: x.data.sum(), [["data-access"]]),
        (lambda x: (x > 0).float().sum(), [["non-differentiable"]]),
        (lambda x: x.argmax().float(), [["non-differentiable"]]),
        (lambda x: torch.tensor(x.tolist()).sum(), [["left-autograd"]]),
        (lambda x: torch.from_numpy(x.detach().numpy()).sum(), [["left-autograd"]]),
        (lambda x: torch.ones(2).sum(), []),
    ],
)
def test_a_way_has_the_cuts_that_it_crosses(ways, run, expected):
    assert ways(run) == expected


def test_beside_an_unbroken_way_no_other_counts(ways):
    assert ways(lambda x: (x + x.detach() + x.round().data).sum()) == [[]]


def test_ways_across_one_cut_each_all_count(ways):
    assert sorted(ways(lambda x: (x.detach() + x.data).sum())) == [["data-access"], ["detach"]]


def test_a_way_across_one_cut_hides_those_across_two(ways):
    def run(x):
        y = x.data
        return (y.detach() + x.detach()).sum()

    assert ways(run) == [["detach"]]


def test_of_cuts_in_a_row_the_nearest_comes_first(ways):
    def run(x):
        y = x.detach()
        return (y * 2).data.sum()

    assert ways(run)[0][0] == "detach"


def test_no_grad_is_one_cut_however_much_runs_in_it(ways):
    def run(x):
        with torch.no_grad():
            y = x * 2 + 1
            z = y.exp()
        return z.sum()

    assert ways(run) == [["no-grad"]]


def test_a_value_written_into_another_tensor_flows_on(ways):
    def run(x):
        canvas = torch.zeros(2)
        canvas[:] = x
        return canvas.sum()

    assert ways(run) == [[]]


@pytest.fixture
def traced():
    with Tracer(SiteRecorder(lambda path: path == __file__)) as tracer:
        yield tracer


def test_dropped_values_end_in_operations_that_nobody_reads(traced):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.exp()
    loss = y.detach().sum() * 0 + 1
    flow = Flow(traced.ops, [traced.tokens.find(loss)], [])
    assert [op.name for op in flow.dropped(traced.tokens.find(x))] == ["exp", "add"]


def test_a_value_knows_its_readers_and_its_maker(traced):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.exp()
    y.sin()
    flow = Flow(traced.ops, [], [])
    assert [op.name for op in flow.uses(traced.tokens.find(y))] == ["exp", "sin"]
    assert flow.producer(traced.tokens.find(y)).name == "mul"


def test_writing_into_a_tensor_is_no_use_of_it(traced):
    weight = torch.nn.Parameter(torch.ones(2))
    torch.nn.init.zeros_(weight)
    assert Flow(traced.ops, [], []).uses(traced.tokens.find(weight)) == []


def test_reaching_the_loss_is_told_from_being_read(traced):
    x = torch.ones(2)
    y, z = x * 2, x * 3
    loss = y.sum()
    flow = Flow(traced.ops, [traced.tokens.find(loss)], [])
    assert flow.reaches(traced.tokens.find(x))
    assert not flow.reaches(traced.tokens.find(z))
