import torch
from torch import nn


class EqualConv(nn.Module):
    def __init__(self, i, o, k):
        super().__init__()
        self.conv = nn.Conv2d(i, o, k, padding=k // 2)
        self.weight = nn.Parameter(torch.randn(o, i, k, k))
        self.scale = (2 / (i * k * k)) ** 0.5
        del self.conv.weight
        self.conv.weight = (self.weight * self.scale).detach()

    def forward(self, x):
        return self.conv(x)


class Generator(nn.Module):
    def __init__(self, z=8, ch=6):
        super().__init__()
        self.start = nn.Linear(z, ch * 16)
        self.c1 = EqualConv(ch, ch, 3)
        self.rgb = nn.Conv2d(ch, 3, 1)

    def forward(self, z):
        h = self.start(z).view(len(z), -1, 4, 4)
        h = nn.functional.leaky_relu(self.c1(h), 0.2)
        return self.rgb(h)


def gradflow_probe():
    torch.manual_seed(0)
    g = Generator()
    return g, nn.functional.softplus(-g(torch.randn(5, 8)).mean((1, 2, 3))).mean()
