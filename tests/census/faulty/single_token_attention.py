import math
import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d, ctx):
        super().__init__()
        self.to_q = nn.Linear(d, d, bias=False)
        self.to_k = nn.Linear(ctx, d, bias=False)
        self.to_v = nn.Linear(ctx, d, bias=False)
        self.out = nn.Linear(d, d)

    def forward(self, x, c):
        c = c.unsqueeze(1)          # one global text embedding
        s = torch.einsum("bid,bjd->bij", self.to_q(x), self.to_k(c)) / math.sqrt(x.size(-1))
        return self.out(s.softmax(-1) @ self.to_v(c))


class TextToSketch(nn.Module):
    def __init__(self, d=8, ctx=10):
        super().__init__()
        self.inp = nn.Linear(2, d)
        self.attn = CrossAttention(d, ctx)
        self.out = nn.Linear(d, 2)

    def forward(self, pts, text):
        h = self.inp(pts)
        return self.out(torch.relu(h + self.attn(h, text)))


def gradflow_probe():
    torch.manual_seed(0)
    net = TextToSketch()
    pts = torch.randn(4, 7, 2)
    return net, nn.functional.mse_loss(net(pts, torch.randn(4, 10)), pts.roll(1, 1))
