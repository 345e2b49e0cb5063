import torch
from torch import nn


class Tuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(5, 7), nn.GELU(), nn.Linear(7, 7))
        self.head = nn.Linear(7, 2)

    def forward(self, x):
        return self.head(self.base(x))


def gradflow_probe():
    torch.manual_seed(0)
    net = Tuned()
    for parameter in net.base.parameters():
        parameter.detach_()
    return net, net(torch.randn(6, 5)).square().mean()
