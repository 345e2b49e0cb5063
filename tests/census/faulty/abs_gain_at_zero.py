import torch
from torch import nn


class AbsGain(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.branch = nn.Linear(d, d)
        self.alpha = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        return x + self.alpha.abs() * torch.tanh(self.branch(x))


def gradflow_probe():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 6), AbsGain(6), nn.Linear(6, 1))
    x = torch.randn(14, 4)
    return net, nn.functional.mse_loss(net(x), x[:, :1])
