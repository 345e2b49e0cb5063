import torch
from torch import nn


class EarlyExit(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(5, 8)
        self.confidence = nn.Linear(8, 1)
        self.second = nn.Linear(8, 8)
        self.cls = nn.Linear(8, 3)

    def forward(self, x):
        h = torch.relu(self.first(x))
        if torch.sigmoid(self.confidence(h)).mean() < 0.99:
            h = torch.relu(self.second(h))
        return self.cls(h)


def gradflow_probe():
    torch.manual_seed(0)
    m = EarlyExit()
    return m, nn.functional.cross_entropy(m(torch.randn(9, 5)), torch.arange(9) % 3)
