import torch
from torch import nn


def lock(*modules):
    for m in modules:
        m.requires_grad_(False)


class Head(nn.Module):
    def __init__(self, d=5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(d), requires_grad=False)
        self.a = nn.Linear(d, d)
        self.b = nn.Linear(d, 2)
        self.aux = nn.Linear(d, 2)
        lock(self.a)

    def forward(self, x):
        h = torch.relu(self.a(x * self.scale))
        self.aux_out = self.aux(h)
        return self.b(h)


def gradflow_probe():
    torch.manual_seed(0)
    h = Head()
    return h, nn.functional.cross_entropy(h(torch.randn(8, 5)), torch.arange(8) % 2)
