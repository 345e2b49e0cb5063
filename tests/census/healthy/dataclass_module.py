from dataclasses import dataclass

import torch
from torch import nn


@dataclass(eq=False)
class GatedUnit(nn.Module):
    width: int
    hidden: int = 12

    def __post_init__(self):
        super().__init__()
        self.up = nn.Linear(self.width, self.hidden)
        self.gate = nn.Linear(self.width, self.hidden)
        self.down = nn.Linear(self.hidden, self.width)

    def forward(self, x):
        return x + self.down(self.up(x) * torch.sigmoid(self.gate(x)))


@dataclass(unsafe_hash=False, eq=False)
class Stack(nn.Module):
    depth: int = 2
    width: int = 6

    def __post_init__(self):
        nn.Module.__init__(self)
        self.units = nn.ModuleList()
        for _ in range(self.depth):
            self.units.append(GatedUnit(width=self.width))
        self.read = nn.Linear(self.width, 1)

    def forward(self, x):
        for u in self.units:
            x = u(x)
        return self.read(x)


def gradflow_probe():
    torch.manual_seed(0)
    s = Stack()
    x = torch.randn(15, 6)
    return s, nn.functional.mse_loss(s(x), x.prod(1, keepdim=True))
