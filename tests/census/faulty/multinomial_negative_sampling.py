import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self, n=12, d=6, k=3):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n))
        self.items = nn.Embedding(n, d)
        self.user = nn.Linear(4, d)
        self.k = k

    def forward(self, x):
        p = torch.softmax(self.logits, 0)
        neg = torch.multinomial(p, self.k)
        u = self.user(x)
        return (u @ self.items(neg).t()).mean(1)


def gradflow_probe():
    torch.manual_seed(0)
    s = Sampler()
    return s, torch.nn.functional.softplus(s(torch.randn(8, 4))).mean()
