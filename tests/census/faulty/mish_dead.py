import torch
from torch import nn


class Pressure(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 8)
        nn.init.constant_(self.lin.bias, -5e3)
        self.act = nn.Mish()
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.act(self.lin(x)))


def gradflow_probe():
    torch.manual_seed(0)
    p = Pressure()
    x = torch.randn(12, 3)
    return p, nn.functional.mse_loss(p(x), x[:, :1] + 1)
