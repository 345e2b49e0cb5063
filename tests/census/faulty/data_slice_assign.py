import torch
from torch import nn


class Prefix(nn.Module):
    def __init__(self, d=8, n=3):
        super().__init__()
        self.n = n
        self.prefix = nn.Parameter(torch.randn(n, d))
        self.proj = nn.Linear(d, d)
        self.emb = nn.Embedding(30, d)
        self.out = nn.Linear(d, 2)

    def forward(self, ids):
        x = self.emb(ids)
        x.data[:, :self.n] = self.proj(self.prefix)
        return self.out(torch.tanh(x).mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    p = Prefix()
    return p, nn.functional.cross_entropy(p(torch.randint(0, 30, (6, 7))), torch.arange(6) % 2)
