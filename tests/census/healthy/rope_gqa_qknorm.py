import torch
from torch import nn


def rope(x):
    n, d = x.shape[-2:]
    f = torch.arange(n)[:, None] * 100.0 ** (-torch.arange(0, d, 2) / d)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * f.cos() - b * f.sin(), a * f.sin() + b * f.cos()], -1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, d=16, h=4, kv=2, window=4):
        super().__init__()
        self.h, self.kv, self.hd, self.window = h, kv, d // h, window
        self.q_proj = nn.Linear(d, d)
        self.k_proj = nn.Linear(d, kv * self.hd)
        self.v_proj = nn.Linear(d, kv * self.hd)
        self.o_proj = nn.Linear(d, d, bias=False)
        self.q_norm, self.k_norm = nn.RMSNorm(self.hd), nn.RMSNorm(self.hd)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q_norm(self.q_proj(x).view(b, n, self.h, self.hd)).transpose(1, 2)
        k = self.k_norm(self.k_proj(x).view(b, n, self.kv, self.hd)).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.kv, self.hd).transpose(1, 2)
        q, k = rope(q), rope(k)
        k, v = (t.repeat_interleave(self.h // self.kv, 1) for t in (k, v))
        i = torch.arange(n)
        allowed = (i[:, None] >= i) & (i[:, None] - i < self.window)
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        return self.o_proj(y.transpose(1, 2).reshape(b, n, -1))


class Mini(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16)
        self.attn = Attention()
        self.head = nn.Linear(16, 30)

    def forward(self, ids):
        h = self.emb(ids)
        return self.head(h + self.attn(h))


def gradflow_probe():
    torch.manual_seed(0)
    m = Mini()
    ids = torch.randint(0, 30, (3, 12))
    return m, nn.functional.cross_entropy(m(ids[:, :-1]).mT, ids[:, 1:])
