import torch
from torch import nn


class Cross(nn.Module):
    def __init__(self, d, ctx):
        super().__init__()
        self.nq, self.nk = nn.LayerNorm(d), nn.LayerNorm(ctx)
        self.q, self.kv, self.o = nn.Linear(d, d, bias=False), nn.Linear(ctx, 2 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, z, ctx):
        k, v = self.kv(self.nk(ctx)).chunk(2, -1)
        z = z + self.o(nn.functional.scaled_dot_product_attention(self.q(self.nq(z)), k, v))
        return z + self.ff(z)


class Perceiver(nn.Module):
    def __init__(self, n=4, d=12, ctx=6):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(n, d) * 0.02)
        self.pos = nn.Parameter(torch.zeros(1, 20, ctx))
        self.blocks = nn.ModuleList(Cross(d, ctx) for _ in range(2))
        self.out = nn.Linear(d, 5)

    def forward(self, x):
        x = x + self.pos[:, : x.size(1)]
        z = self.latents.expand(len(x), -1, -1)
        for b in self.blocks:
            z = b(z, x)
        return self.out(z.mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    m = Perceiver()
    return m, nn.functional.cross_entropy(m(torch.randn(5, 14, 6)), torch.arange(5))
