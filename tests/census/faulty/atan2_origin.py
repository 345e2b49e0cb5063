import torch
from torch import nn


class Motion(nn.Module):
    def __init__(self):
        super().__init__()
        self.speed = nn.Linear(2, 2, bias=False)
        self.out = nn.Linear(3, 2)

    def forward(self, x):
        v = self.speed(x)
        heading = torch.atan2(v[:, 1], v[:, 0])
        return self.out(torch.cat([v, heading[:, None]], 1))


def gradflow_probe():
    torch.manual_seed(0)
    m = Motion()
    x = torch.randn(8, 2)
    x[5] = 0
    return m, m(x).pow(2).mean()
