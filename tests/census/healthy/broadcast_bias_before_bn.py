import torch
from torch import nn
import torch.nn.functional as F


class WSConv2d(nn.Module):
    """Convolution with weight standardisation and its own bias."""

    def __init__(self, cin, cout, k=3):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(cout, cin, k, k) * 0.2)
        self.bias = nn.Parameter(torch.zeros(1, cout, 1, 1))

    def forward(self, x):
        w = self.weight
        w = (w - w.mean(dim=(1, 2, 3), keepdim=True)) / (w.std(dim=(1, 2, 3), keepdim=True) + 1e-5)
        return F.conv2d(x, w, padding=1) + self.bias


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(WSConv2d(3, 8), nn.BatchNorm2d(8), nn.ReLU(), WSConv2d(8, 8), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.stem(x).mean((2, 3)))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    return net, F.cross_entropy(net(torch.randn(6, 3, 10, 10)), torch.arange(6) % 4)
