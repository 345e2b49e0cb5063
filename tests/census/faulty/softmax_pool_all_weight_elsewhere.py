import torch
from torch import nn


class Mixed(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.ops = nn.ModuleList([nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)])
        self.register_buffer("allowed", torch.tensor([0.0, -1e9, 0.0]))
        self.alpha = nn.Parameter(torch.zeros(3))
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        w = torch.softmax(self.alpha + self.allowed, dim=0)
        h = sum(w[i] * torch.tanh(op(x)) for i, op in enumerate(self.ops))
        return self.out(h)


def gradflow_probe():
    torch.manual_seed(0)
    m = Mixed()
    return m, nn.functional.cross_entropy(m(torch.randn(8, 6)), torch.arange(8) % 2)
