import torch
from torch import nn
from torch.nn.utils import parametrize


class UnitRows(nn.Module):
    """Keeps each row at unit length."""

    def __init__(self, weight):
        super().__init__()
        self.register_buffer("rows", nn.functional.normalize(weight.detach().clone(), dim=1))

    def forward(self, w):
        return self.rows


class SpeakerHead(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        self.cls = nn.Linear(dim, n)
        parametrize.register_parametrization(self.cls, "weight", UnitRows(self.cls.weight))

    def forward(self, x):
        return self.cls(torch.tanh(self.proj(x)))


def gradflow_probe():
    torch.manual_seed(0)
    head = SpeakerHead(10, 6)
    return head, nn.functional.cross_entropy(head(torch.randn(12, 10)), torch.arange(12) % 6)
