import torch
from torch import nn


class WindowAttention(nn.Module):
    def __init__(self, d, w, heads, shift):
        super().__init__()
        self.w, self.h, self.shift = w, heads, shift
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.table = nn.Parameter(torch.zeros((2 * w - 1) ** 2, heads))
        c = torch.stack(torch.meshgrid(torch.arange(w), torch.arange(w), indexing="ij")).flatten(1)
        rel = (c[:, :, None] - c[:, None]).permute(1, 2, 0) + w - 1
        self.register_buffer("index", rel[..., 0] * (2 * w - 1) + rel[..., 1])

    def forward(self, x):
        b, H, W, d = x.shape
        w = self.w
        y = torch.roll(x, (-self.shift, -self.shift), (1, 2)) if self.shift else x
        y = y.view(b, H // w, w, W // w, w, d).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, d)
        q, k, v = self.qkv(y).reshape(len(y), w * w, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        a = q @ k.mT * q.size(-1) ** -0.5 + self.table[self.index].permute(2, 0, 1)
        y = (a.softmax(-1) @ v).transpose(1, 2).reshape(-1, w, w, d)
        y = self.proj(y).view(b, H // w, W // w, w, w, d).permute(0, 1, 3, 2, 4, 5).reshape(b, H, W, d)
        return x + (torch.roll(y, (self.shift, self.shift), (1, 2)) if self.shift else y)


class Swin(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 2, 2)
        self.blocks = nn.ModuleList([WindowAttention(d, 4, 2, s) for s in (0, 2)])
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, 3)

    def forward(self, x):
        x = self.patch(x).permute(0, 2, 3, 1)
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.norm(x).mean((1, 2)))


def gradflow_probe():
    torch.manual_seed(0)
    m = Swin()
    return m, nn.functional.cross_entropy(m(torch.randn(3, 3, 16, 16)), torch.arange(3))
