import torch
from torch import nn


class Vote(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Linear(4, 3)
        self.mid = nn.Linear(4, 3)
        self.high = nn.Linear(4, 3)

    def forward(self, x):
        votes = torch.stack([torch.tanh(self.low(x)) - 5, torch.tanh(self.mid(x)), torch.tanh(self.high(x)) + 5])
        return votes.median(dim=0).values


def gradflow_probe():
    torch.manual_seed(0)
    v = Vote()
    return v, nn.functional.cross_entropy(v(torch.randn(9, 4)), torch.arange(9) % 3)
