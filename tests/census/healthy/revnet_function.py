import torch
from torch import nn


class RevFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x1, x2, f, g):
        ctx.f, ctx.g = f, g
        with torch.no_grad():
            y1 = x1 + f(x2)
            y2 = x2 + g(y1)
        ctx.save_for_backward(y1, y2)
        return y1, y2

    @staticmethod
    def backward(ctx, d1, d2):
        y1, y2 = ctx.saved_tensors
        with torch.enable_grad():
            y1 = y1.detach().requires_grad_()
            gy = ctx.g(y1)
            torch.autograd.backward(gy, d2)
        d1 = d1 + y1.grad
        with torch.no_grad():
            x2 = y2 - gy
        with torch.enable_grad():
            x2 = x2.detach().requires_grad_()
            fx = ctx.f(x2)
            torch.autograd.backward(fx, d1)
        return d1, d2 + x2.grad, None, None


class RevBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, d), nn.Tanh())
        self.g = nn.Sequential(nn.Linear(d, d), nn.Tanh())

    def forward(self, a, b):
        return RevFn.apply(a, b, self.f, self.g)


class RevNet(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.inp = nn.Linear(4, 2 * d)
        self.blocks = nn.ModuleList([RevBlock(d) for _ in range(3)])
        self.out = nn.Linear(2 * d, 2)

    def forward(self, x):
        a, b = self.inp(x).chunk(2, -1)
        for blk in self.blocks:
            a, b = blk(a, b)
        return self.out(torch.cat([a, b], -1))


def gradflow_probe():
    torch.manual_seed(0)
    m = RevNet()
    return m, nn.functional.cross_entropy(m(torch.randn(12, 4)), torch.arange(12) % 2)
