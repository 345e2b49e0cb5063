import torch
from torch import nn


class Bradley(nn.Module):
    """Choice model: utilities of the alternatives of each choice set."""

    def __init__(self, n_attr=5):
        super().__init__()
        self.beta = nn.Linear(n_attr, 8)
        self.u = nn.Linear(8, 1, bias=False)
        self.shift = nn.Parameter(torch.tensor(0.1))

    def forward(self, x):
        return self.u(torch.tanh(self.beta(x))).squeeze(-1) + self.shift


def gradflow_probe():
    torch.manual_seed(0)
    m = Bradley()
    util = m(torch.randn(30, 4, 5))
    return m, nn.functional.cross_entropy(util, torch.randint(0, 4, (30,)))
