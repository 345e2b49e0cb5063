import torch
from torch import nn
import torch.nn.functional as F


class Gen(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 16)
        self.out = nn.Linear(16, 6)
        self.noise_scale = nn.Parameter(torch.zeros(6))

    def forward(self, z):
        h = F.leaky_relu(self.fc(z), 0.2)
        x = self.out(h)
        return x + torch.poisson(self.noise_scale.exp().expand_as(x))


class Disc(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 16)
        self.b = nn.Linear(16, 1)
        self.cls = nn.Linear(16, 3)

    def forward(self, x):
        h = F.leaky_relu(self.a(x), 0.2)
        self.cls(h)
        return self.b(h)


def gradflow_probe():
    torch.manual_seed(0)
    g, d = Gen(), Disc()
    fake = g(torch.randn(10, 4))
    d_loss = F.softplus(-d(torch.randn(10, 6))).mean() + F.softplus(d(fake.detach())).mean()
    g_loss = F.softplus(-d(fake)).mean()
    return {"G": g, "D": d}, {"d_loss": d_loss, "g_loss": g_loss}
