import torch
from torch import nn


class SetAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        for lin in (self.q, self.k):
            nn.init.zeros_(lin.weight)

    def forward(self, x):
        a = self.q(x) @ self.k(x).transpose(-2, -1)
        return x + torch.softmax(a / x.size(-1) ** 0.5, -1) @ self.v(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), SetAttention(8), nn.Linear(8, 2))
    x = torch.randn(5, 6, 3)
    return net, nn.functional.cross_entropy(net(x).mean(1), torch.tensor([0, 1, 0, 1, 1]))
