import torch
from torch import nn


class Rezero(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.fn(x)


def ff(d):
    return nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))


class Forecaster(nn.Module):
    def __init__(self, d=10, depth=3, horizon=4):
        super().__init__()
        self.inp = nn.Linear(8, d)
        self.blocks = nn.Sequential(*[Rezero(ff(d)) for _ in range(depth)])
        self.out = nn.Linear(d, horizon)
        self.calendar = nn.Embedding(7, d)

    def forward(self, x, day):
        h = self.inp(x)
        h.add(self.calendar(day))
        return self.out(self.blocks(h))


def gradflow_probe():
    torch.manual_seed(0)
    net = Forecaster()
    x = torch.randn(16, 8)
    return net, nn.functional.mse_loss(net(x, torch.arange(16) % 7), x[:, :4].cumsum(1))
