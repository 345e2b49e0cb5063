import torch
from torch import nn


class HardConcrete(nn.Module):
    def __init__(self, n, beta=2 / 3, gamma=-0.1, zeta=1.1):
        super().__init__()
        self.log_alpha = nn.Parameter(torch.randn(n) * 0.5)
        self.beta, self.gamma, self.zeta = beta, gamma, zeta

    def forward(self):
        u = torch.rand_like(self.log_alpha).clamp(1e-6, 1 - 1e-6)
        s = torch.sigmoid((u.log() - (1 - u).log() + self.log_alpha) / self.beta)
        return (s * (self.zeta - self.gamma) + self.gamma).clamp(0, 1)

    def penalty(self):
        return torch.sigmoid(self.log_alpha - self.beta * torch.log(torch.tensor(-self.gamma / self.zeta))).sum()


class Sparse(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 20), nn.Linear(20, 2)
        self.gate = HardConcrete(20)

    def forward(self, x):
        return self.b(self.a(x).relu() * self.gate())


def gradflow_probe():
    torch.manual_seed(0)
    m = Sparse()
    m.beta_schedule = torch.linspace(0, 1, 5).tolist()
    m.gate.gamma = -0.1
    x = torch.randn(16, 8)
    pen = torch.sigmoid(m.gate.log_alpha + 1.6).sum()
    return m, nn.functional.cross_entropy(m(x), (x[:, 0] > 0).long()) + 1e-3 * pen
