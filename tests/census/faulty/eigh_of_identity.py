import torch
from torch import nn


class Whitener(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.cov = nn.Parameter(torch.eye(d))
        self.lin = nn.Linear(d, 2)

    def forward(self, x):
        w, V = torch.linalg.eigh(self.cov @ self.cov.t())
        return self.lin(x @ (V * w.rsqrt()) )


def gradflow_probe():
    torch.manual_seed(0)
    net = Whitener()
    return net, nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.arange(8) % 2)
