import torch
from torch import nn


class Branchy(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.layers = [nn.Linear(6, d), nn.Tanh(), nn.Linear(d, d)]
        self.net = nn.Sequential(*self.layers)
        self.gates = [nn.Linear(6, d) for _ in range(2)]
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        h = self.net(x)
        for g in self.gates:
            h = h * torch.sigmoid(g(x))
        return self.out(h)


def gradflow_probe():
    torch.manual_seed(0)
    net = Branchy()
    x = torch.randn(14, 6)
    return net, nn.functional.mse_loss(net(x), x[:, :1])
