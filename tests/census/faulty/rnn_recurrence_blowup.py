import torch
from torch import nn


class LinearRNN(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.inp = nn.Linear(2, d)
        self.rec = nn.Parameter(2.2 * torch.eye(d))
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        h = x.new_zeros(x.size(0), self.rec.size(0))
        for t in range(x.size(1)):
            h = self.inp(x[:, t]) + h @ self.rec
        return self.out(h)


def gradflow_probe():
    torch.manual_seed(0)
    m = LinearRNN()
    x = torch.randn(5, 40, 2)
    return m, (m(x) - x.sum((1, 2))[:, None]).abs().mean()
