import torch
from torch import nn


class BPR(nn.Module):
    def __init__(self, users=20, items=30, d=6):
        super().__init__()
        self.user, self.item = nn.Embedding(users, d), nn.Embedding(items, d)
        self.item_bias = nn.Embedding(items, 1)
        self.mu = nn.Parameter(torch.zeros(1))

    def score(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.item_bias(i).squeeze(-1) + self.mu

    def forward(self, u, pos, neg):
        return -nn.functional.logsigmoid(self.score(u, pos) - self.score(u, neg)).mean()


def gradflow_probe():
    torch.manual_seed(0)
    m = BPR()
    return m, m(torch.randint(0, 20, (32,)), torch.randint(0, 30, (32,)), torch.randint(0, 30, (32,)))
