import torch
from torch import nn


class Bits(nn.Module):
    def __init__(self, n=8):
        super().__init__()
        self.a = nn.Linear(2 * n + 1, 24)
        self.b = nn.Linear(24, n)

    def forward(self, x, t, cond=None):
        cond = torch.zeros_like(x) if cond is None else cond
        return self.b(torch.nn.functional.silu(self.a(torch.cat([x, cond, t], 1))))


def gradflow_probe():
    torch.manual_seed(0)
    net = Bits()
    x0 = torch.randint(0, 2, (16, 8)).float() * 2 - 1
    t = torch.rand(16, 1)
    xt = (1 - t).sqrt() * x0 + t.sqrt() * torch.randn_like(x0)
    with torch.no_grad():
        guess = net(xt, t)
    pred = net(xt, t, guess)
    return net, (pred - x0).square().mean()
