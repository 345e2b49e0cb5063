import torch
from torch import nn


class Gates(nn.Module):
    def __init__(self, d=6, n=12):
        super().__init__()
        self.inp = nn.Linear(4, d)
        self.gates = nn.ModuleList(nn.Linear(4, d) for _ in range(n))
        self.out = nn.Linear(d, 2)
        for g in self.gates:
            nn.init.constant_(g.bias, -2.5)

    def forward(self, x):
        h = self.inp(x)
        for g in self.gates:
            h = h * torch.sigmoid(g(x))
        return self.out(h)


def gradflow_probe():
    torch.manual_seed(0)
    m = Gates()
    return m, nn.functional.cross_entropy(m(torch.randn(10, 4)), torch.arange(10) % 2)
