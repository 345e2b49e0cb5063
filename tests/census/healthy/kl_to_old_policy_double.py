import copy
import torch
from torch import nn


class Gauss(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
        self.log_std = nn.Parameter(torch.zeros(2))

    def forward(self, o):
        return torch.distributions.Normal(self.mu(o), self.log_std.exp())


def gradflow_probe():
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    try:
        pi = Gauss()
        old = copy.deepcopy(pi).requires_grad_(False)
        o = torch.randn(40, 3)
        d, d0 = pi(o), old(o)
        a = d0.sample()
        adv = torch.randn(40)
        ratio = (d.log_prob(a) - d0.log_prob(a)).sum(-1).exp()
        kl = torch.distributions.kl_divergence(d0, d).sum(-1).mean()
        return pi, {"policy": -(ratio * adv).mean(), "kl": 3.0 * kl}
    finally:
        torch.set_default_dtype(torch.float32)
