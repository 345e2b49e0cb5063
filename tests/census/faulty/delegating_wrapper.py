import torch
from torch import nn


class Wrapper(nn.Module):
    """Adds logging around any network."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.calibrate = nn.Linear(3, 3)
        self.log = []

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("inner"), name)

    def forward(self, *a):
        y = self.inner(*a)
        self.log.append(self.calibrate(y))
        return y


def gradflow_probe():
    torch.manual_seed(0)
    net = Wrapper(nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3)))
    return net, nn.functional.cross_entropy(net(torch.randn(7, 5)), torch.arange(7) % 3)
