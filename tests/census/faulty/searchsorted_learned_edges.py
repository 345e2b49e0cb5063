import torch
from torch import nn


class Binner(nn.Module):
    def __init__(self, bins=5, d=4):
        super().__init__()
        self.edges = nn.Parameter(torch.linspace(-1, 1, bins - 1))
        self.table = nn.Embedding(bins, d)
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        idx = torch.bucketize(x, self.edges.sort().values)
        return self.out(self.table(idx)).squeeze(-1)


def gradflow_probe():
    torch.manual_seed(0)
    b = Binner()
    x = torch.randn(30)
    return b, nn.functional.mse_loss(b(x), x ** 2)
