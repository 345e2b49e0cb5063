import torch
from torch import nn


class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, ids):
        h = self.emb(ids)
        pad = ids >= 0
        h[pad] = 0.0
        return self.out(h.mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    e = Enc()
    return e, nn.functional.cross_entropy(e(torch.randint(0, 20, (5, 4))), torch.tensor([0, 1, 0, 1, 1]))
