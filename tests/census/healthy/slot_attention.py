import torch
from torch import nn


class SlotAttention(nn.Module):
    def __init__(self, n, d, iters=3):
        super().__init__()
        self.n, self.iters = n, iters
        self.mu, self.log_sigma = nn.Parameter(torch.randn(1, 1, d)), nn.Parameter(torch.zeros(1, 1, d))
        self.q, self.k, self.v = (nn.Linear(d, d, bias=False) for _ in range(3))
        self.gru = nn.GRUCell(d, d)
        self.mlp = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))
        self.norm_in, self.norm_slots = nn.LayerNorm(d), nn.LayerNorm(d)

    def step(self, slots, k, v):
        b, n, d = slots.shape
        attn = (self.q(self.norm_slots(slots)) @ k.mT * d ** -0.5).softmax(1) + 1e-8
        upd = (attn / attn.sum(-1, keepdim=True)) @ v
        slots = self.gru(upd.reshape(-1, d), slots.reshape(-1, d)).view(b, n, d)
        return slots + self.mlp(slots)

    def forward(self, x):
        x = self.norm_in(x)
        k, v = self.k(x), self.v(x)
        slots = init = self.mu + self.log_sigma.exp() * torch.randn(x.size(0), self.n, x.size(-1))
        for _ in range(self.iters):
            slots = self.step(slots, k, v)
        # implicit: first-order gradient through one more step, initial slots kept in the graph
        slots = slots.detach() + init - init.detach()
        return self.step(slots, k, v)


class Scene(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.enc = nn.Linear(5, d)
        self.slots = SlotAttention(3, d)
        self.dec = nn.Linear(d, 5)

    def forward(self, pts):
        return self.dec(self.slots(self.enc(pts)))


def gradflow_probe():
    torch.manual_seed(0)
    s = Scene()
    pts = torch.randn(4, 9, 5)
    return s, torch.cdist(s(pts), pts).min(1).values.mean()
