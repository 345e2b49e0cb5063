import torch
from torch import nn


class Thermostat(nn.Module):
    def __init__(self):
        super().__init__()
        self.sense = nn.Linear(4, 6)
        self.plan = nn.Linear(6, 1)

    def forward(self, x):
        raw = self.sense(x)
        steps = torch.div(raw, 0.25, rounding_mode="floor")
        return self.plan(steps)


def gradflow_probe():
    torch.manual_seed(0)
    t = Thermostat()
    x = torch.randn(10, 4)
    return t, nn.functional.mse_loss(t(x), x[:, :1])
