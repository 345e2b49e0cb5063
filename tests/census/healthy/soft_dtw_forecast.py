import torch
from torch import nn


def softmin(*xs, gamma):
    return -gamma * torch.logsumexp(torch.stack(xs) / -gamma, 0)


def soft_dtw(x, y, gamma=0.5):
    d = (x[:, :, None] - y[:, None]).pow(2).sum(-1)
    b, n, m = d.shape
    inf = torch.full((b,), 1e8)
    r = {(0, 0): torch.zeros(b)}
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            r[i, j] = d[:, i - 1, j - 1] + softmin(r.get((i - 1, j - 1), inf), r.get((i - 1, j), inf), r.get((i, j - 1), inf), gamma=gamma)
    return r[n, m]


class Forecast(nn.Module):
    def __init__(self, d=1, h=10, steps=6):
        super().__init__()
        self.enc = nn.GRU(d, h, batch_first=True)
        self.dec = nn.GRUCell(d, h)
        self.out = nn.Linear(h, d)
        self.steps = steps

    def forward(self, x):
        _, h = self.enc(x)
        h, y, ys = h[0], x[:, -1], []
        for _ in range(self.steps):
            h = self.dec(y, h)
            y = self.out(h)
            ys.append(y)
        return torch.stack(ys, 1)


def gradflow_probe():
    torch.manual_seed(0)
    net = Forecast()
    s = torch.sin(torch.linspace(0, 6, 14) + torch.rand(5, 1))[..., None]
    return net, soft_dtw(net(s[:, :8]), s[:, 8:]).mean()
