import torch
from torch import nn
import torch.nn.functional as F


class LogitHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(2.0))
        self.bias = nn.Parameter(torch.tensor(-1.0))

    def forward(self, a, b):
        return self.log_scale.exp() * a @ b.T + self.bias


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 5), nn.Linear(7, 5)
        self.head = LogitHead()

    def forward(self, x, y):
        return self.head(F.normalize(self.a(x), dim=1), F.normalize(self.b(y), dim=1))


def gradflow_probe():
    torch.manual_seed(3)
    p = Pair()
    l = p(torch.randn(9, 6), torch.randn(9, 7))
    return p, F.cross_entropy(l, torch.arange(9)) + F.cross_entropy(l.T, torch.arange(9))
