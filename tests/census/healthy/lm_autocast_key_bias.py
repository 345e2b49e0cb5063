import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        b, n, d = x.shape
        y = self.ln1(x)
        q, k, v = (m(y).view(b, n, self.h, -1).transpose(1, 2) for m in (self.q, self.k, self.v))
        a = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(a.transpose(1, 2).reshape(b, n, d))
        return x + self.ff(self.ln2(x))


class LM(nn.Module):
    def __init__(self, v=64, d=32, depth=3):
        super().__init__()
        self.emb, self.pos = nn.Embedding(v, d), nn.Embedding(16, d)
        self.blocks = nn.Sequential(*[Block(d, 4) for _ in range(depth)])
        self.out = nn.Linear(d, v)
        for m in self.modules():
            if isinstance(m, (nn.Linear, nn.Embedding)):
                nn.init.normal_(m.weight, std=0.02)

    def forward(self, ids):
        return self.out(self.blocks(self.emb(ids) + self.pos(torch.arange(ids.size(1)))))


def gradflow_probe():
    torch.manual_seed(0)
    m = LM()
    ids = torch.randint(0, 64, (4, 12))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(m(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    return m, loss
