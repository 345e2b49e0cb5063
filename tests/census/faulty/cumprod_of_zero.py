import torch
from torch import nn


class Survival(nn.Module):
    def __init__(self):
        super().__init__()
        self.hazard = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 10), nn.Hardsigmoid())

    def forward(self, x):
        h = self.hazard(x)
        s = torch.cumprod(1 - h, dim=1)
        return torch.log(s[:, -1])


def gradflow_probe():
    torch.manual_seed(3)
    m = Survival()
    with torch.no_grad():
        m.hazard[2].bias[4] = 9.0
    return m, -m(torch.randn(7, 4)).mean()
