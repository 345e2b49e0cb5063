import torch
from torch import nn


class When(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(2, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, t):
        return self.out(torch.relu(self.embed(t)))


def gradflow_probe():
    torch.manual_seed(0)
    w = When()
    t = 1.7e9 + 1e6 * torch.rand(12, 2)
    return w, (w(t) - 1).abs().mean()
