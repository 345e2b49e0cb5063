import torch
from torch import nn


def distance(a, b):
    return torch.sqrt(((a - b) ** 2).sum(-1))


class Matcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 3)
        self.temperature = nn.Parameter(torch.ones(()))

    def forward(self, x):
        z = self.project(x)
        return distance(z[:, None], z[None]) * self.temperature


def gradflow_probe():
    torch.manual_seed(0)
    matcher = Matcher()
    return matcher, matcher(torch.randn(5, 4)).mean()
