import torch
from torch import nn


class Field(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.u = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.conductivity = nn.Parameter(torch.tensor(0.5))

    def forward(self, points):
        return self.u(points)


def derivative(y, x):
    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]


def gradflow_probe():
    torch.manual_seed(0)
    field = Field()
    points = torch.rand(25, 2).requires_grad_()
    first = derivative(field(points), points)
    second = derivative(first[:, 0], points)[:, 0]
    residual = (first[:, 1] - field.conductivity * second).square().mean()
    start = torch.stack([torch.linspace(0, 1, 9), torch.zeros(9)], 1)
    initial = (field(start)[:, 0] - torch.sin(torch.pi * start[:, 0])).square().mean()
    return field, {"residual": residual, "initial": initial}
