import torch
from torch import nn


class G(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 6))

    def forward(self, z):
        return self.net(z)


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.feat = nn.Linear(6, 8)
        self.out = nn.Linear(8, 1)
        nn.init.constant_(self.feat.bias, -30.0)

    def forward(self, x):
        return self.out(torch.relu(self.feat(x)))


def gradflow_probe():
    torch.manual_seed(0)
    g, d = G(), D()
    real, fake = torch.randn(8, 6), g(torch.randn(8, 4))
    fake = fake.detach()
    d_loss = torch.relu(1 - d(real)).mean() + torch.relu(1 + d(fake)).mean()
    g_loss = -d(fake).mean()
    return {"g": g, "d": d}, {"g_loss": g_loss, "d_loss": d_loss}
