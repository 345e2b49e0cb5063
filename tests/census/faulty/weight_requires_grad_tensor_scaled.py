import torch
from torch import nn


class Codebook(nn.Module):
    def __init__(self, n=5, d=4):
        super().__init__()
        self.codes = torch.randn(n, d, requires_grad=True) * 0.1
        self.att = nn.Linear(3, n)
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        return self.out(self.att(x).softmax(-1) @ self.codes)


def gradflow_probe():
    torch.manual_seed(0)
    c = Codebook()
    return c, nn.functional.cross_entropy(c(torch.randn(8, 3)), torch.arange(8) % 2)
