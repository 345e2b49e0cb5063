import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, dim, rank):
        super().__init__()
        self.shrink = nn.Linear(dim, rank)
        self.grow = nn.Linear(rank, dim)
        with torch.no_grad():
            self.grow.weight.mul_(1e-12)

    def forward(self, x):
        return x + self.grow(nn.functional.gelu(self.shrink(x)))


def gradflow_probe():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 8), Adapter(8, 3), nn.Linear(8, 2))
    return net, nn.functional.cross_entropy(net(torch.randn(12, 5)), torch.arange(12) % 2)
