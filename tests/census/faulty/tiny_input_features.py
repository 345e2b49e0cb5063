import torch
from torch import nn


class Sensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(4, 8)
        self.mid = nn.Linear(8, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.mid(torch.tanh(self.inp(x)))))


def gradflow_probe():
    torch.manual_seed(0)
    s = Sensor()
    farad = 1e-12 * torch.rand(14, 4)
    return s, nn.functional.mse_loss(s(farad), torch.rand(14, 1))
