import torch
from torch import nn


class SoftTree(nn.Module):
    def __init__(self, d=6, leaves=4, tau=0.02):
        super().__init__()
        self.route = nn.Linear(d, leaves)
        self.leaf = nn.Parameter(torch.randn(leaves, 2))
        self.tau = tau
        with torch.no_grad():
            self.route.bias[0] = 2.0
            self.route.weight.mul_(0.2)

    def forward(self, x):
        p = torch.softmax(self.route(x) / self.tau, dim=-1)
        return p @ self.leaf


def gradflow_probe():
    torch.manual_seed(0)
    t = SoftTree()
    return t, nn.functional.cross_entropy(t(torch.randn(40, 6).clamp(-2, 2)), torch.arange(40) % 2)
