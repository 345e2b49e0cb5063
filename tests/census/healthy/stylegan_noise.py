import torch
from torch import nn
import torch.nn.functional as F


class EqualLinear(nn.Module):
    def __init__(self, i, o, bias_init=0.0, lr_mul=0.01):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i) / lr_mul)
        self.bias = nn.Parameter(torch.full((o,), bias_init))
        self.scale, self.lr_mul = lr_mul / i ** 0.5, lr_mul

    def forward(self, x):
        return F.leaky_relu(F.linear(x, self.weight * self.scale, self.bias * self.lr_mul), 0.2)


class StyledConv(nn.Module):
    def __init__(self, i, o, s):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i, 3, 3))
        self.affine = nn.Linear(s, i)
        nn.init.ones_(self.affine.bias)
        self.noise_strength = nn.Parameter(torch.zeros([]))
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x, w):
        b = len(x)
        style = self.affine(w)
        k = self.weight[None] * style[:, None, :, None, None]
        k = k * (k.square().sum((2, 3, 4), keepdim=True) + 1e-8).rsqrt()
        x = F.conv2d(x.reshape(1, -1, *x.shape[2:]), k.flatten(0, 1), padding=1, groups=b).view(b, -1, *x.shape[2:])
        x = x + self.noise_strength * torch.randn(b, 1, *x.shape[2:])
        return F.leaky_relu(x + self.bias.view(1, -1, 1, 1), 0.2)


class Generator(nn.Module):
    def __init__(self, z=6, w=6, c=5):
        super().__init__()
        self.mapping = nn.Sequential(EqualLinear(z, w), EqualLinear(w, w))
        self.const = nn.Parameter(torch.randn(1, c, 4, 4))
        self.convs = nn.ModuleList([StyledConv(c, c, w), StyledConv(c, c, w)])
        self.to_rgb = nn.Conv2d(c, 3, 1)

    def forward(self, z):
        w = self.mapping(F.normalize(z, dim=1))
        x = self.const.expand(len(z), -1, -1, -1)
        for conv in self.convs:
            x = conv(F.interpolate(x, scale_factor=2), w)
        return self.to_rgb(x)


def gradflow_probe():
    torch.manual_seed(0)
    G = Generator()
    critic = nn.Sequential(nn.Conv2d(3, 4, 4, 4), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1)).requires_grad_(False)
    return G, F.softplus(-critic(G(torch.randn(4, 6)))).mean()
