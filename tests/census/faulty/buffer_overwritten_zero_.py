import torch
from torch import nn


class Acc(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 5)
        self.skip = nn.Linear(4, 2)
        self.out = nn.Linear(5, 2, bias=False)

    def forward(self, x):
        total = torch.zeros(len(x), 5)
        for step in range(3):
            total = total + self.lin(x + step)
        total.zero_()
        return self.out(total) + self.skip(x)


def gradflow_probe():
    torch.manual_seed(0)
    a = Acc()
    return a, nn.functional.cross_entropy(a(torch.randn(8, 4)), torch.arange(8) % 2)
