import torch
from torch import nn


class Lpips:
    def __init__(self):
        self.net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.Conv2d(6, 6, 3)).eval()
        for p in self.net.parameters():
            p.requires_grad = False

    def __call__(self, a, b):
        return (self.net(a) - self.net(b)).pow(2).mean()


class Restorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1))
        self.perceptual = Lpips()
        self._judges = [self.perceptual.net]

    def forward(self, x):
        return x + self.f(x)

    def loss(self, x, y):
        out = self(x)
        return (out - y).abs().mean() + 0.1 * self.perceptual(out, y)


def gradflow_probe():
    torch.manual_seed(0)
    r = Restorer()
    y = torch.rand(2, 3, 10, 10)
    return r, r.loss(y + 0.1 * torch.randn_like(y), y)
