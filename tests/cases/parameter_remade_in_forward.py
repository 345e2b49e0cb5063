import torch
from torch import nn


class Pairing(nn.Module):
    def __init__(self):
        super().__init__()
        self.pair = nn.Linear(6, 6)
        self.heat = nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        self.__dict__["warm"] = nn.Parameter(self.heat.exp())
        return self.pair(x) @ x.T / self.warm


def gradflow_probe():
    torch.manual_seed(0)
    net = Pairing()
    return net, nn.functional.cross_entropy(net(torch.randn(7, 6)), torch.arange(7))
