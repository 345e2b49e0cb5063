import torch
from torch import nn


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)

    def forward(self, x):
        return nn.functional.silu(self.conv(x))


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Stem()
        self.fast = torch.no_grad()(self.run_stem)
        self.head = nn.Linear(6, 10)

    def run_stem(self, x):
        return self.stem(x).mean((2, 3))

    def forward(self, x):
        return self.head(self.fast(x))


def gradflow_probe():
    torch.manual_seed(0)
    r = Reader()
    return r, nn.functional.cross_entropy(r(torch.randn(6, 1, 9, 9)), torch.arange(6))
