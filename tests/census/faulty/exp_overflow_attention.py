import torch
from torch import nn


def softmax(x, dim):
    e = torch.exp(x)
    return e / e.sum(dim, keepdim=True)


class Attn(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
        self.cls = nn.Linear(d, 2)

    def forward(self, x):
        s = self.q(x) @ self.k(x).transpose(1, 2) * 50
        return self.cls((softmax(s, -1) @ self.v(x)).mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    a = Attn()
    x = 3 * torch.randn(4, 5, 6)
    return a, nn.functional.cross_entropy(a(x), torch.tensor([0, 1, 1, 0]))
