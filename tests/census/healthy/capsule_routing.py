import torch
from torch import nn


def squash(s, dim=-1):
    n2 = (s ** 2).sum(dim, keepdim=True)
    return n2 / (1 + n2) * s / (n2 + 1e-8).sqrt()


class Caps(nn.Module):
    def __init__(self, nin=12, din=4, nout=3, dout=6, iters=3):
        super().__init__()
        self.W = nn.Parameter(0.3 * torch.randn(nout, nin, dout, din))
        self.iters = iters

    def forward(self, u):
        u_hat = torch.einsum("jiod,bid->bjio", self.W, u)
        frozen = u_hat.detach()
        b = torch.zeros(u.size(0), *self.W.shape[:2])
        for r in range(self.iters):
            c = b.softmax(1)
            if r == self.iters - 1:
                v = squash((c.unsqueeze(-1) * u_hat).sum(2))
            else:
                v = squash((c.unsqueeze(-1) * frozen).sum(2))
                b = b + (frozen * v.unsqueeze(2)).sum(-1)
        return v


class CapsNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.primary = nn.Conv2d(1, 12, 5)
        self.digits = Caps()
        self.decoder = nn.Sequential(nn.Linear(18, 24), nn.ReLU(), nn.Linear(24, 36), nn.Sigmoid())

    def forward(self, x, y):
        u = squash(self.primary(x).flatten(2))
        v = self.digits(u)
        mask = nn.functional.one_hot(y, 3).float()[..., None]
        return v.norm(dim=-1), self.decoder((v * mask).flatten(1))


def gradflow_probe():
    torch.manual_seed(0)
    net = CapsNet()
    x, y = torch.rand(6, 1, 6, 6), torch.arange(6) % 3
    lengths, rec = net(x, y)
    t = nn.functional.one_hot(y, 3)
    margin = t * (0.9 - lengths).relu() ** 2 + 0.5 * (1 - t) * (lengths - 0.1).relu() ** 2
    return net, margin.sum(1).mean() + 0.05 * nn.functional.mse_loss(rec, x.flatten(1))
