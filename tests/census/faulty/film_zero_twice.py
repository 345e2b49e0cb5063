import torch
from torch import nn


class FiLM(nn.Module):
    """gamma and beta from a condition, started at zero 'for stability'."""

    def __init__(self, cond, ch):
        super().__init__()
        self.cond = nn.Sequential(nn.Linear(cond, 12), nn.ReLU())
        self.gamma = nn.Linear(12, ch, bias=False)
        self.beta = nn.Linear(12, ch, bias=False)
        nn.init.zeros_(self.gamma.weight)
        nn.init.zeros_(self.beta.weight)

    def forward(self, x, c):
        c = self.cond(c)
        return self.gamma(c)[:, :, None] * x + self.beta(c)[:, :, None]


class CondVocoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Conv1d(1, 6, 3, padding=1)
        self.film = FiLM(4, 6)
        self.out = nn.Conv1d(6, 1, 1)

    def forward(self, x, c):
        return self.out(self.film(self.inp(x), c))


def gradflow_probe():
    torch.manual_seed(0)
    m = CondVocoder()
    x = torch.randn(3, 1, 20)
    return m, (m(x, torch.randn(3, 4)) - x).abs().mean()
