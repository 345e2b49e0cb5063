import torch
from torch import nn
import torch.nn.functional as F


class SignSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * (x.abs() <= 1).to(g.dtype)


class BinLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.latent = nn.Parameter(torch.randn(o, i) * 0.3)
        self.alpha = nn.Parameter(torch.ones(o))

    def forward(self, x):
        return F.linear(SignSTE.apply(x), SignSTE.apply(self.latent)) * self.alpha / self.latent.shape[1] ** 0.5


class BNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(9, 16)
        self.layers = nn.ModuleList([BinLinear(16, 16), BinLinear(16, 16)])
        self.last = nn.Linear(16, 4)

    def forward(self, x):
        x = F.hardtanh(self.first(x))
        for l in self.layers:
            x = F.hardtanh(l(x), -1.5, 1.5)
        return self.last(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = BNN()
    return net, F.multi_margin_loss(net(torch.randn(16, 9)), torch.arange(16) % 4)
