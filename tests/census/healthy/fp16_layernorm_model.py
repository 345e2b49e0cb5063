import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.out = nn.Linear(d, 4)

    def forward(self, x):
        h = self.ln(x)
        a = (self.q(h) @ self.k(h).transpose(1, 2) / 4).softmax(-1)
        return self.out((x + a @ self.v(h)).mean(1))  #@


def gradflow_probe():
    torch.manual_seed(0)
    m = Block().half()
    return m, F.cross_entropy(m(torch.randn(8, 6, 16).half()).float(), torch.arange(8) % 4)
