import torch
from torch import nn


class Lm(nn.Module):
    def __init__(self, vocab=30, d=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        nn.init.normal_(self.emb.weight, std=1e-10)
        self.mix = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, vocab)

    def forward(self, ids):
        return self.out(self.mix(self.emb(ids)))


def gradflow_probe():
    torch.manual_seed(0)
    lm = Lm()
    ids = torch.randint(0, 30, (4, 7))
    return lm, nn.functional.cross_entropy(lm(ids).flatten(0, 1), ids.roll(-1, 1).flatten())
