import torch
from torch import nn


class MixtureOfBernoulli(nn.Module):
    """Cluster binary pixels; responsibilities from the plain likelihood."""

    def __init__(self, pixels=400, k=4):
        super().__init__()
        self.logits = nn.Parameter(torch.randn(k, pixels) * 0.1)
        self.prior = nn.Parameter(torch.zeros(k))

    def forward(self, x):
        p = torch.sigmoid(self.logits)
        px = torch.where(x.unsqueeze(1) > 0, p, 1 - p)
        like = px.prod(dim=-1)
        return (like * self.prior.softmax(0)).sum(1)


def gradflow_probe():
    torch.manual_seed(0)
    m = MixtureOfBernoulli()
    x = (torch.rand(6, 400) > 0.5).float()
    return m, -(m(x) + 1e-12).log().mean()
