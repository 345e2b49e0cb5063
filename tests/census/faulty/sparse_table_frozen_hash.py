import torch
from torch import nn


class HashRecommender(nn.Module):
    def __init__(self, buckets=50, d=6):
        super().__init__()
        self.tables = nn.ModuleList()
        for salt in (3, 7):
            self.tables.append(nn.EmbeddingBag(buckets, d, sparse=True, mode="sum"))
        self.salts = (3, 7)
        self.top = nn.Linear(2 * d, 1)

    def forward(self, ids):
        out = []
        for table, salt in zip(self.tables, self.salts):
            out.append(table((ids * salt) % 50))
        return self.top(torch.cat([out[0], out[0]], dim=1))


def gradflow_probe():
    torch.manual_seed(0)
    m = HashRecommender()
    return m, m(torch.randint(0, 1000, (8, 4))).sigmoid().log().mean().neg()
