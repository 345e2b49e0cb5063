import torch
import torch.nn as nn
import torch.nn.functional as F


class NoisyTopK(nn.Module):
    def __init__(self, d, n, k):
        super().__init__()
        self.k = k
        self.w_gate = nn.Parameter(torch.zeros(d, n))
        self.w_noise = nn.Parameter(torch.zeros(d, n))

    def forward(self, x):
        clean = x @ self.w_gate
        std = F.softplus(x @ self.w_noise) + 1e-2
        noisy = clean + torch.randn_like(clean) * std
        top, idx = noisy.topk(self.k, -1)
        return torch.zeros_like(noisy).scatter(-1, idx, top.softmax(-1))


class MoE(nn.Module):
    def __init__(self, d=12, n=4, k=2):
        super().__init__()
        self.gate = NoisyTopK(d, n, k)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(d, 24), nn.ReLU(), nn.Linear(24, d)) for _ in range(n))
        self.out = nn.Linear(d, 3)

    def forward(self, x):
        g = self.gate(x)
        y = torch.stack([e(x) for e in self.experts], 1)
        importance = g.sum(0)
        aux = importance.var() / (importance.mean() ** 2 + 1e-10)
        return self.out((g.unsqueeze(-1) * y).sum(1)), aux


def gradflow_probe():
    torch.manual_seed(0)
    net = MoE()
    logits, aux = net(torch.randn(64, 12))
    return net, F.cross_entropy(logits, torch.randint(0, 3, (64,))) + 0.01 * aux
