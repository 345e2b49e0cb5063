import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, d, h, flip):
        super().__init__()
        mask = torch.arange(d) % 2 == (1 if flip else 0)
        self.register_buffer("mask", mask.float())
        self.s = nn.Sequential(nn.Linear(d, h), nn.LeakyReLU(), nn.Linear(h, d), nn.Tanh())
        self.t = nn.Sequential(nn.Linear(d, h), nn.LeakyReLU(), nn.Linear(h, d))

    def forward(self, x):
        keep = x * self.mask
        s, t = self.s(keep) * (1 - self.mask), self.t(keep) * (1 - self.mask)
        return keep + (1 - self.mask) * (x * s.exp() + t), s.sum(-1)


class RealNVP(nn.Module):
    def __init__(self, d=4, depth=3):
        super().__init__()
        self.flows = nn.ModuleList([Coupling(d, 10, i % 2) for i in range(depth)])
        self.prior = torch.distributions.Independent(torch.distributions.Normal(torch.zeros(d), torch.ones(d)), 1)

    def log_prob(self, x):
        total = 0.0
        for f in self.flows:
            x, ld = f(x)
            total = total + ld
        return self.prior.log_prob(x) + total


def gradflow_probe():
    torch.manual_seed(0)
    flow = RealNVP()
    return flow, -flow.log_prob(torch.randn(32, 4) * 2).mean()
