import torch
from torch import nn


class EBM(nn.Module):
    def __init__(self):
        super().__init__()
        self.energy = nn.Sequential(nn.Linear(2, 24), nn.Softplus(), nn.Linear(24, 24), nn.Softplus(), nn.Linear(24, 1))

    def forward(self, x):
        return self.energy(x).squeeze(-1)

    def langevin(self, x, steps=3, lr=0.1):
        x = x.clone()
        for _ in range(steps):
            x.requires_grad_(True)
            g, = torch.autograd.grad(self(x).sum(), x)
            x = (x - lr * g + 0.05 * torch.randn_like(x)).detach()
        return x


def gradflow_probe():
    torch.manual_seed(0)
    ebm = EBM()
    real = torch.randn(32, 2) * 0.3 + 1
    fake = ebm.langevin(torch.randn(32, 2))
    return ebm, ebm(real).mean() - ebm(fake).mean()
