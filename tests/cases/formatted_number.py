import torch
from torch import nn


class Thresholded(nn.Module):
    def __init__(self):
        super().__init__()
        self.level = nn.Linear(5, 1)
        self.filter = nn.Linear(5, 5)

    def settings(self, x):
        level = self.level(x).mean()
        return f"soft,{level:.4f}"

    def forward(self, x):
        name, level = self.settings(x).split(",")
        y = self.filter(x)
        return y.sign() * (y.abs() - float(level)).relu()


def gradflow_probe():
    torch.manual_seed(0)
    net = Thresholded()
    x = torch.randn(16, 5)
    return net, (net(x) - x).square().mean()
