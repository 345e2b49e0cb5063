import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.lam * grad, None


class Domain(nn.Module):
    def __init__(self, lam=0.0):
        super().__init__()
        self.lam = lam
        self.enc = nn.Sequential(nn.Linear(6, 8), nn.Tanh())
        self.disc = nn.Linear(8, 2)

    def forward(self, x):
        return self.disc(Reverse.apply(self.enc(x), self.lam))


def gradflow_probe():
    torch.manual_seed(0)
    m = Domain()
    return m, nn.functional.cross_entropy(m(torch.randn(10, 6)), torch.arange(10) % 2)
