"""Which operations made NaN or Inf out of values without any."""

import pytest
import torch

from gradflow_lsp.probe.births import Births
from gradflow_lsp.probe.sites import SiteRecorder
from gradflow_lsp.probe.tracing import Tracer

ZERO, MINUS = torch.zeros(2), -torch.ones(2)


@pytest.fixture
def born():
    """The names of the operations in `run` that made NaN, and of those that made Inf."""

    def born(run):
        tracer, births = Tracer(SiteRecorder(lambda path: path == __file__)), Births()
        tracer.on_op = births
        with tracer:
            run()
        return tuple([tracer.ops[index].name for index in found] for found in (births.nan, births.inf))

    return born


@pytest.mark.parametrize(
    ("run", "nan", "inf"),
    [
        (lambda: MINUS.sqrt().exp().sum(), ["sqrt"], []),
        (lambda: ZERO.log() * 2, [], ["log"]),
        (lambda: (ZERO.log() * 0).sum(), ["mul"], ["log"]),
        (lambda: ZERO.masked_fill(ZERO == 0, -torch.inf) + 1, [], []),
        (lambda: ZERO.masked_fill(ZERO == 0, -torch.inf).softmax(0), ["softmax"], []),
        (lambda: (MINUS * 1).log_().sum(), ["log_"], []),
        (lambda: (MINUS * 1).div_(ZERO).mul_(2).sum(), [], ["div_"]),
        (lambda: (ZERO + 1).exp(), [], []),
        (lambda: ZERO.long() + 1, [], []),
        (lambda: torch.func.vmap(lambda x: (x.sqrt() + 1).exp())(MINUS), ["sqrt"], []),
    ],
)
def test_nan_and_infinities_are_born_where_the_values_before_had_none(born, run, nan, inf):
    assert born(run) == (nan, inf)
