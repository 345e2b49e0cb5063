import torch
from torch import nn


class Rbf(nn.Module):
    def __init__(self, n=6, d=3):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(n, d))
        self.out = nn.Linear(n, 2)

    def forward(self, x):
        d2 = ((x[:, None] - self.centres) ** 2).sum(-1)
        phi = torch.exp(-d2)
        return self.out(phi)


def gradflow_probe():
    torch.manual_seed(0)
    m = Rbf()
    x = 100 * torch.randn(10, 3) + 300
    return m, nn.functional.cross_entropy(m(x), torch.arange(10) % 2)
