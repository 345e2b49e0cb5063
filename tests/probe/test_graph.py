"""The autograd graph below a loss, and the operations its nodes belong to."""

import pytest
import torch

from gradflow_lsp.probe.graph import Graph, kind
from gradflow_lsp.probe.sites import SiteRecorder
from gradflow_lsp.probe.tracing import Tracer


@pytest.fixture
def tracer():
    with Tracer(SiteRecorder(lambda path: path == __file__)) as tracer:
        yield tracer


def test_nodes_are_those_that_a_backward_runs(tracer):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    _ = b.exp()
    graph = Graph([(a * 2).sum()], tracer.ops)
    assert [kind(node) for node in graph.nodes] == ["SumBackward", "MulBackward", "AccumulateGrad"]
    assert graph.leaf_node(a) is graph.nodes[-1]
    assert graph.leaf_node(b) is None


def test_consumers_are_the_nodes_that_hand_gradients_down_with_the_edge(tracer):
    a = torch.ones(2, requires_grad=True)
    product = a * a
    graph = Graph([product.sum()], tracer.ops)
    assert graph.consumers[graph.leaf_node(a)] == [(product.grad_fn, 0), (product.grad_fn, 1)]


def test_a_node_belongs_to_the_operation_that_made_it(tracer):
    a = torch.ones(2, 3, requires_grad=True)
    loss = torch.nn.functional.mse_loss(a.softmax(-1), torch.zeros(2, 3))
    graph = Graph([loss], tracer.ops)
    assert [op and op.name for op in map(graph.op, graph.nodes)] == ["mse_loss", "softmax", None]


def test_several_losses_share_one_graph(tracer):
    a = torch.ones(2, requires_grad=True)
    h = a * 2
    graph = Graph([h.sum(), h.mean(), torch.ones(())], tracer.ops)
    assert len(graph.roots) == 2
    assert sorted(map(kind, graph.nodes)) == ["AccumulateGrad", "MeanBackward", "MulBackward", "SumBackward"]


def test_a_kind_has_no_version():
    assert kind((torch.ones(2, requires_grad=True) * 2).grad_fn) == "MulBackward"
