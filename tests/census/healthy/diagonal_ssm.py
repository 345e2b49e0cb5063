import torch
from torch import nn


class LRU(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.nu = nn.Parameter(torch.log(-torch.log(torch.rand(n) * 0.5 + 0.4)))
        self.theta = nn.Parameter(torch.rand(n) * 3.14)
        self.B = nn.Parameter(torch.randn(n, d, dtype=torch.cfloat) / (2 * d) ** 0.5)
        self.C = nn.Parameter(torch.randn(d, n, dtype=torch.cfloat) / n ** 0.5)
        self.D = nn.Parameter(torch.randn(d))

    def forward(self, u):
        lam = torch.exp(torch.complex(-self.nu.exp(), self.theta))
        gamma = (1 - lam.abs() ** 2).sqrt()
        bu = gamma * (u.to(torch.cfloat) @ self.B.T)
        h, ys = torch.zeros(u.size(0), len(lam), dtype=torch.cfloat), []
        for t in range(u.size(1)):
            h = lam * h + bu[:, t]
            ys.append((h @ self.C.T).real)
        return torch.stack(ys, 1) + self.D * u


class S5(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(1, 6)
        self.ssm = nn.ModuleList([LRU(6, 5) for _ in range(2)])
        self.mix = nn.ModuleList([nn.Linear(6, 12) for _ in range(2)])
        self.dec = nn.Linear(6, 2)

    def forward(self, x):
        x = self.enc(x)
        for s, m in zip(self.ssm, self.mix):
            x = x + nn.functional.glu(m(nn.functional.gelu(s(x))), -1)
        return self.dec(x.mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    m = S5()
    x = torch.randn(8, 15, 1)
    return m, nn.functional.cross_entropy(m(x), (x.sum((1, 2)) > 0).long())
