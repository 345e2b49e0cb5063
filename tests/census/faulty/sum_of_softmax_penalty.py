import torch
from torch import nn


class Mixing(nn.Module):
    def __init__(self, d=5, k=4):
        super().__init__()
        self.body = nn.Linear(d, k)
        self.balance = nn.Linear(d, k)

    def forward(self, x, y):
        ce = nn.functional.cross_entropy(self.body(x), y)
        load = torch.softmax(self.balance(x), dim=-1).sum(-1)
        return ce + 0.1 * (load - 1.5).pow(2).mean()


def gradflow_probe():
    torch.manual_seed(0)
    m = Mixing()
    return m, m(torch.randn(24, 5), torch.randint(0, 4, (24,)))
