import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, act=None):
        super().__init__()
        self.lift = nn.Linear(width, width)
        self.act = act

    def forward(self, x):
        return self.act(self.lift(x))


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(5, act=nn.ReLU())
        self.out = nn.Linear(5, 1)
        nn.init.constant_(self.first.lift.bias, -30.0)

    def forward(self, x):
        return self.out(self.first(x))


def gradflow_probe():
    torch.manual_seed(0)
    net = Forecast()
    x = torch.randn(8, 5)
    return net, nn.functional.mse_loss(net(x), x[:, :1])
