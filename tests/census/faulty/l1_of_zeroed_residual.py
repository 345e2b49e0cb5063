import torch
from torch import nn


class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Conv2d(2, 4, 3, padding=1)
        self.flow = nn.Conv2d(4, 2, 3, padding=1)
        self.conf = nn.Conv2d(4, 1, 1)

    def forward(self, x):
        h = torch.relu(self.enc(x))
        return self.flow(h), self.conf(h)


def gradflow_probe():
    torch.manual_seed(0)
    net = Flow()
    f, c = net(torch.rand(2, 2, 8, 8))
    gt = torch.randn(2, 2, 8, 8)
    occluded = torch.ones(2, 1, 8, 8)
    err = ((f - gt) * (1 - occluded)).abs()
    return net, err.sum() / 128 + nn.functional.softplus(c).mean()
