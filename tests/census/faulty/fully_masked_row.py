import torch
from torch import nn


class CausalShift(nn.Module):
    """Strictly causal: position t may only look at positions < t."""

    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.o = nn.Linear(d, d)

    def forward(self, x):
        t = x.size(1)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        s = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        s = s.masked_fill(~torch.ones(t, t).tril(-1).bool(), float("-inf"))
        return self.o(torch.softmax(s, dim=-1) @ v)


class LM(nn.Module):
    def __init__(self, vocab=25, d=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.att = CausalShift(d)
        self.out = nn.Linear(d, vocab)

    def forward(self, ids):
        h = self.emb(ids)
        return self.out(h + self.att(h))


def gradflow_probe():
    torch.manual_seed(0)
    lm = LM()
    ids = torch.randint(0, 25, (3, 7))
    return lm, nn.functional.cross_entropy(lm(ids).flatten(0, 1), ids.roll(-1, 1).flatten())
