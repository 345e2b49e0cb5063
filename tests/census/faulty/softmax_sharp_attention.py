import torch
from torch import nn


class Sharp(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
        self.out = nn.Linear(d, 3)

    def forward(self, x):
        s = (self.q(x) @ self.k(x).transpose(1, 2)) * 1e4
        return self.out((torch.softmax(s, -1) @ self.v(x)).mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    m = Sharp()
    return m, nn.functional.cross_entropy(m(4 * torch.randn(5, 6, 16)), torch.arange(5) % 3)
