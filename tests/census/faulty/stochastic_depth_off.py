import torch
from torch import nn


class DropPathBlock(nn.Module):
    def __init__(self, d, p):
        super().__init__()
        self.p = p
        self.f = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, d), nn.GELU())

    def forward(self, x):
        keep = torch.bernoulli(torch.full((x.size(0), 1), 1 - self.p))
        return x + keep * self.f(x)


class Net(nn.Module):
    def __init__(self, d=10, depth=3):
        super().__init__()
        self.inp = nn.Linear(5, d)
        rates = torch.linspace(0, 1, depth)
        self.blocks = nn.ModuleList(DropPathBlock(d, float(r)) for r in rates)
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        x = self.inp(x)
        for b in self.blocks:
            x = b(x)
        return self.out(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    return net, nn.functional.cross_entropy(net(torch.randn(16, 5)), torch.arange(16) % 2)
