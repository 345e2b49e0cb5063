"""A further break: the first layer is frozen. The rest learns as before."""

import torch
from torch import nn
from torch.nn import functional as F


class FrozenFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(10, 32)
        self.middle = nn.Linear(32, 32)
        self.last = nn.Linear(32, 2)
        self.first.requires_grad_(False)

    def forward(self, x):
        h = torch.relu(self.first(x))
        h = torch.relu(self.middle(h))
        return self.last(h)


def gradflow_probe():
    torch.manual_seed(0)
    model = FrozenFirst()
    x = torch.randn(16, 10)
    y = torch.randint(0, 2, (16,))
    return model, F.cross_entropy(model(x), y)
