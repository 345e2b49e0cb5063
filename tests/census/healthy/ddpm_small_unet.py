import torch
import torch.nn as nn
import torch.nn.functional as F
import math


def timestep_embedding(t, d):
    f = torch.exp(-math.log(10000) * torch.arange(d // 2) / (d // 2))
    a = t[:, None].float() * f
    return torch.cat([a.sin(), a.cos()], 1)


class ResBlock(nn.Module):
    def __init__(self, i, o, td):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, i), nn.Conv2d(i, o, 3, padding=1)
        self.time = nn.Linear(td, o)
        self.norm2, self.conv2 = nn.GroupNorm(4, o), nn.Conv2d(o, o, 3, padding=1)
        self.skip = nn.Conv2d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(t))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))


class Eps(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(c, 4 * c), nn.SiLU(), nn.Linear(4 * c, 4 * c))
        self.inp = nn.Conv2d(1, c, 3, padding=1)
        self.d1, self.d2 = ResBlock(c, c, 4 * c), ResBlock(c, 2 * c, 4 * c)
        self.u1 = ResBlock(3 * c, c, 4 * c)
        self.out = nn.Conv2d(c, 1, 3, padding=1)
        self.c = c

    def forward(self, x, t):
        e = self.time(timestep_embedding(t, self.c))
        a = self.d1(self.inp(x), e)
        b = self.d2(F.avg_pool2d(a, 2), e)
        return self.out(self.u1(torch.cat([a, F.interpolate(b, scale_factor=2)], 1), e))


def gradflow_probe():
    torch.manual_seed(0)
    net = Eps()
    ab = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 100), 0)
    x, eps, t = torch.randn(4, 1, 16, 16), torch.randn(4, 1, 16, 16), torch.randint(0, 100, (4,))
    noisy = ab[t].sqrt()[:, None, None, None] * x + (1 - ab[t]).sqrt()[:, None, None, None] * eps
    return net, F.mse_loss(net(noisy, t), eps)
