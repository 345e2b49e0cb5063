import torch
import torch.nn as nn
import torch.nn.functional as F


class RelAttention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.dh = h, d // h
        self.q = nn.Linear(d, d, bias=False)
        self.kv = nn.Linear(d, 2 * d, bias=False)
        self.r = nn.Linear(d, d, bias=False)
        self.o = nn.Linear(d, d, bias=False)
        self.u = nn.Parameter(torch.zeros(h, d // h))
        self.v = nn.Parameter(torch.zeros(h, d // h))

    def forward(self, x, mem, R):
        T, M = x.size(1), mem.size(1)
        c = torch.cat([mem, x], 1)
        q = self.q(x).view(len(x), T, self.h, self.dh)
        k, val = (t.view(len(x), T + M, self.h, self.dh) for t in self.kv(c).chunk(2, -1))
        r = self.r(R).view(-1, self.h, self.dh)
        rel = (torch.arange(T)[:, None] + M - torch.arange(T + M)[None]).clamp(min=0)
        ac = torch.einsum("bihd,bjhd->bhij", q + self.u, k)
        bd = torch.einsum("bihd,ijhd->bhij", q + self.v, r[rel])
        s = (ac + bd) / self.dh ** 0.5
        s = s.masked_fill(torch.ones(T, T + M, dtype=torch.bool).triu(1 + M), float("-inf"))
        return self.o(torch.einsum("bhij,bjhd->bihd", s.softmax(-1), val).flatten(2))


class TXL(nn.Module):
    def __init__(self, v=40, d=24, n=2):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.att = nn.ModuleList(RelAttention(d, 2) for _ in range(n))
        self.ln = nn.ModuleList(nn.LayerNorm(d) for _ in range(n))
        self.out = nn.Linear(d, v)

    def forward(self, ids, mems=None):
        x, new = self.emb(ids), []
        R = torch.randn(64, x.size(-1), generator=torch.Generator().manual_seed(1))
        for k, (a, l) in enumerate(zip(self.att, self.ln)):
            new.append(x.detach())
            x = l(x + a(x, x[:, :0] if mems is None else mems[k], R))
        return self.out(x), new


def gradflow_probe():
    torch.manual_seed(0)
    net = TXL()
    a, b = torch.randint(0, 40, (2, 2, 9)).unbind(0)
    _, mems = net(a)
    logits, _ = net(b[:, :-1], mems)
    return net, F.cross_entropy(logits.transpose(1, 2), b[:, 1:])
