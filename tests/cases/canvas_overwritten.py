import torch
from torch import nn


class Painter(nn.Module):
    def __init__(self):
        super().__init__()
        self.back = nn.Linear(4, 6)
        self.front = nn.Linear(4, 6)

    def forward(self, x):
        canvas = self.back(x) * 2
        canvas[:] = self.front(x)
        return canvas


def gradflow_probe():
    torch.manual_seed(0)
    net = Painter()
    return net, net(torch.randn(7, 4)).square().mean()
