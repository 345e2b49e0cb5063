import math

import torch
from torch import nn


class LogPricer(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = nn.Linear(4, 1)
        self.out = nn.Linear(1, 1)
        nn.init.constant_(self.rate.bias, 2.0)

    def forward(self, x):
        rates = self.rate(x).flatten()
        prices = torch.tensor([math.log(max(r.item(), 0.0) + 1.0) for r in rates])
        return self.out(prices.unsqueeze(1))


def gradflow_probe():
    torch.manual_seed(0)
    net = LogPricer()
    x = torch.rand(6, 4)
    return net, nn.functional.mse_loss(net(x), x[:, :1])
