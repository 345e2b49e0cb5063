import torch
from torch import nn
import torch.nn.functional as F


class XBM:
    def __init__(self, size, d):
        self.feats, self.labels, self.ptr = torch.zeros(size, d), torch.full((size,), -1), 0

    def enqueue(self, f, y):
        n = len(f)
        self.feats[self.ptr:self.ptr + n] = f.detach()
        self.labels[self.ptr:self.ptr + n] = y
        self.ptr = (self.ptr + n) % len(self.feats)


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))
        self.proxies = nn.Parameter(torch.randn(7, 6))
        self.memory = XBM(64, 6)

    def forward(self, x, y):
        f = F.normalize(self.net(x), dim=1)
        self.memory.enqueue(f, y)
        sim = f @ self.memory.feats.clone().T
        same = (y[:, None] == self.memory.labels) & (sim.detach() < 0.99)
        diff = (y[:, None] != self.memory.labels) & (self.memory.labels >= 0)
        pair = (1 - sim[same]).sum() / same.sum().clamp(min=1) + F.relu(sim[diff] - 0.3).mean()
        logits = -torch.cdist(f, F.normalize(self.proxies, dim=1)).pow(2)
        return pair + F.cross_entropy(logits, y)


def gradflow_probe():
    torch.manual_seed(0)
    e = Embedder()
    y = torch.arange(12) % 3
    e(torch.randn(12, 8), y).detach()
    return e, e(torch.randn(12, 8), y)
