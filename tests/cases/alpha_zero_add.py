import torch
from torch import nn


class Progressive(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(6, 6)
        self.detail = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 6))

    def forward(self, x, epoch):
        faded = min(1.0, epoch / 10)
        return self.base(x).add(self.detail(x), alpha=faded)


def gradflow_probe():
    torch.manual_seed(0)
    net = Progressive()
    x = torch.randn(8, 6)
    return net, (net(x, epoch=0) - x).square().mean()
