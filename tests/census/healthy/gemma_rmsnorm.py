import torch
from torch import nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        y = x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.eps)
        return (y * (1.0 + self.weight.float())).type_as(x)


class GLUBlock(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.pre = RMSNorm(d)
        self.gate_proj, self.up_proj = nn.Linear(d, h, bias=False), nn.Linear(d, h, bias=False)
        self.down_proj = nn.Linear(h, d, bias=False)

    def forward(self, x):
        y = self.pre(x)
        return x + self.down_proj(F.gelu(self.gate_proj(y), approximate="tanh") * self.up_proj(y))


class LM(nn.Module):
    def __init__(self, v=40, d=12):
        super().__init__()
        self.embed_tokens = nn.Embedding(v, d)
        self.layers = nn.ModuleList([GLUBlock(d, 24) for _ in range(2)])
        self.norm = RMSNorm(d)

    def forward(self, ids):
        h = self.embed_tokens(ids) * (self.embed_tokens.embedding_dim ** 0.5)
        for l in self.layers:
            h = l(h)
        logits = self.norm(h) @ self.embed_tokens.weight.T
        return torch.tanh(logits / 30) * 30


def gradflow_probe():
    torch.manual_seed(0)
    m = LM()
    ids = torch.randint(0, 40, (3, 8))
    return m, F.cross_entropy(m(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
