import copy

import torch
from torch import nn


class Clf(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.b = nn.Linear(8, 2)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.student = Clf()
        self.teacher = copy.deepcopy(self.student)
        self.head = nn.Linear(2, 2)

    def forward(self, x):
        return self.head(self.teacher(x))


def gradflow_probe():
    torch.manual_seed(0)
    p = Pair()
    return p, nn.functional.cross_entropy(p(torch.randn(8, 4)), torch.arange(8) % 2)
