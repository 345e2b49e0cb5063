import torch
import torch.nn as nn
import torch.nn.functional as F
import math


class IQN(nn.Module):
    def __init__(self, obs=4, act=3, d=32, n_cos=16):
        super().__init__()
        self.feat = nn.Linear(obs, d)
        self.phi = nn.Linear(n_cos, d)
        self.head = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, act))
        self.register_buffer("pis", math.pi * torch.arange(1, n_cos + 1))

    def forward(self, s, n):
        tau = torch.rand(len(s), n)
        c = F.relu(self.phi(torch.cos(tau.unsqueeze(-1) * self.pis)))
        h = F.relu(self.feat(s)).unsqueeze(1) * c
        return self.head(h), tau


def quantile_huber(q, y, tau, k=1.0):
    u = y.unsqueeze(1) - q.unsqueeze(2)
    hub = torch.where(u.abs() <= k, 0.5 * u ** 2, k * (u.abs() - 0.5 * k))
    return ((tau.unsqueeze(2) - (u.detach() < 0).float()).abs() * hub / k).sum(1).mean()


def gradflow_probe():
    torch.manual_seed(0)
    net, s, s2 = IQN(), torch.randn(16, 4), torch.randn(16, 4)
    a = torch.randint(0, 3, (16, 1, 1))
    q, tau = net(s, 8)
    q = q.gather(2, a.expand(-1, 8, 1)).squeeze(2)
    with torch.no_grad():
        nq, _ = net(s2, 8)
        y = torch.randn(16, 1) + 0.99 * nq.gather(2, nq.mean(1).argmax(1)[:, None, None].expand(-1, 8, 1)).squeeze(2)
    return net, quantile_huber(q, y, tau)
