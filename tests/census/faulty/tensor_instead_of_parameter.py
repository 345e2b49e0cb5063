import torch
from torch import nn


class Pos(nn.Module):
    def __init__(self, t=6, d=4):
        super().__init__()
        self.pos = torch.randn(t, d) * 0.02
        self.lin = nn.Linear(d, 2)

    def forward(self, x):
        return self.lin(x + self.pos).mean(1)


def gradflow_probe():
    torch.manual_seed(0)
    p = Pos()
    return p, nn.functional.cross_entropy(p(torch.randn(4, 6, 4)), torch.tensor([0, 1, 0, 1]))
