import torch
from torch import nn


class Out(nn.Linear):
    """Output projection of a residual branch."""


class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)


def init_weights(m):
    if isinstance(m, Out):
        with torch.no_grad():
            m.weight.fill_(0.0)
            m.bias.fill_(0.0)
    elif isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)


class Net(nn.Module):
    def __init__(self, d=10, n=2):
        super().__init__()
        self.blocks = nn.Sequential(*(Residual(nn.Linear(d, 2 * d), nn.GELU(), Out(2 * d, d)) for _ in range(n)))
        self.head = nn.Linear(d, 3)
        self.apply(init_weights)

    def forward(self, x):
        return self.head(self.blocks(x))


def gradflow_probe():
    torch.manual_seed(0)
    m = Net()
    return m, nn.functional.cross_entropy(m(torch.randn(9, 10)), torch.arange(9) % 3)
