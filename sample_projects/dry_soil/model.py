"""Is a field dry? The first two layers never learn it: their wire is cut."""

import torch
from torch import nn
from torch.nn import functional as F


class DrySoil(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(10, 32)
        self.middle = nn.Linear(32, 32)
        self.last = nn.Linear(32, 2)

    def forward(self, x):
        h = torch.relu(self.first(x))
        h = torch.relu(self.middle(h)).detach()
        return self.last(h)


def gradflow_probe():
    torch.manual_seed(0)
    model = DrySoil()
    x = torch.randn(16, 10)
    y = torch.randint(0, 2, (16,))
    return model, F.cross_entropy(model(x), y)
