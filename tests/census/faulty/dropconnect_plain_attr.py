import torch
from torch import nn
import torch.nn.functional as F


class DropConnect(nn.Module):
    def __init__(self, layer, p=0.3):
        super().__init__()
        self.layer = layer
        self.p = p
        raw = layer.weight
        del layer._parameters["weight"]
        layer.register_parameter("weight_raw", nn.Parameter(raw.detach()))
        layer.weight = F.dropout(raw, p)

    def forward(self, x):
        return self.layer(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = DropConnect(nn.Linear(5, 8))
        self.b = nn.Linear(8, 2)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


def gradflow_probe():
    torch.manual_seed(0)
    n = Net()
    return n, F.cross_entropy(n(torch.randn(8, 5)), torch.arange(8) % 2)
