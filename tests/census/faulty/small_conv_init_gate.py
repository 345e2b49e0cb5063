import torch
from torch import nn


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(2, 6, 3)
        self.second = nn.Conv1d(6, 6, 3)
        nn.init.normal_(self.second.weight, std=1e-11)
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        h = torch.relu(self.first(x))
        return self.out(self.second(h).mean(-1))


def gradflow_probe():
    torch.manual_seed(0)
    s = Stem()
    return s, nn.functional.cross_entropy(s(torch.randn(7, 2, 12)), torch.arange(7) % 2)
