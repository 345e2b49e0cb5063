import torch
from torch import nn


class RBF(nn.Module):
    def __init__(self, n=12, cutoff=4.0):
        super().__init__()
        self.register_buffer("mu", torch.linspace(0.5, cutoff, n))
        self.cutoff = cutoff

    def forward(self, r):
        fc = 0.5 * (torch.cos(torch.pi * r / self.cutoff) + 1) * (r < self.cutoff)
        return torch.exp(-4 * (r[..., None] - self.mu) ** 2) * fc[..., None]


class Potential(nn.Module):
    def __init__(self):
        super().__init__()
        self.species = nn.Embedding(10, 8)
        self.rbf = RBF()
        self.filter = nn.Linear(12, 8, bias=False)
        self.out = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 1))

    def forward(self, z, pos):
        n = len(z)
        d = pos[:, None] - pos[None]
        eye = torch.eye(n, dtype=torch.bool)
        r = torch.where(eye, torch.ones(()), d.pow(2).sum(-1) + eye.float()).sqrt()
        w = self.filter(self.rbf(r)).masked_fill(eye[..., None], 0.0)
        h = self.species(z)
        h = h + (w * h[None]).sum(1)
        return self.out(h).sum()


def gradflow_probe():
    torch.manual_seed(0)
    m = Potential()
    pos = torch.rand(6, 3) * 3
    pos.requires_grad_(True)
    e = m(torch.tensor([8, 1, 1, 6, 6, 7]), pos)
    f = -torch.autograd.grad(e, pos, create_graph=True)[0]
    loss = (e + 3.0) ** 2 + 10 * (f - torch.randn_like(f)).pow(2).mean()
    return m, loss
