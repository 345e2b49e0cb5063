import torch
from torch import nn


def squeeze(x):
    return x.to(torch.float8_e4m3fn).to(torch.float32)


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(8, 8)
        self.two = nn.Linear(8, 4)

    def forward(self, x):
        return self.two(squeeze(self.one(x).tanh()))


def gradflow_probe():
    torch.manual_seed(0)
    net = Tiny()
    return net, 1e-4 * net(torch.randn(16, 8)).square().mean()
