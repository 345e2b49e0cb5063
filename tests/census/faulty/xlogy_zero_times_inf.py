import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(k))
        self.means = nn.Parameter(torch.randn(k, 2))
        self.active = torch.tensor([1.0, 1.0, 0.0])

    def forward(self, x):
        pi = torch.softmax(self.logits, 0) * self.active
        comp = -((x[:, None] - self.means) ** 2).sum(-1)
        prior = (pi * torch.log(pi)).sum()
        return -(torch.logsumexp(comp + torch.log(pi + 1e-8), 1)).mean() + 0.1 * prior


def gradflow_probe():
    torch.manual_seed(0)
    m = Mixture()
    return m, m(torch.randn(20, 2))
