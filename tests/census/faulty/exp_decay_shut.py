import torch
from torch import nn


class Decay(nn.Module):
    def __init__(self, n=6):
        super().__init__()
        self.rate = nn.Linear(n, n)
        nn.init.constant_(self.rate.bias, 30.0)
        self.out = nn.Linear(n, 1)
        self.base = nn.Linear(n, n)

    def forward(self, x):
        d = torch.exp(-nn.functional.softplus(self.rate(x)))
        return self.out(self.base(x) + d)


def gradflow_probe():
    torch.manual_seed(0)
    net = Decay()
    x = torch.randn(12, 6)
    return net, nn.functional.mse_loss(net(x), x[:, :1])
