import torch
from torch import nn
import torch.nn.functional as F


class ArcHead(nn.Module):
    def __init__(self, d=4, n=3, m=0.2):
        super().__init__()
        self.centres = nn.Parameter(torch.eye(n, d))
        self.m = m

    def forward(self, z):
        cos = F.normalize(z) @ F.normalize(self.centres).t()
        return torch.cos(torch.acos(cos.clamp(-1, 1)) + self.m)


class Face(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 4)
        with torch.no_grad():
            self.net.weight.copy_(torch.eye(4))
            self.net.bias.zero_()
        self.head = ArcHead()

    def forward(self, x):
        return 6 * self.head(self.net(x))


def gradflow_probe():
    torch.manual_seed(0)
    f = Face()
    x = torch.cat([torch.eye(4)[:2], torch.randn(6, 4)])
    return f, F.cross_entropy(f(x), torch.arange(8) % 3)
