import torch
from torch import nn

EPS = 1e-10


class SoftPrompt(nn.Module):
    def __init__(self, d=8, n=4):
        super().__init__()
        self.prompt = nn.Parameter(torch.randn(n, d))
        self.reparam = nn.Sequential(nn.Linear(d, d), nn.Tanh(), nn.Linear(d, d))
        self.cls = nn.Linear(d, 3)

    def forward(self, x):
        p = self.reparam(self.prompt).mean(0)
        return self.cls(torch.tanh(x + EPS * p))


def gradflow_probe():
    torch.manual_seed(0)
    m = SoftPrompt()
    return m, nn.functional.cross_entropy(m(torch.randn(9, 8)), torch.arange(9) % 3)
