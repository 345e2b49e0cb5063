import torch
from torch import nn


class Seg(nn.Module):
    def __init__(self, classes=1):
        super().__init__()
        self.enc = nn.Conv2d(3, 6, 3, padding=1)
        self.dec = nn.Conv2d(6, classes, 1)

    def forward(self, x):
        return torch.softmax(self.dec(torch.relu(self.enc(x))), dim=1)


def dice(p, y):
    inter = (p * y).sum((1, 2, 3))
    return 1 - (2 * inter / (p.sum((1, 2, 3)) + y.sum((1, 2, 3)))).mean()


def gradflow_probe():
    torch.manual_seed(0)
    s = Seg()
    y = (torch.rand(3, 1, 8, 8) > 0.5).float()
    return s, dice(s(torch.rand(3, 3, 8, 8)), y)
