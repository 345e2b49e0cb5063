import torch
from torch import nn


class HeadGated(nn.Module):
    def __init__(self, d=8, heads=2, keep=()):
        super().__init__()
        self.heads = heads
        self.v = nn.Linear(d, d)
        self.skip = nn.Linear(d, d)
        mask = torch.zeros(heads)
        for k in keep:
            mask[k] = 1
        self.register_buffer("mask", mask)

    def forward(self, x):
        v = self.v(x).unflatten(-1, (self.heads, -1))
        v = torch.einsum("bhd,h->bhd", v, self.mask)
        return self.skip(x) + v.flatten(1)


def gradflow_probe():
    torch.manual_seed(0)
    m = HeadGated()
    x = torch.randn(10, 8)
    return m, nn.functional.mse_loss(m(x), x.flip(1))
