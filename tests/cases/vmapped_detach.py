import torch
from torch import nn


class PerSample(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 3)
        self.dec = nn.Linear(3, 4)

    def one(self, row):
        code = self.enc(row).tanh()
        return self.dec(code.detach())

    def forward(self, x):
        return torch.vmap(self.one)(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = PerSample()
    x = torch.randn(6, 4)
    return net, (net(x) - x).square().mean()
