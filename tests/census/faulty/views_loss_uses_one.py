import torch
from torch import nn
import torch.nn.functional as F


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Linear(10, 6)
        self.sound = nn.Linear(7, 6)

    def forward(self, a, b):
        z = torch.cat([self.image(a), self.sound(b)], dim=0)
        return F.normalize(z + 0.01, dim=1)


def gradflow_probe():
    torch.manual_seed(0)
    net = Pair()
    z = net(torch.randn(5, 10), torch.randn(5, 7))
    sim = z[5:] @ z[5:].t()
    return net, F.cross_entropy(sim / 0.2, torch.arange(5))
