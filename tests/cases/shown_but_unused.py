import torch
from torch import nn


class Shown(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))
        self.heat = nn.Parameter(torch.ones(()))
        self.fc = nn.Linear(3, 3)

    def extra_repr(self):
        return f"gain={self.gain.item():.3f}, heat={self.heat.item():.3f}"

    def forward(self, x):
        return self.fc(x) / self.heat


def gradflow_probe():
    torch.manual_seed(0)
    net = Shown()
    print(net)
    return net, net(torch.randn(8, 3)).square().mean()
