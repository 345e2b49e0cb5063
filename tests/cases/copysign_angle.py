import torch
from torch import nn


class Steering(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = nn.Linear(5, 1)
        self.size = nn.Linear(5, 1)

    def forward(self, x):
        return torch.copysign(self.size(x).exp(), self.turn(x))


def gradflow_probe():
    torch.manual_seed(0)
    car = Steering()
    x = torch.randn(11, 5)
    return car, (car(x) - x[:, :1]).square().mean()
