import torch
from torch import nn


class Bayes(nn.Module):
    def __init__(self, i=6, o=3):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) * 0.1)
        self.rho = nn.Parameter(torch.full((o, i), -110.0))
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x):
        sigma = torch.exp(self.rho)
        w = self.mu + sigma * torch.randn_like(sigma)
        kl = (0.5 * (sigma ** 2 + self.mu ** 2) - torch.log(sigma)).sum()
        return x @ w.t() + self.bias, kl


def gradflow_probe():
    torch.manual_seed(0)
    net = Bayes()
    out, kl = net(torch.randn(9, 6))
    return net, nn.functional.cross_entropy(out, torch.arange(9) % 3) + 1e-3 * kl
