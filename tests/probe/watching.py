"""Backwards that watch, for tests of what is made of them."""

from gradflow_lsp.probe.backward import clean_backward
from gradflow_lsp.probe.definitions import Definitions
from gradflow_lsp.probe.explaining import SCALE, Explained, explain
from gradflow_lsp.probe.graph import Graph
from gradflow_lsp.probe.outcome import read_outcome


def by_name(losses):
    """One loss, or several by name, as the latter."""
    return losses if isinstance(losses, dict) else {"loss": losses}


def parameters_of(model, losses):
    """A model's parameters, as a probe that returned it would name them."""
    return read_outcome((model, by_name(losses)), Definitions.unlocated()).parameters()


def facts_of(model, losses):
    """What a clean backward leaves; the graph is kept."""
    return clean_backward(parameters_of(model, losses), by_name(losses), keep_graph=True)


def watched(model, losses, ops=(), names=None):
    """What a watching backward sees of all parameters, and the graph that it ran through.

    `ops` are those of a trace; `names` are the parameters to be looked at closely, rather than all.
    """
    graph, explained = Graph(by_name(losses).values(), ops), Explained()
    parameters = parameters_of(model, losses)
    explain(explained, graph, parameters, by_name(losses), names or {p.name for p in parameters}, SCALE)
    return explained, graph
