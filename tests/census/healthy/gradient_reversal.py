import torch
from torch import nn


class ReverseGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.neg() * ctx.lambd, None


class DANN(nn.Module):
    def __init__(self):
        super().__init__()
        self.feature = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
        self.label = nn.Linear(16, 3)
        self.domain = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x, lambd):
        f = self.feature(x)
        return self.label(f), self.domain(ReverseGrad.apply(f, lambd))


def gradflow_probe():
    torch.manual_seed(0)
    m = DANN()
    src, tgt = torch.randn(10, 6), torch.randn(10, 6) + 1
    ys, ds = m(src, 0.7)
    _, dt = m(tgt, 0.7)
    ce = nn.functional.cross_entropy
    return m, ce(ys, torch.arange(10) % 3) + ce(ds, torch.zeros(10, dtype=torch.long)) + ce(dt, torch.ones(10, dtype=torch.long))
