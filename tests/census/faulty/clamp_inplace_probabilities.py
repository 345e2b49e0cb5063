import torch
from torch import nn


class Rate(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(4, 3)
        self.k = nn.Parameter(torch.ones(3))

    def forward(self, x):
        p = torch.sigmoid(self.f(x)) * 0.9
        p = p.clamp_(2.0, 5.0)
        return p * self.k


def gradflow_probe():
    torch.manual_seed(0)
    r = Rate()
    return r, (r(torch.randn(8, 4)) - 1).pow(2).mean()
