import torch
from torch import nn
import torch.nn.functional as F


class CriticHead(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(n, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return F.normalize(self.fc(x), dim=-1)


class Hedge(nn.Module):
    def __init__(self, n=6):
        super().__init__()
        self.direction = CriticHead(n)
        self.size = nn.Linear(n, 1)

    def forward(self, x):
        return self.direction(x) * F.softplus(self.size(x))


def gradflow_probe():
    torch.manual_seed(0)
    m = Hedge()
    x = torch.randn(24, 6)
    return m, (m(x) - x[:, :1]).pow(2).mean()
