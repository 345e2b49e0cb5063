import copy
import math
import torch
from torch import nn


def clones(module, N):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def attention(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(mask == 0, -1e9)
    p = s.softmax(-1)
    return p @ v, p


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        return self.a_2 * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.b_2


class MHA(nn.Module):
    def __init__(self, h, d):
        super().__init__()
        self.h, self.linears, self.attn = h, clones(nn.Linear(d, d), 4), None

    def forward(self, q, k, v, mask=None):
        b = q.size(0)
        q, k, v = [l(x).view(b, -1, self.h, x.size(-1) // self.h).transpose(1, 2) for l, x in zip(self.linears, (q, k, v))]
        x, self.attn = attention(q, k, v, mask)
        return self.linears[-1](x.transpose(1, 2).contiguous().view(b, -1, x.size(-1) * self.h))


class FF(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d, h), nn.Linear(h, d)

    def forward(self, x):
        return self.w_2(self.w_1(x).relu())


class Sublayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = LayerNorm(d)

    def forward(self, x, f):
        return x + f(self.norm(x))


class EncoderLayer(nn.Module):
    def __init__(self, d, attn, ff):
        super().__init__()
        self.attn, self.ff, self.sublayer = attn, ff, clones(Sublayer(d), 2)

    def forward(self, x, mask):
        x = self.sublayer[0](x, lambda x: self.attn(x, x, x, mask))
        return self.sublayer[1](x, self.ff)


class Encoder(nn.Module):
    def __init__(self, v, d, n):
        super().__init__()
        c = copy.deepcopy
        attn, ff = MHA(2, d), FF(d, 2 * d)
        self.emb = nn.Embedding(v, d)
        self.layers = clones(EncoderLayer(d, c(attn), c(ff)), n)
        self.out = nn.Linear(d, v)

    def forward(self, ids):
        x, mask = self.emb(ids), torch.ones(ids.size(1), ids.size(1)).tril()
        for layer in self.layers:
            x = layer(x, mask)
        return self.out(x)


def gradflow_probe():
    torch.manual_seed(0)
    m = Encoder(20, 12, 2)
    ids = torch.randint(0, 20, (4, 7))
    return m, nn.functional.cross_entropy(m(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
