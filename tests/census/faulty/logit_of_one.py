import torch
from torch import nn


class Calib(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(4, 6)
        self.g = nn.Linear(6, 1)

    def forward(self, x):
        p = torch.sigmoid(self.f(x) * 60)
        return self.g(torch.logit(p))


def gradflow_probe():
    torch.manual_seed(0)
    c = Calib()
    return c, c(torch.randn(16, 4)).abs().mean()
