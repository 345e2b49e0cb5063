import torch
import torch.nn as nn
import torch.nn.functional as F
import math


class NoisyLinear(nn.Module):
    def __init__(self, i, o, sigma0=0.5):
        super().__init__()
        self.weight_mu = nn.Parameter(torch.empty(o, i).uniform_(-1 / math.sqrt(i), 1 / math.sqrt(i)))
        self.weight_sigma = nn.Parameter(torch.full((o, i), sigma0 / math.sqrt(i)))
        self.bias_mu = nn.Parameter(torch.empty(o).uniform_(-1 / math.sqrt(i), 1 / math.sqrt(i)))
        self.bias_sigma = nn.Parameter(torch.full((o,), sigma0 / math.sqrt(o)))
        self.register_buffer("eps_in", torch.zeros(i))
        self.register_buffer("eps_out", torch.zeros(o))
        self.reset_noise()

    def reset_noise(self):
        f = lambda n: (e := torch.randn(n)).sign() * e.abs().sqrt()
        self.eps_in.copy_(f(self.eps_in.numel()))
        self.eps_out.copy_(f(self.eps_out.numel()))

    def forward(self, x):
        w = self.weight_mu + self.weight_sigma * torch.outer(self.eps_out, self.eps_in)
        return F.linear(x, w, self.bias_mu + self.bias_sigma * self.eps_out)


def gradflow_probe():
    torch.manual_seed(0)
    q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), NoisyLinear(32, 32), nn.ReLU(), NoisyLinear(32, 2))
    s, a, target = torch.randn(16, 4), torch.randint(0, 2, (16, 1)), torch.randn(16, 1)
    weights = torch.rand(16, 1)
    td = q(s).gather(1, a) - target
    priorities = td.detach().abs() + 1e-6
    return q, (weights * F.huber_loss(td, torch.zeros_like(td), reduction="none")).mean() + 0 * priorities.sum()
