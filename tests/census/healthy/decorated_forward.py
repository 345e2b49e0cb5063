import functools
import time

import torch
from torch import nn


def timed(fn):
    @functools.wraps(fn)
    def inner(self, *args, **kw):
        t = time.perf_counter()
        out = fn(self, *args, **kw)
        self.timings.append(time.perf_counter() - t)
        return out
    return inner


def checked(shape):
    def deco(fn):
        @functools.wraps(fn)
        def inner(self, x):
            assert x.shape[1:] == shape, x.shape
            if torch.isnan(x).any():
                raise ValueError("nan in input")
            return fn(self, x)
        return inner
    return deco


class Sensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.timings = []
        self.body = nn.Sequential(nn.Linear(4, 16), nn.CELU())
        self.mean = nn.Linear(16, 1)
        self.seen = 0.0

    @timed
    @checked((4,))
    def forward(self, x):
        h = self.body(x)
        self.seen = 0.9 * self.seen + 0.1 * h.detach().abs().mean()
        return self.mean(h)

    @torch.no_grad()
    def mae(self, x, y):
        return (self(x) - y).abs().mean().item()


def gradflow_probe():
    torch.manual_seed(0)
    s = Sensor()
    x = torch.randn(12, 4)
    y = x.prod(1, keepdim=True)
    before = s.mae(x, y)
    loss = torch.cosh(s(x) - y).log().mean()
    assert loss.item() > 0 and before >= 0
    return s, loss
