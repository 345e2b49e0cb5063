"""A further break: the second activation is a step, which has no derivative."""

import torch
from torch import nn
from torch.nn import functional as F


class HardGate(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(10, 32)
        self.middle = nn.Linear(32, 32)
        self.last = nn.Linear(32, 2)

    def forward(self, x):
        h = torch.relu(self.first(x))
        h = self.middle(h)
        h = (h > 0).float()
        return self.last(h)


def gradflow_probe():
    torch.manual_seed(0)
    model = HardGate()
    x = torch.randn(16, 10)
    y = torch.randint(0, 2, (16,))
    return model, F.cross_entropy(model(x), y)
