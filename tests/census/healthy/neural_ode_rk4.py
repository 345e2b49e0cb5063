import torch
from torch import nn


class Field(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d + 1, 24), nn.Tanh(), nn.Linear(24, d))
        self.nfe = 0

    def forward(self, t, y):
        self.nfe += 1
        return self.net(torch.cat([y, t.expand(len(y), 1)], 1))


def odeint(f, y, ts):
    for t0, t1 in zip(ts[:-1], ts[1:]):
        h = t1 - t0
        k1 = f(t0, y)
        k2 = f(t0 + h / 2, y + h / 2 * k1)
        k3 = f(t0 + h / 2, y + h / 2 * k2)
        k4 = f(t1, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


class NODE(nn.Module):
    def __init__(self, d=3):
        super().__init__()
        self.f = Field(d)
        self.cls = nn.Linear(d, 2)

    def forward(self, x):
        return self.cls(odeint(self.f, x, torch.linspace(0, 1, 5)))


def gradflow_probe():
    torch.manual_seed(0)
    m = NODE()
    x = torch.randn(24, 3)
    return m, nn.functional.cross_entropy(m(x), (x.norm(dim=1) > 1.5).long())
