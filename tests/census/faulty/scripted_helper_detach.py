import torch
from torch import nn


@torch.jit.script
def fused_gate(x, g):
    return x * torch.sigmoid(g.detach())


class Block(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.x = nn.Linear(d, d)
        self.g = nn.Linear(d, d)

    def forward(self, v):
        return fused_gate(self.x(v), self.g(v))


def gradflow_probe():
    torch.manual_seed(0)
    net = nn.Sequential(Block(), nn.ReLU(), nn.Linear(6, 1))
    x = torch.randn(9, 6)
    return net, nn.functional.mse_loss(net(x), x[:, :1])
