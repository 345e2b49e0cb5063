import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return x + torch.tanh(self.inner(self.norm(x)))


class TideNet(nn.Module):
    def __init__(self, width=8, depth=4):
        super().__init__()
        self.stack = nn.Sequential(*(Residual(width) for _ in range(depth)))
        self.level = nn.Linear(width, 1)

    def forward(self, harmonics):
        state = checkpoint_sequential(self.stack, 3, harmonics, use_reentrant=True)
        return self.level(state)


def gradflow_probe():
    torch.manual_seed(0)
    net = TideNet()
    harmonics = torch.randn(10, 8)
    return net, (net(harmonics) - harmonics.sum(1, keepdim=True)).square().mean()
