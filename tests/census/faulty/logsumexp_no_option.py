import torch
from torch import nn


class Marginal(nn.Module):
    def __init__(self, n=6, s=4):
        super().__init__()
        self.emit = nn.Linear(n, s)
        self.trans = nn.Parameter(torch.zeros(s, s))
        self.scale = nn.Linear(n, 1)

    def forward(self, x, allowed):
        a = self.emit(x).masked_fill(~allowed, float("-inf"))
        b = torch.logsumexp(a.unsqueeze(2) + self.trans, dim=1)
        z = torch.logsumexp(b, dim=1)
        return z, self.scale(x).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    net = Marginal()
    x = torch.randn(8, 6)
    allowed = torch.ones(8, 4, dtype=torch.bool)
    allowed[3] = False
    z, s = net(x, allowed)
    ok = torch.isfinite(z)
    return net, (z[ok] - s[ok]).pow(2).mean()
