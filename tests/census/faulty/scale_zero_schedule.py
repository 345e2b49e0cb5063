import torch
from torch import nn


class WarmResidual(nn.Module):
    def __init__(self, d, start=0.0):
        super().__init__()
        self.coef = start
        self.branch = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, d), nn.GELU())

    def forward(self, x):
        return x + self.coef * self.branch(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(4, 10)
        self.res = nn.Sequential(WarmResidual(10), WarmResidual(10))
        self.out = nn.Linear(10, 1)

    def forward(self, x):
        return self.out(self.res(self.inp(x)))


def gradflow_probe():
    torch.manual_seed(0)
    n = Net()
    x = torch.randn(13, 4)
    return n, nn.functional.mse_loss(n(x), x[:, :1].sin())
