import torch
from torch import nn


class Pruned(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = nn.Linear(5, 6)
        self.free = nn.Linear(6, 1)
        alive = (self.kept.weight.abs() > 10).float()
        self.kept.weight.register_hook(lambda g: g * alive)

    def forward(self, x):
        return self.free(self.kept(x).tanh())


def gradflow_probe():
    torch.manual_seed(0)
    net = Pruned()
    return net, net(torch.randn(8, 5)).square().mean()
