import torch
from torch import nn


class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(4, 5)

    def forward(self, x, mask):
        p = torch.softmax(self.f(x), -1) * mask
        return p.log()


def gradflow_probe():
    torch.manual_seed(0)
    m = P()
    mask = torch.tensor([1.0, 1, 0, 1, 1])
    y = nn.functional.one_hot(torch.tensor([0, 1, 3, 4, 0, 1]), 5).float()
    return m, -(y * m(torch.randn(6, 4), mask)).sum(1).mean()
