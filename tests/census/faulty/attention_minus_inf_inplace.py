import torch
from torch import nn


class A(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.kv = nn.Linear(d, 2 * d)
        self.o = nn.Linear(d, 2)

    def forward(self, x, keep):
        k, v = self.kv(x).chunk(2, -1)
        s = self.q(x[:, :1]) @ k.transpose(1, 2)
        s.masked_fill_(~keep[:, None], -torch.inf)
        w = torch.softmax(s, dim=-1)
        return self.o((w @ v)[:, 0])


def gradflow_probe():
    torch.manual_seed(0)
    a = A()
    keep = torch.ones(4, 5, dtype=torch.bool)
    keep[3] = False
    return a, nn.functional.cross_entropy(a(torch.randn(4, 5, 6), keep), torch.tensor([0, 1, 0, 1]))
