import torch
from torch import nn


class Refine(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.first = nn.Linear(d, d)
        self.steps = nn.ModuleList(nn.Linear(d, d) for _ in range(3))

    def forward(self, x):
        x = self.first(x)
        for step in self.steps:
            y = x + torch.tanh(step(x))
        return x


def gradflow_probe():
    torch.manual_seed(0)
    net = Refine()
    x = torch.randn(5, 6)
    return net, nn.functional.mse_loss(net(x), x)
