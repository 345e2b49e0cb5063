import torch
from torch import nn


class Squared(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.main = nn.Linear(d, d)
        self.extra = nn.Linear(d, d)
        self.gain = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return self.main(x) + self.gain ** 2 * self.extra(x)


def gradflow_probe():
    torch.manual_seed(0)
    m = Squared()
    x = torch.randn(20, 6)
    return m, nn.functional.mse_loss(m(x), x.cumsum(1))
