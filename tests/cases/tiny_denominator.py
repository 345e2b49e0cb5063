import torch
from torch import nn

EPS = 1e-12


class Orbit(nn.Module):
    def __init__(self):
        super().__init__()
        self.speed = nn.Linear(2, 2)

    def forward(self, x):
        return self.speed(x) / ((x - x).square().sum(1, keepdim=True) + EPS)


def gradflow_probe():
    torch.manual_seed(0)
    orbit = Orbit()
    return orbit, orbit(torch.randn(7, 2)).abs().mean()
